#!/usr/bin/env bash
# How many replays a second the whole service answers, as a share of what a bare actix handler answers
# that parses and echoes the same body. Both have one worker; wrk drives them in turn, in one run.
#
#     benches/http/run.sh [ROUNDS] [SECONDS]
#
# Needs wrk (Debian's package wrk). Prints a line a round and the median share.
set -euo pipefail
cd "$(dirname "$0")/../.."
rounds=${1:-5} seconds=${2:-5}
cargo build --release --bin tengen --example echo
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null; rm -rf "$work"' EXIT
target/release/examples/echo 127.0.0.1:8090 &
target/release/tengen serve --listen 127.0.0.1:8091 --workers 1 --log warn \
    --database-url "sqlite://$work/games.db" >/dev/null &
sleep 1
rate() {
    wrk -t1 -c16 -d"${seconds}s" -s benches/http/replay.lua "http://127.0.0.1:$1/v1/replays" |
        awk '/Non-2xx/ { bad = 1 } /Requests\/sec/ { rate = $2 } END { if (bad) exit 1; print rate }'
}
rate 8090 >/dev/null
rate 8091 >/dev/null
for round in $(seq "$rounds"); do
    echo_rate=$(rate 8090)
    tengen_rate=$(rate 8091)
    share=$(awk "BEGIN { printf \"%.3f\", $tengen_rate / $echo_rate }")
    echo "round $round: echo $echo_rate/s, tengen $tengen_rate/s, share $share"
    echo "$share" >>"$work/shares"
done
echo "median share: $(sort -n "$work/shares" | awk '{ all[NR] = $1 } END { print all[int((NR + 1) / 2)] }')"
