//! Wrong requests: each is refused with its status, its code and the place of its fault, and changes
//! nothing.

use std::io::Write;
use std::net::Shutdown;

use serde_json::{Value, json};

use crate::client::{Answer, Client, Server, faults_of, read_answer, request, shared};

/// What takes a position in a body.
const POSITIONED: &[&str] = &[
    "/v1/replays",
    "/v1/legal-moves",
    "/v1/threats",
    "/v1/hints",
    "/v1/analyses",
    "/v1/reviews",
    "/v1/proofs",
    "/v1/defences",
    "/v1/boards.svg",
    "/v1/boards.png",
    "/v1/boards.txt",
    "/v1/games",
];

/// What takes a body.
const READERS: &[&str] = &[
    "/v1/replays",
    "/v1/legal-moves",
    "/v1/threats",
    "/v1/hints",
    "/v1/analyses",
    "/v1/reviews",
    "/v1/proofs",
    "/v1/defences",
    "/v1/boards.svg",
    "/v1/boards.png",
    "/v1/boards.txt",
    "/v1/conversions",
    "/v1/batches",
    "/v1/jobs",
    "/v1/games",
];

/// A body that is refused with 422 for one fault: the body, the fault's code and its place.
type Row = (&'static str, &'static str, &'static str);

/// What a batch is refused for; what its items are refused for is told in their places.
#[rustfmt::skip]
const BATCHES: &[Row] = &[
    ("null", "invalid_field", ""),
    ("[]", "invalid_field", ""),
    ("{}", "missing_field", "/items"),
    (r#"{"items":null}"#, "invalid_field", "/items"),
    (r#"{"items":{}}"#, "invalid_field", "/items"),
    (r#"{"items":[]}"#, "limit_out_of_range", "/items"),
    (r#"{"items":[{}],"time_ms":0}"#, "limit_out_of_range", "/time_ms"),
    (r#"{"items":[{}],"time_ms":60001}"#, "limit_out_of_range", "/time_ms"),
    (r#"{"items":[{}],"time_ms":"1"}"#, "invalid_field", "/time_ms"),
    (r#"{"items":[{}],"extra":1}"#, "unknown_field", "/extra"),
    (r#"{"items":[{}],"items":[{}]}"#, "invalid_field", "/items"),
];

/// What a job is refused for before it is taken.
#[rustfmt::skip]
const JOBS: &[Row] = &[
    ("null", "invalid_field", ""),
    (r#"{"input":{"position":{"moves":"h8"}}}"#, "missing_field", "/kind"),
    (r#"{"kind":"analysis"}"#, "missing_field", "/input"),
    (r#"{"kind":"hint","input":{"position":{"moves":"h8"}}}"#, "invalid_field", "/kind"),
    (r#"{"kind":5,"input":{"position":{"moves":"h8"}}}"#, "invalid_field", "/kind"),
    (r#"{"kind":"analysis","input":null}"#, "invalid_field", "/input"),
    (r#"{"kind":"analysis","input":[]}"#, "invalid_field", "/input"),
    (r#"{"kind":"analysis","input":{"position":{"moves":"h8"}},"extra":1}"#, "unknown_field", "/extra"),
    (r#"{"kind":"analysis","input":{"position":{"moves":"h8"}},"kind":"analysis"}"#, "invalid_field", "/kind"),
    (r#"{"kind":"analysis","input":{"position":{"moves":"8h"}}}"#, "unreadable_notation", "/input/position/moves"),
    (r#"{"kind":"analysis","input":{"position":{"moves":"h8"},"limits":{"time_ms":600001}}}"#, "limit_out_of_range", "/input/limits/time_ms"),
    (r#"{"kind":"review","input":{"position":{"board":[".....",".....",".....",".....","....."]}}}"#, "missing_field", "/input/position/moves"),
    (r#"{"kind":"review","input":{"position":{"moves":"h8i9"},"limits":{"time_ms":600001}}}"#, "limit_out_of_range", "/input/limits/time_ms"),
    (r#"{"kind":"import","input":{}}"#, "missing_field", "/input/text"),
    (r#"{"kind":"import","input":{"text":"?"}}"#, "invalid_field", "/input/text"),
    (r#"{"kind":"import","input":{"octets":"?"}}"#, "invalid_field", "/input/octets"),
    (r#"{"kind":"import","input":{"text":"h8","octets":""}}"#, "ambiguous_source", "/input/octets"),
    (r#"{"kind":"import","input":{"text":"h8 a1","format":"pgn"}}"#, "invalid_field", "/input/format"),
    (r#"{"kind":"import","input":{"text":"h8 a1","size":4}}"#, "unsupported_size", "/input/size"),
    (r#"{"kind":"import","input":{"text":"h8 a1","dry_run":1}}"#, "invalid_field", "/input/dry_run"),
];

/// What any endpoint refuses that takes a position.
#[rustfmt::skip]
const POSITIONS: &[Row] = &[
    // The body and its members have types.
    ("null", "invalid_field", ""),
    ("5", "invalid_field", ""),
    ("\"h8\"", "invalid_field", ""),
    ("true", "invalid_field", ""),
    ("[]", "invalid_field", ""),
    (r#"[{"moves":"h8"}]"#, "invalid_field", ""),
    ("{}", "missing_field", "/position"),
    (r#"{"position":null}"#, "invalid_field", "/position"),
    (r#"{"position":"h8"}"#, "invalid_field", "/position"),
    (r#"{"position":15}"#, "invalid_field", "/position"),
    (r#"{"position":[]}"#, "invalid_field", "/position"),
    (r#"{"position":["freestyle",15,"h8"]}"#, "invalid_field", "/position"),
    (r#"{"position":{}}"#, "missing_field", "/position/moves"),
    (r#"{"position":{"rule":"renju"}}"#, "missing_field", "/position/moves"),
    (r#"{"position":{"moves":"h8"},"extra":1}"#, "unknown_field", "/extra"),
    (r#"{"position":{"moves":"h8"},"a/b~c":1}"#, "unknown_field", "/a~1b~0c"),
    (r#"{"position":{"moves":"h8"},"":1}"#, "unknown_field", "/"),
    (r#"{"position":{"moves":"h8","extra":1}}"#, "unknown_field", "/position/extra"),
    (r#"{"position":{"moves":"h8","Moves":"h8"}}"#, "unknown_field", "/position/Moves"),
    (r#"{"position":{"moves":"h8","moves":"h8"}}"#, "invalid_field", "/position/moves"),
    // Rules.
    (r#"{"position":{"moves":"h8","rule":"go"}}"#, "unsupported_rule", "/position/rule"),
    (r#"{"position":{"moves":"h8","rule":"Renju"}}"#, "unsupported_rule", "/position/rule"),
    (r#"{"position":{"moves":"h8","rule":""}}"#, "unsupported_rule", "/position/rule"),
    (r#"{"position":{"moves":"h8","rule":"renju\u0000"}}"#, "unsupported_rule", "/position/rule"),
    (r#"{"position":{"moves":"h8","rule":4}}"#, "invalid_field", "/position/rule"),
    (r#"{"position":{"moves":"h8","rule":null}}"#, "invalid_field", "/position/rule"),
    (r#"{"position":{"moves":"h8","rule":["renju"]}}"#, "invalid_field", "/position/rule"),
    // Sizes.
    (r#"{"position":{"moves":"a1","size":4}}"#, "unsupported_size", "/position/size"),
    (r#"{"position":{"moves":"a1","size":26}}"#, "unsupported_size", "/position/size"),
    (r#"{"position":{"moves":"a1","size":0}}"#, "unsupported_size", "/position/size"),
    (r#"{"position":{"moves":"a1","size":-15}}"#, "unsupported_size", "/position/size"),
    (r#"{"position":{"moves":"a1","size":271}}"#, "unsupported_size", "/position/size"),
    (r#"{"position":{"moves":"a1","size":65551}}"#, "unsupported_size", "/position/size"),
    (r#"{"position":{"moves":"a1","size":4294967311}}"#, "unsupported_size", "/position/size"),
    (r#"{"position":{"moves":"a1","size":9223372036854775807}}"#, "unsupported_size", "/position/size"),
    (r#"{"position":{"moves":"a1","size":99999999999999999999}}"#, "invalid_field", "/position/size"),
    (r#"{"position":{"moves":"a1","size":15.0}}"#, "invalid_field", "/position/size"),
    (r#"{"position":{"moves":"a1","size":15.5}}"#, "invalid_field", "/position/size"),
    (r#"{"position":{"moves":"a1","size":1.5e1}}"#, "invalid_field", "/position/size"),
    (r#"{"position":{"moves":"a1","size":"15"}}"#, "invalid_field", "/position/size"),
    (r#"{"position":{"moves":"a1","size":null}}"#, "invalid_field", "/position/size"),
    (r#"{"position":{"moves":"a1","size":true}}"#, "invalid_field", "/position/size"),
    (r#"{"position":{"moves":"a1","size":[15]}}"#, "invalid_field", "/position/size"),
    // Moves as one text.
    (r#"{"position":{"moves":"8h"}}"#, "unreadable_notation", "/position/moves"),
    (r#"{"position":{"moves":"h8 nowhere i9"}}"#, "unreadable_notation", "/position/moves"),
    (r#"{"position":{"moves":"h8 i"}}"#, "unreadable_notation", "/position/moves"),
    (r#"{"position":{"moves":"h08"}}"#, "unreadable_notation", "/position/moves"),
    (r#"{"position":{"moves":"h100"}}"#, "unreadable_notation", "/position/moves"),
    (r#"{"position":{"moves":"h-1"}}"#, "unreadable_notation", "/position/moves"),
    (r#"{"position":{"moves":"h8\u0000i9"}}"#, "unreadable_notation", "/position/moves"),
    (r#"{"position":{"moves":"é8"}}"#, "unreadable_notation", "/position/moves"),
    (r#"{"position":{"moves":"h８"}}"#, "unreadable_notation", "/position/moves"),
    (r#"{"position":{"moves":"8"}}"#, "unreadable_notation", "/position/moves"),
    (r#"{"position":{"moves":5}}"#, "invalid_field", "/position/moves"),
    (r#"{"position":{"moves":null}}"#, "invalid_field", "/position/moves"),
    (r#"{"position":{"moves":{"row":7,"col":7}}}"#, "invalid_field", "/position/moves"),
    // Moves as a list.
    (r#"{"position":{"moves":["h8","nowhere"]}}"#, "unreadable_notation", "/position/moves/1"),
    (r#"{"position":{"moves":["h8i9"]}}"#, "unreadable_notation", "/position/moves/0"),
    (r#"{"position":{"moves":["h8",""]}}"#, "unreadable_notation", "/position/moves/1"),
    (r#"{"position":{"moves":["h8",null]}}"#, "invalid_field", "/position/moves/1"),
    (r#"{"position":{"moves":["h8",7]}}"#, "invalid_field", "/position/moves/1"),
    (r#"{"position":{"moves":["h8",[7,7]]}}"#, "invalid_field", "/position/moves/1"),
    (r#"{"position":{"moves":["h8",true]}}"#, "invalid_field", "/position/moves/1"),
    (r#"{"position":{"moves":["h8",{"row":7}]}}"#, "missing_field", "/position/moves/1/col"),
    (r#"{"position":{"moves":["h8",{"col":7}]}}"#, "missing_field", "/position/moves/1/row"),
    (r#"{"position":{"moves":["h8",{"row":7,"col":8,"x":1}]}}"#, "unknown_field", "/position/moves/1/x"),
    (r#"{"position":{"moves":["h8",{"row":"7","col":8}]}}"#, "invalid_field", "/position/moves/1/row"),
    (r#"{"position":{"moves":["h8",{"row":7,"col":8.0}]}}"#, "invalid_field", "/position/moves/1/col"),
    (r#"{"position":{"moves":["h8",{"row":7,"col":null}]}}"#, "invalid_field", "/position/moves/1/col"),
    // Boards.
    (r#"{"position":{"moves":"h8","board":[".....",".....",".....",".....","....."]}}"#, "ambiguous_source", "/position"),
    (r#"{"position":{"board":"....."}}"#, "invalid_field", "/position/board"),
    (r#"{"position":{"board":null}}"#, "invalid_field", "/position/board"),
    (r#"{"position":{"board":[]}}"#, "unsupported_size", "/position/board"),
    (r#"{"position":{"board":["....","....","....","...."]}}"#, "unsupported_size", "/position/board"),
    (r#"{"position":{"board":[".....",".....","......",".....","....."]}}"#, "invalid_field", "/position/board/2"),
    (r#"{"position":{"board":[".....",".....",".....",".....","..X.."]}}"#, "invalid_field", "/position/board/4"),
    (r#"{"position":{"board":[".....",".....",null,".....","....."]}}"#, "invalid_field", "/position/board/2"),
    (r#"{"position":{"board":[".....",".....",7,".....","....."]}}"#, "invalid_field", "/position/board/2"),
    (r#"{"position":{"board":[[0,0,0,0,0],[0,0,0,0,0],[0,0,3,0,0],[0,0,0,0,0],[0,0,0,0,0]]}}"#, "invalid_field", "/position/board/2"),
    (r#"{"position":{"size":15,"board":[".....",".....",".....",".....","....."]}}"#, "invalid_field", "/position/size"),
    (r#"{"position":{"board":[".....",".....","..o..",".....","....."]}}"#, "stone_count_mismatch", "/position/board"),
    (r#"{"position":{"board":["xxxxx",".....","ooooo",".....","....."]}}"#, "two_winners", "/position/board"),
    // Whose turn it is.
    (r#"{"position":{"moves":"h8","to_move":"white"}}"#, "invalid_field", "/position/to_move"),
    (r#"{"position":{"moves":"h8","setup":true}}"#, "invalid_field", "/position/setup"),
    (r#"{"position":{"board":[".....",".....",".....",".....","....."],"to_move":"red"}}"#, "invalid_field", "/position/to_move"),
    (r#"{"position":{"board":[".....",".....",".....",".....","....."],"setup":"yes"}}"#, "invalid_field", "/position/setup"),
];

#[rustfmt::skip]
const REPLAYS: &[Row] = &[
    (r#"{"position":{"moves":"h8i9"},"ply":3}"#, "limit_out_of_range", "/ply"),
    (r#"{"position":{"moves":"h8i9"},"ply":-1}"#, "limit_out_of_range", "/ply"),
    (r#"{"position":{"moves":"h8i9"},"ply":4294967296}"#, "limit_out_of_range", "/ply"),
    (r#"{"position":{"moves":"h8i9"},"ply":1.0}"#, "invalid_field", "/ply"),
    (r#"{"position":{"moves":"h8i9"},"ply":"1"}"#, "invalid_field", "/ply"),
    (r#"{"position":{"moves":"h8i9"},"ply":null}"#, "invalid_field", "/ply"),
    (r#"{"position":{"board":[".....",".....",".....",".....","....."]},"ply":0}"#, "invalid_field", "/ply"),
    (r#"{"position":{"moves":"h8"},"include":"all"}"#, "invalid_field", "/include"),
    (r#"{"position":{"moves":"h8"},"include":["states"]}"#, "invalid_field", "/include"),
    (r#"{"position":{"moves":"h8"},"include":null}"#, "invalid_field", "/include"),
    (r#"{"position":{"moves":"h8"},"count":1}"#, "unknown_field", "/count"),
];

/// What both endpoints refuse that search.
#[rustfmt::skip]
const SEARCHES: &[Row] = &[
    (r#"{"position":{"moves":"h8"},"limits":5}"#, "invalid_field", "/limits"),
    (r#"{"position":{"moves":"h8"},"limits":[5]}"#, "invalid_field", "/limits"),
    (r#"{"position":{"moves":"h8"},"limits":null}"#, "invalid_field", "/limits"),
    (r#"{"position":{"moves":"h8"},"limits":{"time_ms":0}}"#, "limit_out_of_range", "/limits/time_ms"),
    (r#"{"position":{"moves":"h8"},"limits":{"time_ms":"200"}}"#, "invalid_field", "/limits/time_ms"),
    (r#"{"position":{"moves":"h8"},"limits":{"seconds":1}}"#, "unknown_field", "/limits/seconds"),
    (r#"{"position":{"moves":"h8"},"time_ms":200}"#, "unknown_field", "/time_ms"),
    (r#"{"position":{"moves":"h8"},"limits":{"nodes":0}}"#, "limit_out_of_range", "/limits/nodes"),
    (r#"{"position":{"moves":"h8"},"limits":{"nodes":1000000001}}"#, "limit_out_of_range", "/limits/nodes"),
    (r#"{"position":{"moves":"h8"},"limits":{"nodes":1.5}}"#, "invalid_field", "/limits/nodes"),
    (r#"{"position":{"moves":"h8"},"limits":{"depth":0}}"#, "limit_out_of_range", "/limits/depth"),
    (r#"{"position":{"moves":"h8"},"limits":{"depth":101}}"#, "limit_out_of_range", "/limits/depth"),
    (r#"{"position":{"moves":"h8"},"limits":{"depth":null}}"#, "invalid_field", "/limits/depth"),
    (r#"{"position":{"moves":"h8"},"level":0}"#, "limit_out_of_range", "/level"),
    (r#"{"position":{"moves":"h8"},"level":11}"#, "limit_out_of_range", "/level"),
    (r#"{"position":{"moves":"h8"},"level":266}"#, "limit_out_of_range", "/level"),
    (r#"{"position":{"moves":"h8"},"level":"strong"}"#, "invalid_field", "/level"),
    (r#"{"position":{"moves":"h8"},"level":null}"#, "invalid_field", "/level"),
    (r#"{"position":{"moves":"h8"},"seed":-1}"#, "limit_out_of_range", "/seed"),
    (r#"{"position":{"moves":"h8"},"seed":9007199254740992}"#, "limit_out_of_range", "/seed"),
    (r#"{"position":{"moves":"h8"},"seed":18446744073709551615}"#, "invalid_field", "/seed"),
    (r#"{"position":{"moves":"h8"},"seed":"x"}"#, "invalid_field", "/seed"),
];

#[rustfmt::skip]
const HINTS: &[Row] = &[
    (r#"{"position":{"moves":"h8"},"count":0}"#, "limit_out_of_range", "/count"),
    (r#"{"position":{"moves":"h8"},"count":11}"#, "limit_out_of_range", "/count"),
    (r#"{"position":{"moves":"h8"},"count":-1}"#, "limit_out_of_range", "/count"),
    (r#"{"position":{"moves":"h8"},"count":257}"#, "limit_out_of_range", "/count"),
    (r#"{"position":{"moves":"h8"},"count":"3"}"#, "invalid_field", "/count"),
    (r#"{"position":{"moves":"h8"},"count":2.0}"#, "invalid_field", "/count"),
    (r#"{"position":{"moves":"h8"},"limits":{"time_ms":10001}}"#, "limit_out_of_range", "/limits/time_ms"),
    (r#"{"position":{"moves":"h8"},"reveal":"everything"}"#, "invalid_field", "/reveal"),
    (r#"{"position":{"moves":"h8"},"reveal":"Move"}"#, "invalid_field", "/reveal"),
    (r#"{"position":{"moves":"h8"},"reveal":["move"]}"#, "invalid_field", "/reveal"),
    (r#"{"position":{"moves":"h8"},"reveal":null}"#, "invalid_field", "/reveal"),
    (r#"{"position":{"moves":"h8"},"multi_pv":1}"#, "unknown_field", "/multi_pv"),
    (r#"{"position":{"moves":"h8"},"only_moves":["h8"]}"#, "unknown_field", "/only_moves"),
];

#[rustfmt::skip]
const ANALYSES: &[Row] = &[
    (r#"{"position":{"moves":"h8"},"limits":{"time_ms":30001}}"#, "limit_out_of_range", "/limits/time_ms"),
    (r#"{"position":{"moves":"h8"},"multi_pv":0}"#, "limit_out_of_range", "/multi_pv"),
    (r#"{"position":{"moves":"h8"},"multi_pv":21}"#, "limit_out_of_range", "/multi_pv"),
    (r#"{"position":{"moves":"h8"},"multi_pv":"all"}"#, "invalid_field", "/multi_pv"),
    (r#"{"position":{"moves":"h8"},"count":1}"#, "unknown_field", "/count"),
    (r#"{"position":{"moves":"h8"},"reveal":"kind"}"#, "unknown_field", "/reveal"),
    (r#"{"position":{"moves":"h8"},"pov":"red"}"#, "invalid_field", "/pov"),
    (r#"{"position":{"moves":"h8"},"pov":"BLACK"}"#, "invalid_field", "/pov"),
    (r#"{"position":{"moves":"h8"},"pov":null}"#, "invalid_field", "/pov"),
    (r#"{"position":{"moves":"h8"},"only_moves":[]}"#, "invalid_field", "/only_moves"),
    (r#"{"position":{"moves":"h8"},"only_moves":""}"#, "invalid_field", "/only_moves"),
    (r#"{"position":{"moves":"h8"},"only_moves":"8h"}"#, "unreadable_notation", "/only_moves"),
    (r#"{"position":{"moves":"h8"},"only_moves":["i9","nowhere"]}"#, "unreadable_notation", "/only_moves/1"),
    (r#"{"position":{"moves":"h8"},"only_moves":["i9",null]}"#, "invalid_field", "/only_moves/1"),
    (r#"{"position":{"moves":"h8"},"only_moves":["i9",{"row":1}]}"#, "missing_field", "/only_moves/1/col"),
    (r#"{"position":{"moves":"h8"},"only_moves":5}"#, "invalid_field", "/only_moves"),
    (r#"{"position":{"moves":"h8"},"only_moves":null}"#, "invalid_field", "/only_moves"),
    (r#"{"position":{"moves":"h8"},"avoid_moves":["i9",5]}"#, "invalid_field", "/avoid_moves/1"),
    (r#"{"position":{"moves":"h8"},"avoid_moves":{"row":1,"col":1}}"#, "invalid_field", "/avoid_moves"),
    (r#"{"position":{"moves":"h8"},"avoid_moves":"i9?"}"#, "unreadable_notation", "/avoid_moves"),
];

#[rustfmt::skip]
const REVIEWS: &[Row] = &[
    (r#"{"position":{"moves":"h8"},"limits":5}"#, "invalid_field", "/limits"),
    (r#"{"position":{"moves":"h8"},"limits":null}"#, "invalid_field", "/limits"),
    (r#"{"position":{"moves":"h8"},"limits":{"time_ms":0}}"#, "limit_out_of_range", "/limits/time_ms"),
    (r#"{"position":{"moves":"h8"},"limits":{"time_ms":30001}}"#, "limit_out_of_range", "/limits/time_ms"),
    (r#"{"position":{"moves":"h8"},"limits":{"time_ms":"200"}}"#, "invalid_field", "/limits/time_ms"),
    (r#"{"position":{"moves":"h8i9"},"limits":{"time_ms":30000}}"#, "use_job", "/limits/time_ms"),
    (r#"{"position":{"moves":"h8"},"limits":{"nodes":0}}"#, "limit_out_of_range", "/limits/nodes"),
    (r#"{"position":{"moves":"h8"},"limits":{"nodes":1000000001}}"#, "limit_out_of_range", "/limits/nodes"),
    (r#"{"position":{"moves":"h8"},"limits":{"depth":101}}"#, "limit_out_of_range", "/limits/depth"),
    (r#"{"position":{"moves":"h8"},"limits":{"seconds":1}}"#, "unknown_field", "/limits/seconds"),
    (r#"{"position":{"moves":"h8"},"pov":"red"}"#, "invalid_field", "/pov"),
    (r#"{"position":{"moves":"h8"},"pov":null}"#, "invalid_field", "/pov"),
    (r#"{"position":{"moves":"h8"},"theme":"blue"}"#, "invalid_field", "/theme"),
    (r#"{"position":{"moves":"h8"},"theme":1}"#, "invalid_field", "/theme"),
    (r#"{"position":{"moves":"h8"},"level":5}"#, "unknown_field", "/level"),
    (r#"{"position":{"moves":"h8"},"seed":1}"#, "unknown_field", "/seed"),
    (r#"{"position":{"moves":"h8"},"multi_pv":2}"#, "unknown_field", "/multi_pv"),
    (r#"{"position":{"board":[".....",".....",".....",".....","....."]}}"#, "missing_field", "/position/moves"),
];

/// What both endpoints refuse that solve.
#[rustfmt::skip]
const SOLVES: &[Row] = &[
    (r#"{"position":{"moves":"h8"},"limits":5}"#, "invalid_field", "/limits"),
    (r#"{"position":{"moves":"h8"},"limits":null}"#, "invalid_field", "/limits"),
    (r#"{"position":{"moves":"h8"},"limits":{"time_ms":0}}"#, "limit_out_of_range", "/limits/time_ms"),
    (r#"{"position":{"moves":"h8"},"limits":{"time_ms":30001}}"#, "limit_out_of_range", "/limits/time_ms"),
    (r#"{"position":{"moves":"h8"},"limits":{"nodes":0}}"#, "limit_out_of_range", "/limits/nodes"),
    (r#"{"position":{"moves":"h8"},"limits":{"depth":101}}"#, "limit_out_of_range", "/limits/depth"),
    (r#"{"position":{"moves":"h8"},"limits":{"seconds":1}}"#, "unknown_field", "/limits/seconds"),
    (r#"{"position":{"moves":"h8"},"class":"all"}"#, "invalid_field", "/class"),
    (r#"{"position":{"moves":"h8"},"class":"Fours"}"#, "invalid_field", "/class"),
    (r#"{"position":{"moves":"h8"},"class":null}"#, "invalid_field", "/class"),
    (r#"{"position":{"moves":"h8"},"class":4}"#, "invalid_field", "/class"),
    (r#"{"position":{"moves":"h8"},"level":5}"#, "unknown_field", "/level"),
    (r#"{"position":{"moves":"h8"},"count":1}"#, "unknown_field", "/count"),
];

#[rustfmt::skip]
const PROOFS: &[Row] = &[
    (r#"{"position":{"moves":"h8"},"attacker":"red"}"#, "invalid_field", "/attacker"),
    (r#"{"position":{"moves":"h8"},"attacker":null}"#, "invalid_field", "/attacker"),
    (r#"{"position":{"moves":"h8"},"shortest":"yes"}"#, "invalid_field", "/shortest"),
    (r#"{"position":{"moves":"h8"},"shortest":null}"#, "invalid_field", "/shortest"),
];

#[rustfmt::skip]
const DEFENCES: &[Row] = &[
    (r#"{"position":{"moves":"h8"},"class":"threats"}"#, "invalid_field", "/class"),
    (r#"{"position":{"moves":"h8"},"attacker":"black"}"#, "unknown_field", "/attacker"),
    (r#"{"position":{"moves":"h8"},"shortest":true}"#, "unknown_field", "/shortest"),
];

/// What is no certificate.
#[rustfmt::skip]
const CHECKS: &[Row] = &[
    ("null", "invalid_field", ""),
    ("7", "invalid_field", ""),
    ("{}", "missing_field", ""),
    (r#"{"version":1,"rule":"freestyle","size":5,"black":[],"white":[],"to_move":"black","attacker":"black"}"#, "missing_field", ""),
    (r#"{"version":1,"rule":"freestyle","size":5,"black":[],"white":[],"to_move":"black","attacker":"black","nodes":[],"x":1}"#, "unknown_field", "/x"),
    (r#"{"version":2,"rule":"freestyle","size":5,"black":[],"white":[],"to_move":"black","attacker":"black","nodes":[{"m":"a1"}]}"#, "invalid_field", "/version"),
    (r#"{"version":1,"rule":"go","size":5,"black":[],"white":[],"to_move":"black","attacker":"black","nodes":[{"m":"a1"}]}"#, "invalid_field", "/rule"),
    (r#"{"version":1,"rule":"freestyle","size":4,"black":[],"white":[],"to_move":"black","attacker":"black","nodes":[{"m":"a1"}]}"#, "invalid_field", "/size"),
    (r#"{"version":1,"rule":"freestyle","size":5,"black":["a1"],"white":["a1"],"to_move":"black","attacker":"black","nodes":[{"m":"a2"}]}"#, "invalid_field", "/white/0"),
    (r#"{"version":1,"rule":"freestyle","size":5,"black":["a1","8h"],"white":[],"to_move":"black","attacker":"black","nodes":[{"m":"a2"}]}"#, "invalid_field", "/black/1"),
    (r#"{"version":1,"rule":"freestyle","size":5,"black":[],"white":[],"to_move":"red","attacker":"black","nodes":[{"m":"a2"}]}"#, "invalid_field", "/to_move"),
    (r#"{"version":1,"rule":"freestyle","size":5,"black":[],"white":[],"to_move":"black","attacker":"black","nodes":[]}"#, "invalid_field", "/nodes"),
    (r#"{"version":1,"rule":"freestyle","size":5,"black":[],"white":[],"to_move":"black","attacker":"black","nodes":[5]}"#, "invalid_field", "/nodes/0"),
    (r#"{"version":1,"rule":"freestyle","size":5,"black":[],"white":[],"to_move":"black","attacker":"black","nodes":[{"m":"f6"}]}"#, "invalid_field", "/nodes/0"),
    (r#"{"version":1,"rule":"freestyle","size":5,"black":[],"white":[],"to_move":"black","attacker":"black","nodes":[{"m":"a1","o":7}]}"#, "invalid_field", "/nodes/0"),
    (r#"{"version":1,"rule":"freestyle","size":5,"black":[],"white":[],"to_move":"black","attacker":"black","nodes":[{"m":"a1","o":0}]}"#, "invalid_field", "/nodes/0"),
    (r#"{"version":1,"rule":"freestyle","size":5,"black":[],"white":[],"to_move":"black","attacker":"black","nodes":[{"o":1},{"m":"a1"}]}"#, "invalid_field", "/nodes/0"),
    (r#"{"version":1,"rule":"freestyle","size":5,"black":[],"white":[],"to_move":"white","attacker":"black","nodes":[{"m":"a1"}]}"#, "invalid_field", "/nodes/0/m"),
    (r#"{"version":1,"rule":"freestyle","size":5,"black":[],"white":[],"to_move":"black","attacker":"black","nodes":[{"m":"a1","o":1},{"m":"a2"},{"m":"a3"}]}"#, "invalid_field", "/nodes/2"),
];

#[rustfmt::skip]
const GAMES: &[Row] = &[
    (r#"{"position":{"moves":"h8"},"result":"nobody","termination":"other"}"#, "invalid_field", "/result"),
    (r#"{"position":{"moves":"h8"},"result":"Black","termination":"other"}"#, "invalid_field", "/result"),
    (r#"{"position":{"moves":"h8"},"result":1,"termination":"other"}"#, "invalid_field", "/result"),
    (r#"{"position":{"moves":"h8"},"result":"1-0","termination":"other"}"#, "invalid_field", "/result"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"checkmate"}"#, "invalid_field", "/termination"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":null}"#, "invalid_field", "/termination"),
    (r#"{"position":{"moves":"h8"},"result":"draw"}"#, "missing_field", "/termination"),
    (r#"{"position":{"moves":"h8"},"termination":"other"}"#, "missing_field", "/result"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"other","players":"A and B"}"#, "invalid_field", "/players"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"other","players":["A","B"]}"#, "invalid_field", "/players"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"other","players":{"red":"A"}}"#, "unknown_field", "/players/red"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"other","players":{"black":""}}"#, "invalid_field", "/players/black"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"other","players":{"black":"a\nb"}}"#, "invalid_field", "/players/black"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"other","players":{"white":"a\u0000"}}"#, "invalid_field", "/players/white"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"other","players":{"white":null}}"#, "invalid_field", "/players/white"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"other","event":7}"#, "invalid_field", "/event"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"other","round":3}"#, "invalid_field", "/round"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"other","played_at":"yesterday"}"#, "invalid_field", "/played_at"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"other","played_at":"2026-02-30T00:00:00Z"}"#, "invalid_field", "/played_at"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"other","played_at":"2026-11-30"}"#, "invalid_field", "/played_at"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"other","played_at":1764525600}"#, "invalid_field", "/played_at"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"other","tags":"one"}"#, "invalid_field", "/tags"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"other","tags":["one",2]}"#, "invalid_field", "/tags/1"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"other","tags":["one",null]}"#, "invalid_field", "/tags/1"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"other","tags":["one"," "]}"#, "invalid_field", "/tags/1"),
    (r#"{"position":{"moves":"h8"},"result":"draw","termination":"other","id":"mine"}"#, "unknown_field", "/id"),
];

/// What all pictures refuse.
#[rustfmt::skip]
const BOARDS: &[Row] = &[
    (r#"{"position":{"moves":"h8"},"count":1}"#, "unknown_field", "/count"),
    (r#"{"position":{"moves":"h8"},"coordinates":1}"#, "invalid_field", "/coordinates"),
    (r#"{"position":{"moves":"h8"},"coordinates":"true"}"#, "invalid_field", "/coordinates"),
    (r#"{"position":{"moves":"h8"},"coordinates":null}"#, "invalid_field", "/coordinates"),
    (r#"{"position":{"moves":"h8"},"symmetry":"mirror"}"#, "invalid_field", "/symmetry"),
    (r#"{"position":{"moves":"h8"},"symmetry":90}"#, "invalid_field", "/symmetry"),
    (r#"{"position":{"moves":"h8"},"symmetry":null}"#, "invalid_field", "/symmetry"),
    (r#"{"position":{"moves":"h8"},"forbidden":"yes"}"#, "invalid_field", "/forbidden"),
    (r#"{"position":{"moves":"h8"},"forbidden":null}"#, "invalid_field", "/forbidden"),
    (r#"{"position":{"moves":"h8"},"last_move":"h8"}"#, "invalid_field", "/last_move"),
    (r#"{"position":{"moves":"h8"},"last_move":null}"#, "invalid_field", "/last_move"),
    (r#"{"position":{"moves":"h8"},"last_move":8}"#, "invalid_field", "/last_move"),
    (r#"{"position":{"moves":"h8"},"last_move":"8h"}"#, "unreadable_notation", "/last_move"),
    (r#"{"position":{"board":[".....",".....","..x..",".....","....."]},"last_move":"a1"}"#, "invalid_field", "/last_move"),
    (r#"{"position":{"board":[".....",".....","..x..",".....","....."]},"last_move":"f6"}"#, "invalid_field", "/last_move"),
    (r#"{"position":{"board":[".....",".....","..x..",".....","....."]},"last_move":"pass"}"#, "invalid_field", "/last_move"),
    (r#"{"position":{"board":[".....",".....","..x..",".....","....."]},"last_move":{"row":2}}"#, "missing_field", "/last_move/col"),
    (r#"{"position":{"board":[".....",".....","..x..",".....","....."]},"last_move":{"row":2,"col":2,"x":2}}"#, "unknown_field", "/last_move/x"),
    (r#"{"position":{"moves":"h8"},"title":""}"#, "invalid_field", "/title"),
    (r#"{"position":{"moves":"h8"},"title":"a\nb"}"#, "invalid_field", "/title"),
    (r#"{"position":{"moves":"h8"},"title":"\u202e"}"#, "invalid_field", "/title"),
    (r#"{"position":{"moves":"h8"},"title":7}"#, "invalid_field", "/title"),
    (r#"{"position":{"moves":"h8"},"title":null}"#, "invalid_field", "/title"),
    (r#"{"position":{"moves":"h8"},"title":"A","players":{"black":"B"}}"#, "ambiguous_source", "/title"),
    (r#"{"position":{"moves":"h8"},"players":["A","B"]}"#, "invalid_field", "/players"),
    (r#"{"position":{"moves":"h8"},"players":{"red":"A"}}"#, "unknown_field", "/players/red"),
    (r#"{"position":{"moves":"h8"},"players":{"white":" "}}"#, "invalid_field", "/players/white"),
    (r#"{"position":{"moves":"h8"},"marks":5}"#, "invalid_field", "/marks"),
    (r#"{"position":{"moves":"h8"},"marks":null}"#, "invalid_field", "/marks"),
    (r#"{"position":{"moves":"h8"},"marks":{"cell":"a1","kind":"hint"}}"#, "invalid_field", "/marks"),
    (r#"{"position":{"moves":"h8"},"marks":"a1"}"#, "unreadable_notation", "/marks"),
    (r#"{"position":{"moves":"h8"},"marks":"a1:"}"#, "unreadable_notation", "/marks"),
    (r#"{"position":{"moves":"h8"},"marks":"a1:F"}"#, "unreadable_notation", "/marks"),
    (r#"{"position":{"moves":"h8"},"marks":"1a:!"}"#, "unreadable_notation", "/marks"),
    (r#"{"position":{"moves":"h8"},"marks":"a1:F:white:x"}"#, "unreadable_notation", "/marks"),
    (r#"{"position":{"moves":"h8"},"marks":"a1:F:red"}"#, "invalid_field", "/marks"),
    (r#"{"position":{"moves":"h8"},"marks":"a1:FF:white"}"#, "invalid_field", "/marks"),
    (r#"{"position":{"moves":"h8"},"marks":"a1:0"}"#, "limit_out_of_range", "/marks"),
    (r#"{"position":{"moves":"h8"},"marks":"p1:!"}"#, "invalid_field", "/marks"),
    (r#"{"position":{"moves":"h8"},"marks":"a1:! h8:1"}"#, "invalid_field", "/marks"),
    (r#"{"position":{"moves":"h8"},"marks":[null]}"#, "invalid_field", "/marks/0"),
    (r#"{"position":{"moves":"h8"},"marks":["a1:!"]}"#, "invalid_field", "/marks/0"),
    (r#"{"position":{"moves":"h8"},"marks":[["a1","hint"]]}"#, "invalid_field", "/marks/0"),
    (r#"{"position":{"moves":"h8"},"marks":[{"kind":"hint"}]}"#, "missing_field", "/marks/0/cell"),
    (r#"{"position":{"moves":"h8"},"marks":[{"cell":"a1"}]}"#, "missing_field", "/marks/0/kind"),
    (r#"{"position":{"moves":"h8"},"marks":[{"cell":"a1","kind":"star"}]}"#, "invalid_field", "/marks/0/kind"),
    (r#"{"position":{"moves":"h8"},"marks":[{"cell":"8h","kind":"hint"}]}"#, "unreadable_notation", "/marks/0/cell"),
    (r#"{"position":{"moves":"h8"},"marks":[{"cell":"z1","kind":"hint"}]}"#, "invalid_field", "/marks/0/cell"),
    (r#"{"position":{"moves":"h8"},"marks":[{"cell":"a1","kind":"hint","rank":0}]}"#, "limit_out_of_range", "/marks/0/rank"),
    (r#"{"position":{"moves":"h8"},"marks":[{"cell":"a1","kind":"hint","rank":100}]}"#, "limit_out_of_range", "/marks/0/rank"),
    (r#"{"position":{"moves":"h8"},"marks":[{"cell":"a1","kind":"hint","rank":"1"}]}"#, "invalid_field", "/marks/0/rank"),
    (r#"{"position":{"moves":"h8"},"marks":[{"cell":"a1","kind":"hint","by":"white"}]}"#, "invalid_field", "/marks/0/by"),
    (r#"{"position":{"moves":"h8"},"marks":[{"cell":"a1","kind":"forbidden","rank":1}]}"#, "invalid_field", "/marks/0/rank"),
    (r#"{"position":{"moves":"h8"},"marks":[{"cell":"a1","kind":"threat","letter":"F"}]}"#, "missing_field", "/marks/0/by"),
    (r#"{"position":{"moves":"h8"},"marks":[{"cell":"a1","kind":"threat","by":"white"}]}"#, "missing_field", "/marks/0/letter"),
    (r#"{"position":{"moves":"h8"},"marks":[{"cell":"a1","kind":"threat","by":"white","letter":"X"}]}"#, "invalid_field", "/marks/0/letter"),
    (r#"{"position":{"moves":"h8"},"marks":[{"cell":"a1","kind":"hint"},{"cell":"h8","kind":"hint"}]}"#, "invalid_field", "/marks/1"),
    (r#"{"position":{"moves":"h8"},"marks":[{"cell":"a1","kind":"hint","note":"?"}]}"#, "unknown_field", "/marks/0/note"),
];

/// What pictures with colours refuse.
#[rustfmt::skip]
const COLORED: &[Row] = &[
    (r#"{"position":{"moves":"h8"},"theme":"Dark"}"#, "invalid_field", "/theme"),
    (r#"{"position":{"moves":"h8"},"theme":1}"#, "invalid_field", "/theme"),
    (r#"{"position":{"moves":"h8"},"theme":null}"#, "invalid_field", "/theme"),
    (r#"{"position":{"moves":"h8"},"numbers":"all"}"#, "invalid_field", "/numbers"),
    (r#"{"position":{"moves":"h8"},"numbers":null}"#, "invalid_field", "/numbers"),
    (r#"{"position":{"board":[".....",".....","..x..",".....","....."]},"numbers":true}"#, "invalid_field", "/numbers"),
];

#[rustfmt::skip]
const PIXELS: &[Row] = &[
    (r#"{"position":{"moves":"h8"},"pixels":63}"#, "limit_out_of_range", "/pixels"),
    (r#"{"position":{"moves":"h8"},"pixels":4097}"#, "limit_out_of_range", "/pixels"),
    (r#"{"position":{"moves":"h8"},"pixels":-800}"#, "limit_out_of_range", "/pixels"),
    (r#"{"position":{"moves":"h8"},"pixels":66336}"#, "limit_out_of_range", "/pixels"),
    (r#"{"position":{"moves":"h8"},"pixels":"800"}"#, "invalid_field", "/pixels"),
    (r#"{"position":{"moves":"h8"},"pixels":800.5}"#, "invalid_field", "/pixels"),
];

/// What a picture refuses that is not in colour.
#[rustfmt::skip]
const PLAIN: &[Row] = &[
    (r#"{"position":{"moves":"h8"},"theme":"dark"}"#, "unknown_field", "/theme"),
    (r#"{"position":{"moves":"h8"},"numbers":false}"#, "unknown_field", "/numbers"),
    (r#"{"position":{"moves":"h8"},"pixels":800}"#, "unknown_field", "/pixels"),
];

#[rustfmt::skip]
const CONVERSIONS: &[Row] = &[
    ("null", "invalid_field", ""),
    ("[]", "invalid_field", ""),
    (r#"["sgf","moves","h8"]"#, "invalid_field", ""),
    (r#"{"to":"sgf"}"#, "missing_field", "/text"),
    (r#"{"text":"h8"}"#, "missing_field", "/to"),
    (r#"{"to":"sgf","text":"h8","octets":"aDg="}"#, "ambiguous_source", "/octets"),
    (r#"{"to":"sgf","text":"h8","position":{"moves":"h8"}}"#, "unknown_field", "/position"),
    (r#"{"to":"sgf","text":"h8","format":"sgf"}"#, "unknown_field", "/format"),
    (r#"{"to":"SGF","text":"h8"}"#, "invalid_field", "/to"),
    (r#"{"to":"pdf","text":"h8"}"#, "invalid_field", "/to"),
    (r#"{"to":null,"text":"h8"}"#, "invalid_field", "/to"),
    (r#"{"to":["sgf"],"text":"h8"}"#, "invalid_field", "/to"),
    (r#"{"to":"rif","text":"h8"}"#, "invalid_field", "/to"),
    (r#"{"to":"renlib","text":"h8"}"#, "invalid_field", "/to"),
    (r#"{"to":"playok","text":"h8"}"#, "invalid_field", "/to"),
    (r#"{"from":"pgn","to":"sgf","text":"h8"}"#, "invalid_field", "/from"),
    (r#"{"from":null,"to":"sgf","text":"h8"}"#, "invalid_field", "/from"),
    (r#"{"from":"renlib","to":"sgf","text":"h8"}"#, "invalid_field", "/from"),
    (r#"{"to":"sgf","text":5}"#, "invalid_field", "/text"),
    (r#"{"to":"sgf","text":null}"#, "invalid_field", "/text"),
    (r#"{"to":"sgf","text":["h8"]}"#, "invalid_field", "/text"),
    (r#"{"to":"sgf","text":""}"#, "invalid_field", "/text"),
    (r#"{"to":"sgf","text":"hello"}"#, "invalid_field", "/text"),
    (r#"{"from":"moves","to":"sgf","text":""}"#, "invalid_field", "/text"),
    (r#"{"from":"moves","to":"sgf","text":"hello"}"#, "unreadable_notation", "/text"),
    (r#"{"from":"sgf","to":"moves","text":"h8 i9"}"#, "invalid_field", "/text"),
    (r#"{"to":"sgf","text":"h8 h8"}"#, "invalid_field", "/text"),
    (r#"{"to":"sgf","octets":"h8"}"#, "invalid_field", "/octets"),
    (r#"{"to":"sgf","octets":"aDg"}"#, "invalid_field", "/octets"),
    (r#"{"to":"sgf","octets":"aD g="}"#, "invalid_field", "/octets"),
    (r#"{"to":"sgf","octets":7}"#, "invalid_field", "/octets"),
    (r#"{"to":"sgf","octets":""}"#, "invalid_field", "/octets"),
    (r#"{"to":"sgf","octets":"/1JlbkxpYv8="}"#, "invalid_field", "/octets"),
    (r#"{"to":"sgf","text":"h8","rule":"go"}"#, "unsupported_rule", "/rule"),
    (r#"{"to":"sgf","text":"h8","rule":null}"#, "invalid_field", "/rule"),
    (r#"{"to":"sgf","text":"a1","size":4}"#, "unsupported_size", "/size"),
    (r#"{"to":"sgf","text":"a1","size":26}"#, "unsupported_size", "/size"),
    (r#"{"to":"sgf","text":"a1","size":"15"}"#, "invalid_field", "/size"),
];

/// Queries that are refused for one fault: path and query, status, code and name.
#[rustfmt::skip]
const QUERIES: &[(&str, u16, &str, &str)] = &[
    ("/v1/replays", 422, "missing_field", "moves"),
    ("/v1/replays?rule=renju", 422, "missing_field", "moves"),
    ("/v1/replays?moves=h8&extra=1", 400, "unknown_query_parameter", "extra"),
    ("/v1/replays?moves=h8&Rule=renju", 400, "unknown_query_parameter", "Rule"),
    ("/v1/replays?moves=h8&count=1", 400, "unknown_query_parameter", "count"),
    ("/v1/replays?moves=h8&position=h8", 400, "unknown_query_parameter", "position"),
    ("/v1/replays?moves=h8&moves=i9", 422, "invalid_field", "moves"),
    ("/v1/replays?moves=h8&rule=renju&rule=renju", 422, "invalid_field", "rule"),
    ("/v1/replays?moves=h8&ply=1&ply=1", 422, "invalid_field", "ply"),
    ("/v1/replays?moves=8h", 422, "unreadable_notation", "moves"),
    ("/v1/replays?moves=%zz", 422, "unreadable_notation", "moves"),
    ("/v1/replays?moves=h8%", 422, "unreadable_notation", "moves"),
    ("/v1/replays?moves=h8%00i9", 422, "unreadable_notation", "moves"),
    ("/v1/replays?moves=h8&rule=go", 422, "unsupported_rule", "rule"),
    ("/v1/replays?moves=h8&rule=", 422, "unsupported_rule", "rule"),
    ("/v1/replays?moves=h8&size=4", 422, "unsupported_size", "size"),
    ("/v1/replays?moves=h8&size=26", 422, "unsupported_size", "size"),
    ("/v1/replays?moves=h8&size=fifteen", 422, "invalid_field", "size"),
    ("/v1/replays?moves=h8&size=15.0", 422, "invalid_field", "size"),
    ("/v1/replays?moves=h8&size=", 422, "invalid_field", "size"),
    ("/v1/replays?moves=h8&size=99999999999999999999", 422, "invalid_field", "size"),
    ("/v1/replays?moves=h8i9&ply=3", 422, "limit_out_of_range", "ply"),
    ("/v1/replays?moves=h8i9&ply=one", 422, "invalid_field", "ply"),
    ("/v1/replays?moves=h8&include=all", 422, "invalid_field", "include"),
    ("/v1/replays?moves=h8&to_move=white", 422, "invalid_field", "to_move"),
    ("/v1/replays?board=...../...../...../...../.....&setup=1", 422, "invalid_field", "setup"),
    ("/v1/replays?board=...../...../...../...../....", 422, "invalid_field", "board"),
    ("/v1/replays?board=", 422, "unsupported_size", "board"),
    ("/v1/legal-moves?moves=h8&ply=1", 400, "unknown_query_parameter", "ply"),
    ("/v1/threats", 422, "missing_field", "moves"),
    ("/v1/threats?moves=h8&limit=1", 400, "unknown_query_parameter", "limit"),
    ("/v1/threats?board=...../...../..x../...../.....&to_move=red", 422, "invalid_field", "to_move"),
    ("/v1/hints?moves=h8&count=0", 422, "limit_out_of_range", "count"),
    ("/v1/hints?moves=h8&count=11", 422, "limit_out_of_range", "count"),
    ("/v1/hints?moves=h8&count=many", 422, "invalid_field", "count"),
    ("/v1/hints?moves=h8&time_ms=0", 422, "limit_out_of_range", "time_ms"),
    ("/v1/hints?moves=h8&time_ms=soon", 422, "invalid_field", "time_ms"),
    ("/v1/hints?moves=h8&limits=5", 400, "unknown_query_parameter", "limits"),
    ("/v1/hints?moves=h8&nodes=0", 422, "limit_out_of_range", "nodes"),
    ("/v1/hints?moves=h8&depth=deep", 422, "invalid_field", "depth"),
    ("/v1/hints?moves=h8&level=11", 422, "limit_out_of_range", "level"),
    ("/v1/hints?moves=h8&reveal=all", 422, "invalid_field", "reveal"),
    ("/v1/hints?moves=h8&seed=-1", 422, "limit_out_of_range", "seed"),
    ("/v1/hints?moves=h8&pov=black", 400, "unknown_query_parameter", "pov"),
    ("/v1/proofs?moves=h8&class=all", 422, "invalid_field", "class"),
    ("/v1/proofs?moves=h8&attacker=red", 422, "invalid_field", "attacker"),
    ("/v1/proofs?moves=h8&shortest=1", 422, "invalid_field", "shortest"),
    ("/v1/proofs?moves=8h", 422, "unreadable_notation", "moves"),
    ("/v1/defences?moves=h8&class=threats", 422, "invalid_field", "class"),
    ("/v1/defences?moves=h8&attacker=white", 400, "unknown_query_parameter", "attacker"),
    ("/v1/analyses?moves=h8&multi_pv=21", 422, "limit_out_of_range", "multi_pv"),
    ("/v1/analyses?moves=h8&only_moves=8h", 422, "unreadable_notation", "only_moves"),
    ("/v1/analyses?moves=h8&only_moves=", 422, "invalid_field", "only_moves"),
    ("/v1/analyses?moves=h8&pov=red", 422, "invalid_field", "pov"),
    ("/v1/analyses?moves=h8&time_ms=30001", 422, "limit_out_of_range", "time_ms"),
    ("/v1/analyses?moves=h8&count=1", 400, "unknown_query_parameter", "count"),
    ("/v1/boards.svg", 422, "missing_field", "moves"),
    ("/v1/boards.svg?moves=h8&theme=blue", 422, "invalid_field", "theme"),
    ("/v1/boards.svg?moves=h8&numbers=1", 422, "invalid_field", "numbers"),
    ("/v1/boards.svg?moves=h8&coordinates=no", 422, "invalid_field", "coordinates"),
    ("/v1/boards.svg?moves=h8&symmetry=none", 422, "invalid_field", "symmetry"),
    ("/v1/boards.svg?moves=h8&marks=h8:1", 422, "invalid_field", "marks"),
    ("/v1/boards.svg?moves=h8&marks=i9", 422, "unreadable_notation", "marks"),
    ("/v1/boards.svg?moves=h8&last_move=h8", 422, "invalid_field", "last_move"),
    ("/v1/boards.svg?board=...../...../...../...../.....&last_move=a1", 422, "invalid_field", "last_move"),
    ("/v1/boards.svg?moves=h8&title=A&black=B", 422, "ambiguous_source", "title"),
    ("/v1/boards.svg?moves=h8&white=", 422, "invalid_field", "white"),
    ("/v1/boards.svg?moves=h8&pixels=800", 400, "unknown_query_parameter", "pixels"),
    ("/v1/boards.svg?moves=h8&players=A", 400, "unknown_query_parameter", "players"),
    ("/v1/boards.png?moves=h8&pixels=63", 422, "limit_out_of_range", "pixels"),
    ("/v1/boards.png?moves=h8&pixels=large", 422, "invalid_field", "pixels"),
    ("/v1/boards.txt?moves=h8&theme=dark", 400, "unknown_query_parameter", "theme"),
    ("/v1/games/019357a4-6c00-7000-8000-000000000000/review?nodes=0", 422, "limit_out_of_range", "nodes"),
    ("/v1/games/019357a4-6c00-7000-8000-000000000000/review?time_ms=soon", 422, "invalid_field", "time_ms"),
    ("/v1/games/019357a4-6c00-7000-8000-000000000000/review?pov=red", 422, "invalid_field", "pov"),
    ("/v1/games/019357a4-6c00-7000-8000-000000000000/review?theme=blue", 422, "invalid_field", "theme"),
    ("/v1/games/019357a4-6c00-7000-8000-000000000000/review?level=3", 400, "unknown_query_parameter", "level"),
    ("/v1/games/019357a4-6c00-7000-8000-000000000000/review?moves=h8", 400, "unknown_query_parameter", "moves"),
    ("/v1/games?limit=0", 422, "limit_out_of_range", "limit"),
    ("/v1/games?limit=201", 422, "limit_out_of_range", "limit"),
    ("/v1/games?limit=-1", 422, "limit_out_of_range", "limit"),
    ("/v1/games?limit=ten", 422, "invalid_field", "limit"),
    ("/v1/games?cursor=x", 400, "malformed_cursor", "cursor"),
    ("/v1/games?offset=10", 400, "unknown_query_parameter", "offset"),
    ("/v1/meta?x=1", 400, "unknown_query_parameter", "x"),
    ("/v1/rules?rule=renju", 400, "unknown_query_parameter", "rule"),
    ("/healthz?x=1", 400, "unknown_query_parameter", "x"),
];

/// Bodies that are not JSON in UTF-8.
const MALFORMED: &[&[u8]] = &[
    b"",
    b" \r\n\t",
    b"h8i9j7",
    b"{",
    b"}",
    b"{\"position\"",
    b"{\"position\":{\"moves\":\"h8\"}",
    b"{\"position\":{\"moves\":\"h8}}",
    b"{\"position\":{\"moves\":\"h8\"}}}",
    b"{\"position\":{\"moves\":\"h8\"}} and more",
    b"{\"position\":{\"moves\":\"h8\"}}{\"position\":{\"moves\":\"h8\"}}",
    b"{'position':{'moves':'h8'}}",
    b"{position:{moves:\"h8\"}}",
    b"{\"position\":{\"moves\":\"h8\",}}",
    b"{\"position\":{\"moves\":[\"h8\",]}}",
    b"{\"position\":{\"moves\":\"h8\"}/*why*/}",
    b"{\"position\":{\"moves\":\"h8\",\"size\":NaN}}",
    b"{\"position\":{\"moves\":\"h8\",\"size\":Infinity}}",
    b"{\"position\":{\"moves\":\"h8\",\"size\":+15}}",
    b"{\"position\":{\"moves\":\"h8\",\"size\":015}}",
    b"{\"position\":{\"moves\":\"h8\",\"size\":0x0f}}",
    b"{\"position\":{\"moves\":\"h8\ni9\"}}",
    b"{\"position\":{\"moves\":\"\\x68\"}}",
    b"{\"position\":{\"moves\":\"\xff\"}}",
    b"{\"position\":{\"moves\":\"\xc3\"}}",
    b"\xfe\xff\0{\0}",
];

/// The code of a whole answer whose first fault has this code.
fn heading(code: &str) -> &str {
    match code {
        "stone_count_mismatch" | "two_winners" => "illegal_position",
        other => other,
    }
}

/// What is wrong with an answer that should tell exactly one fault; none if nothing is.
fn wrong_answer(answer: &Answer, status: u16, code: &str, pointer: &str) -> Option<String> {
    let told = match answer.check_problem(status, heading(code)) {
        Ok(problem) => faults_of(&problem),
        Err(what) => return Some(format!("{what}: {} {}", answer.status, shown(answer))),
    };
    let expected = [(pointer.to_owned(), code.to_owned())];
    (told != expected).then(|| format!("{told:?} instead of {expected:?}"))
}

/// The beginning of an answer.
fn shown(answer: &Answer) -> String {
    answer.text().chars().take(400).collect()
}

/// Asks all rows and gathers what goes wrong, so that a failure tells everything at once.
fn refuse_all(client: &Client, path: &str, rows: &[Row], wrong: &mut Vec<String>) {
    for (body, code, pointer) in rows {
        let answer = client.raw(&request("POST", path.as_bytes(), &[JSON], body.as_bytes()));
        if let Some(what) = wrong_answer(&answer, 422, code, pointer) {
            wrong.push(format!("POST {path} {body}\n    {what}"));
        }
    }
}

fn refuse_queries(client: &Client, wrong: &mut Vec<String>) {
    for (target, status, code, name) in QUERIES {
        let answer = client.raw(&request("GET", target.as_bytes(), &[], b""));
        if let Some(what) = wrong_answer(&answer, *status, code, name) {
            wrong.push(format!("GET {target}\n    {what}"));
        }
    }
    // A query is read on a POST too.
    for path in READERS {
        for name in ["rule", "extra"] {
            let target = format!("{path}?{name}=renju");
            let body = br#"{"position":{"moves":"h8"}}"#;
            let answer = client.raw(&request("POST", target.as_bytes(), &[JSON], body));
            if let Some(what) = wrong_answer(&answer, 400, "unknown_query_parameter", name) {
                wrong.push(format!("POST {target}\n    {what}"));
            }
        }
    }
}

fn refuse_malformed(client: &Client, wrong: &mut Vec<String>) {
    let deep_list = "[".repeat(50_000);
    let deep_object = "{\"position\":".repeat(5_000);
    let deep = [deep_list.as_bytes(), deep_object.as_bytes()];
    for path in READERS {
        for body in MALFORMED.iter().copied().chain(deep) {
            let answer = client.raw(&request("POST", path.as_bytes(), &[JSON], body));
            if let Err(what) = answer.check_problem(400, "malformed_json") {
                let start: String = String::from_utf8_lossy(body).chars().take(60).collect();
                wrong.push(format!(
                    "POST {path} {start}\n    {what}: {}",
                    shown(&answer)
                ));
            }
        }
    }
}

const BODY: &[u8] = br#"{"position":{"moves":"h8"}}"#;
const JSON: (&str, &str) = ("Content-Type", "application/json");

/// A request whose headers, path or method are wrong, whatever is in its body: method, path, headers,
/// body, status and code.
type Wrapping = (
    &'static str,
    &'static str,
    &'static [(&'static str, &'static str)],
    &'static [u8],
    u16,
    &'static str,
);

#[rustfmt::skip]
const WRAPPINGS: &[Wrapping] = &[
    ("POST", "/v1/replays", &[], BODY, 415, "unsupported_media_type"),
    ("POST", "/v1/replays", &[("Content-Type", "")], BODY, 415, "unsupported_media_type"),
    ("POST", "/v1/replays", &[("Content-Type", "text/plain")], BODY, 415, "unsupported_media_type"),
    ("POST", "/v1/replays", &[("Content-Type", "text/json")], BODY, 415, "unsupported_media_type"),
    ("POST", "/v1/replays", &[("Content-Type", "application/x-www-form-urlencoded")], b"moves=h8", 415, "unsupported_media_type"),
    ("POST", "/v1/replays", &[("Content-Type", "application/json; charset=latin1")], BODY, 415, "unsupported_media_type"),
    ("POST", "/v1/replays", &[("Content-Type", "application/json; charset=utf-16")], BODY, 415, "unsupported_media_type"),
    ("POST", "/v1/replays", &[JSON, ("Content-Encoding", "gzip")], b"\x1f\x8b\x08\0", 415, "unsupported_media_type"),
    ("POST", "/v1/games", &[("Content-Type", "application/x-ndjson")], BODY, 415, "unsupported_media_type"),
    ("POST", "/v1/replays", &[JSON, ("Accept", "text/html")], BODY, 406, "not_acceptable"),
    ("PUT", "/v1/games", &[JSON], BODY, 405, "method_not_allowed"),
    ("PUT", "/v1/games/019357a4-6c00-7000-8000-000000000000", &[JSON], BODY, 405, "method_not_allowed"),
    ("PATCH", "/v1/games/019357a4-6c00-7000-8000-000000000000", &[JSON], BODY, 422, "unknown_field"),
    ("PATCH", "/v1/games/019357a4-6c00-7000-8000-000000000000", &[JSON], b"{}", 404, "game_not_found"),
    ("PATCH", "/v1/games/019357a4-6c00-7000-8000-000000000000", &[("Content-Type", "text/plain")], b"{}", 415, "unsupported_media_type"),
    ("DELETE", "/v1/games/019357a4-6c00-7000-8000-000000000000", &[], b"", 404, "game_not_found"),
    ("DELETE", "/v1/games/019357a4-6c00-7000-8000-000000000000?x=1", &[], b"", 400, "unknown_query_parameter"),
    ("DELETE", "/v1/games", &[], b"", 405, "method_not_allowed"),
    ("POST", "/v1/games/019357a4-6c00-7000-8000-000000000000/positions/1", &[JSON], BODY, 405, "method_not_allowed"),
    ("GET", "/v1/games/019357a4-6c00-7000-8000-000000000000/positions/1", &[], b"", 404, "game_not_found"),
    ("GET", "/v1/reviews", &[], b"", 405, "method_not_allowed"),
    ("POST", "/v1/reviews", &[JSON, ("Accept", "image/png")], BODY, 406, "not_acceptable"),
    ("POST", "/v1/games/019357a4-6c00-7000-8000-000000000000/review", &[JSON], BODY, 405, "method_not_allowed"),
    ("GET", "/v1/games/019357a4-6c00-7000-8000-000000000000/review", &[], b"", 404, "game_not_found"),
    ("GET", "/v1/games/x/review", &[], b"", 404, "game_not_found"),
    ("POST", "/v1/boards.svg", &[JSON, ("Accept", "image/png")], BODY, 406, "not_acceptable"),
    ("DELETE", "/v1/boards.png", &[], b"", 405, "method_not_allowed"),
    ("GET", "/v1/conversions", &[], b"", 405, "method_not_allowed"),
    ("POST", "/v1/meta", &[JSON], BODY, 405, "method_not_allowed"),
    ("POST", "/v1/replay", &[JSON], BODY, 404, "route_not_found"),
    ("GET", "/v1/jobs", &[], b"", 405, "method_not_allowed"),
    ("GET", "/v1/jobs/x", &[], b"", 404, "job_not_found"),
    ("GET", "/v1/jobs/019357a4-6c00-7000-8000-000000000000", &[], b"", 404, "job_not_found"),
    ("GET", "/v1/jobs/019357A4-6C00-7000-8000-000000000000", &[], b"", 404, "job_not_found"),
    ("GET", "/v1/jobs/019357a4-6c00-7000-8000-000000000000/events", &[], b"", 404, "job_not_found"),
    ("GET", "/v1/jobs/x/events", &[("Accept", "application/json")], b"", 406, "not_acceptable"),
    ("GET", "/v1/jobs/x/events", &[("Last-Event-ID", "x")], b"", 422, "invalid_field"),
    ("POST", "/v1/jobs/019357a4-6c00-7000-8000-000000000000/cancellation", &[], b"", 404, "job_not_found"),
    ("POST", "/v1/jobs/x/cancellation", &[("Accept", "text/html")], b"", 406, "not_acceptable"),
    ("POST", "/v1/jobs/x/cancellation?x=1", &[], b"", 400, "unknown_query_parameter"),
];

fn refuse_wrappings(client: &Client, wrong: &mut Vec<String>) {
    for (method, path, headers, body, status, code) in WRAPPINGS {
        let answer = client.raw(&request(method, path.as_bytes(), headers, body));
        if let Err(what) = answer.check_problem(*status, code) {
            let answer = shown(&answer);
            wrong.push(format!("{method} {path} {headers:?}\n    {what}: {answer}"));
        }
    }
    let huge = format!(
        "{{\"position\":{{\"moves\":\"{}\"}}}}",
        "h8".repeat(600_000)
    );
    // The body of a job may be a file.
    for path in READERS.iter().filter(|path| **path != "/v1/jobs") {
        let answer = client.raw(&request("POST", path.as_bytes(), &[JSON], huge.as_bytes()));
        if let Err(what) = answer.check_problem(413, "body_too_large") {
            wrong.push(format!(
                "POST {path}, 1 200 000 octets\n    {what}: {}",
                shown(&answer)
            ));
        }
    }
    for target in [
        "/",
        "/v1",
        "/v1/",
        "/v1/replays/",
        "//v1/meta",
        "/V1/meta",
        "/v1/meta/x",
        "/v1/%6deta%00",
        "/v1/problems/",
        "/v1/games/",
        "/v1/boards",
        "/v1/boards.gif",
    ] {
        let answer = client.raw(&request("GET", target.as_bytes(), &[], b""));
        if let Err(what) = answer.check_problem(404, "route_not_found") {
            wrong.push(format!("GET {target}\n    {what}: {}", shown(&answer)));
        }
    }
}

#[test]
fn every_wrong_request_is_refused_at_its_place_and_changes_nothing() {
    let server = Server::start();
    for number in 0..3 {
        let game = json!({"position": {"moves": "h8i9"}, "result": "black", "termination": "timeout", "round": number.to_string()});
        server.keep_game(&game).json_of(201);
    }
    let before = server.games("");
    let replay = json!({"position": {"rule": "renju", "moves": "h7a1h9c1g8e1i8g1h8"}});
    let replayed = server.replay(&replay);

    let mut wrong = Vec::new();
    for path in POSITIONED {
        let rows = POSITIONS.iter().copied();
        // A board is no game at all, whatever else is wrong with it.
        let rows: Vec<_> = rows
            .filter(|row| !["/v1/games", "/v1/reviews"].contains(path) || !row.0.contains("board"))
            .collect();
        refuse_all(&server, path, &rows, &mut wrong);
    }
    refuse_all(&server, "/v1/replays", REPLAYS, &mut wrong);
    for path in ["/v1/hints", "/v1/analyses"] {
        refuse_all(&server, path, SEARCHES, &mut wrong);
    }
    refuse_all(&server, "/v1/hints", HINTS, &mut wrong);
    refuse_all(&server, "/v1/analyses", ANALYSES, &mut wrong);
    refuse_all(&server, "/v1/reviews", REVIEWS, &mut wrong);
    for path in ["/v1/proofs", "/v1/defences"] {
        refuse_all(&server, path, SOLVES, &mut wrong);
    }
    refuse_all(&server, "/v1/proofs", PROOFS, &mut wrong);
    refuse_all(&server, "/v1/defences", DEFENCES, &mut wrong);
    refuse_all(&server, "/v1/proof-checks", CHECKS, &mut wrong);
    for path in ["/v1/boards.svg", "/v1/boards.png", "/v1/boards.txt"] {
        refuse_all(&server, path, BOARDS, &mut wrong);
    }
    for path in ["/v1/boards.svg", "/v1/boards.png"] {
        refuse_all(&server, path, COLORED, &mut wrong);
    }
    refuse_all(&server, "/v1/boards.png", PIXELS, &mut wrong);
    refuse_all(&server, "/v1/boards.svg", &PLAIN[2..], &mut wrong);
    refuse_all(&server, "/v1/boards.txt", PLAIN, &mut wrong);
    refuse_all(&server, "/v1/conversions", CONVERSIONS, &mut wrong);
    refuse_all(&server, "/v1/batches", BATCHES, &mut wrong);
    refuse_all(&server, "/v1/jobs", JOBS, &mut wrong);
    refuse_all(&server, "/v1/games", GAMES, &mut wrong);
    refuse_queries(&server, &mut wrong);
    refuse_malformed(&server, &mut wrong);
    refuse_wrappings(&server, &mut wrong);
    assert!(
        wrong.is_empty(),
        "{} are answered otherwise:\n{}",
        wrong.len(),
        wrong.join("\n")
    );

    assert_eq!(server.games("").text(), before.text());
    assert_eq!(server.replay(&replay).text(), replayed.text());
    assert!(!server.log().contains("panicked"), "{}", server.log());
}

#[test]
fn a_query_that_is_not_utf_8_is_malformed() {
    let server = shared();
    for target in [
        "/v1/replays?moves=%ff",
        "/v1/replays?moves=h8&rule=%c3%28",
        "/v1/games?player=%ff",
    ] {
        let answer = server.get(target);
        let problem = answer.json();
        assert!(matches!(answer.status, 400 | 422), "{problem}");
        let faults = faults_of(&problem);
        assert_eq!(
            faults.len(),
            1,
            "the name is told once, with what is wrong: {problem}"
        );
        assert!(target.contains(&format!("{}=%", faults[0].0)), "{problem}");
    }
}

/// All faults of an answer to a POST, sorted.
#[track_caller]
fn sorted_faults(client: &Client, path: &str, body: &Value) -> Vec<(String, String)> {
    sorted_faults_of(&client.post(path, body))
}

/// All faults of an answer, sorted; the code of the whole is that of the first.
#[track_caller]
fn sorted_faults_of(answer: &Answer) -> Vec<(String, String)> {
    let first = answer.json()["errors"][0]["code"]
        .as_str()
        .unwrap()
        .to_owned();
    let status = if first == "unknown_query_parameter" {
        400
    } else {
        422
    };
    let mut faults = answer.faults(status, heading(&first));
    faults.sort_unstable();
    faults
}

#[track_caller]
fn assert_faults(found: &[(String, String)], expected: &[(&str, &str)]) {
    let mut expected: Vec<_> = expected
        .iter()
        .map(|(pointer, code)| ((*pointer).to_owned(), (*code).to_owned()))
        .collect();
    expected.sort_unstable();
    assert_eq!(found, expected);
}

#[test]
fn faults_of_all_kinds_are_told_at_once() {
    let server = shared();
    let body = json!({
        "position": {
            "rule": "go",
            "size": 99,
            "moves": ["h8", "nowhere", 5, null, {"row": 1}, {"row": 1, "col": "x"}],
            "colour": "black",
        },
        "count": 0,
        "limits": {"time_ms": 0, "depth_of_thought": 7},
        "extra": true,
    });
    assert_faults(
        &sorted_faults(&server, "/v1/hints", &body),
        &[
            ("/position/rule", "unsupported_rule"),
            ("/position/size", "unsupported_size"),
            ("/position/moves/1", "unreadable_notation"),
            ("/position/moves/2", "invalid_field"),
            ("/position/moves/3", "invalid_field"),
            ("/position/moves/4/col", "missing_field"),
            ("/position/moves/5/col", "invalid_field"),
            ("/position/colour", "unknown_field"),
            ("/count", "limit_out_of_range"),
            ("/limits/time_ms", "limit_out_of_range"),
            ("/limits/depth_of_thought", "unknown_field"),
            ("/extra", "unknown_field"),
        ],
    );
}

#[test]
fn all_faults_of_a_board_are_told_at_once() {
    let server = shared();
    let body = json!({
        "position": {
            "rule": "go",
            "board": ["..3..", ".....", "....", 7, "....."],
            "to_move": "red",
            "setup": "yes",
        },
        "ply": "x",
        "include": "all",
    });
    assert_faults(
        &sorted_faults(&server, "/v1/replays", &body),
        &[
            ("/position/rule", "unsupported_rule"),
            ("/position/board/0", "invalid_field"),
            ("/position/board/2", "invalid_field"),
            ("/position/board/3", "invalid_field"),
            ("/position/to_move", "invalid_field"),
            ("/position/setup", "invalid_field"),
            ("/ply", "invalid_field"),
            ("/include", "invalid_field"),
        ],
    );
    // Also beside a size that no board has.
    let body =
        json!({"position": {"size": 99, "board": ["..3..", ".....", ".....", ".....", "....."]}});
    assert_faults(
        &sorted_faults(&server, "/v1/replays", &body),
        &[
            ("/position/size", "unsupported_size"),
            ("/position/board/0", "invalid_field"),
        ],
    );
}

#[test]
fn all_faults_of_a_game_are_told_at_once() {
    let server = shared();
    let body = json!({
        "position": {"moves": ["nowhere"], "rule": 1},
        "players": {"black": "", "white": 5, "red": "A"},
        "result": "nobody",
        "termination": "checkmate",
        "event": "two\nlines",
        "played_at": "yesterday",
        "tags": ["one", null, ""],
    });
    assert_faults(
        &sorted_faults(&server, "/v1/games", &body),
        &[
            ("/position/moves/0", "unreadable_notation"),
            ("/position/rule", "invalid_field"),
            ("/players/black", "invalid_field"),
            ("/players/white", "invalid_field"),
            ("/players/red", "unknown_field"),
            ("/result", "invalid_field"),
            ("/termination", "invalid_field"),
            ("/event", "invalid_field"),
            ("/played_at", "invalid_field"),
            ("/tags/1", "invalid_field"),
            ("/tags/2", "invalid_field"),
        ],
    );
}

#[test]
fn all_faults_of_a_query_are_told_at_once() {
    let server = shared();
    let answer =
        server.get("/v1/hints?moves=8h&rule=go&size=four&count=0&time_ms=soon&extra=1&more=2");
    assert_faults(
        &sorted_faults_of(&answer),
        &[
            ("moves", "unreadable_notation"),
            ("rule", "unsupported_rule"),
            ("size", "invalid_field"),
            ("count", "limit_out_of_range"),
            ("time_ms", "invalid_field"),
            ("extra", "unknown_query_parameter"),
            ("more", "unknown_query_parameter"),
        ],
    );
}

#[test]
fn of_many_faults_of_all_kinds_exactly_twenty_are_told() {
    let server = shared();
    let mut moves = vec![json!("nowhere"); 15];
    moves.extend(vec![json!(7); 15]);
    let body = json!({"position": {"rule": "go", "size": 4, "moves": moves}, "x": 1, "y": 2});
    for path in POSITIONED {
        let mut faults = sorted_faults(&server, path, &body);
        assert_eq!(faults.len(), 20, "{path}");
        faults.dedup_by(|one, other| one.0 == other.0);
        assert_eq!(faults.len(), 20, "each place once: {path}");
    }
    let query: String = (0..30).map(|number| format!("&x{number}=1")).collect();
    let answer = server.get(&format!("/v1/replays?moves=h8{query}"));
    assert_eq!(answer.faults(400, "unknown_query_parameter").len(), 20);
}

#[test]
fn a_member_given_twice_is_told_beside_other_faults() {
    let server = shared();
    let body = br#"{"position":{"moves":"h8","moves":"i9","rule":"go"}}"#;
    let answer = server.raw(&request("POST", b"/v1/replays", &[JSON], body));
    assert_faults(
        &sorted_faults_of(&answer),
        &[
            ("/position/moves", "invalid_field"),
            ("/position/rule", "unsupported_rule"),
        ],
    );
}

#[test]
fn a_head_that_is_no_http_ends_its_connection_and_nothing_else() {
    let server = shared();
    let long_header = format!(
        "GET /v1/meta HTTP/1.1\r\nHost: x\r\nX-Long: {}\r\n\r\n",
        "x".repeat(1_000_000)
    );
    for head in [
        &b"NONSENSE\r\n\r\n"[..],
        b"GET /v1/meta\r\n\r\n",
        b"GET /v1/meta HTTP/9.9\r\nHost: x\r\n\r\n",
        b"GET /v1/meta HTTP/1.1\r\nBad Header: x\r\nHost: x\r\n\r\n",
        b"GET /v1/replays?moves=\xff\xfe HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET /v1/meta HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
        b"GET /v1/meta HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        b"POST /v1/replays HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
        b"\0\0\0\0\r\n\r\n",
        b"\x16\x03\x01\x02\0\x01\0\x01\xfc\x03\x03\r\n\r\n",
    ] {
        let answer = server.raw(head);
        assert!(matches!(answer.status, 400 | 505), "{}", String::from_utf8_lossy(head));
        server.get("/healthz").ok();
    }
    // A head without an end is cut off; whether its answer gets through is up to the network.
    let mut stream = server.connect();
    let _ = stream.write_all(long_header.as_bytes());
    drop(stream);
    server.get("/healthz").ok();
}

#[test]
fn a_body_that_breaks_off_is_malformed() {
    let server = shared();
    let mut stream = server.connect();
    stream
        .write_all(b"POST /v1/replays HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 50\r\n\r\n{\"position\"")
        .unwrap();
    stream.shutdown(Shutdown::Write).unwrap();
    // Who closes its side is taken to be gone, so that no search runs for nobody: it need not be answered.
    let mut answer = Vec::new();
    let _ = std::io::Read::read_to_end(&mut stream, &mut answer);
    if !answer.is_empty() {
        read_answer(&mut answer.as_slice()).problem(400, "malformed_json");
    }
    server.get("/healthz").ok();
    let bad_chunk = b"POST /v1/replays HTTP/1.1\r\nHost: x\r\nConnection: close\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n{}\r\n0\r\n\r\n";
    server.raw(bad_chunk).problem(400, "malformed_json");
}

#[test]
fn many_megabytes_are_refused_and_the_server_goes_on() {
    let server = shared();
    let megabytes = vec![b' '; 8 << 20];
    let octets = request("POST", b"/v1/replays", &[JSON], &megabytes);
    let mut stream = server.connect();
    let refused = std::thread::scope(|scope| {
        let mut writing = stream.try_clone().unwrap();
        let writer = scope.spawn(move || writing.write_all(&octets).is_err());
        let mut start = [0; 12];
        let read = std::io::Read::read(&mut stream, &mut start).unwrap_or(0);
        // The server may close without reading all of it: then the answer can get lost on its way.
        writer.join().unwrap() || start[..read].starts_with(b"HTTP/1.1 413")
    });
    assert!(refused, "the body was taken");
    server.get("/healthz").ok();
}

#[test]
fn numbers_that_no_integer_holds_are_invalid_and_not_rounded() {
    let server = shared();
    for number in [
        "1e2",
        "1E2",
        "0.5",
        "-0.0",
        "1e-5",
        "18446744073709551616",
        "-9223372036854775809",
        "123456789012345678901234567890",
    ] {
        for (member, pointer) in [
            ("ply", "/ply"),
            ("size", "/position/size"),
            ("row", "/position/moves/0/row"),
        ] {
            let body = match member {
                "ply" => format!(r#"{{"position":{{"moves":"h8"}},"ply":{number}}}"#),
                "size" => format!(r#"{{"position":{{"moves":"h8","size":{number}}}}}"#),
                _ => format!(r#"{{"position":{{"moves":[{{"row":{number},"col":7}}]}}}}"#),
            };
            let answer = server.send("POST", "/v1/replays", &[JSON], body.as_bytes());
            assert_eq!(
                answer.faults(422, "invalid_field"),
                [(pointer.to_owned(), "invalid_field".to_owned())],
                "{body}"
            );
        }
    }
}
