#!/usr/bin/env python3
"""Plays `tengen engine` by a client that others wrote: PyPI `pygomo-lib` 0.1.1.

    python with_pygomo.py target/release/tengen

Two engines play a whole freestyle game, each through its own client; the client's board is the judge. Then one
is asked for what else the client can do: a board taken over, a move taken back, a search stopped, a new game.
"""
import sys
import threading
import time

from pygomo import EngineClient
from pygomo.board import BitBoard
from pygomo.protocol.models import BoardPosition, Move

SIZE = 15


def connect(program):
    engine = EngineClient(program, args=["engine"])
    assert engine.start(SIZE), "START is not answered with OK"
    engine.set_time(turn_time_ms=100, match_time_ms=60_000, time_left_ms=60_000)
    engine.set_rule(0)
    engine.set_memory(64 << 20)
    engine.set_threads(1)
    engine.configure(game_type=1)
    return engine


def play_a_game(program):
    board, engines, reports = BitBoard(SIZE), [connect(program), connect(program)], 0
    result = engines[0].begin(timeout=10)
    while True:
        assert result, f"no move after {board.move_count} stones"
        if report := result.search_info:
            reports += 1
            assert report.depth > 0 and report.nodes > 0 and report.pv[0] == result.move, \
                f"the message with {result.move} is not understood: {report}"
        assert board.place(result.move), f"{result.move.to_numeric()} cannot be played"
        if board.check_win(result.move) or board.is_full():
            break
        result = engines[board.move_count % 2].turn(result.move, timeout=10)
    assert reports, "no move comes with a message"
    for engine in engines:
        engine.quit()
    return board


def try_the_rest(program):
    engine = connect(program)
    assert 'name="Tengen"' in engine.about(timeout=10)

    position = BoardPosition()
    for x in range(3, 7):
        position.add_move(Move((x, 7)), BoardPosition.OPPONENT)
    for x, y in ((2, 7), (0, 0), (14, 0)):
        position.add_move(Move((x, y)), BoardPosition.SELF)
    five = engine.board(position, timeout=10)
    assert five and five.move == Move((7, 7)), f"{five} stops no four"
    assert engine.takeback(five.move, timeout=10)

    assert engine.restart(timeout=10)
    engine.set_time(turn_time_ms=60_000, time_left_ms=2_147_483_647)
    told = time.monotonic()
    threading.Timer(0.3, engine.stop).start()
    assert engine.turn("h8", timeout=10), "STOP gets no move"
    assert time.monotonic() - told < 2, "STOP is not heard while the engine thinks"
    engine.quit()


def main():
    program = sys.argv[1]
    board = play_a_game(program)
    try_the_rest(program)
    print(f"a game of {board.move_count} stones, and the rest of the protocol, by pygomo-lib")


if __name__ == "__main__":
    main()
