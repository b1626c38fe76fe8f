//! What holds and what does not, by pictures.

use tengen::board::{Board, BoardSize, Cell, Color};
use tengen::proof::{Certificate, MOST_POSITIONS, Node, Reason, Reply, Root, Threat, verify};
use tengen::rules::forbidden::Kind;
use tengen::rules::{PlayError, Rule};

use crate::{cell, certificate, naive, node, root};

fn plies(certificate: &Certificate) -> usize {
    assert!(naive::holds(certificate), "{}", certificate.to_json());
    match verify(certificate, MOST_POSITIONS) {
        Ok(verified) => verified.plies,
        Err(refuted) => panic!("{refuted}: {}", certificate.to_json()),
    }
}

/// The node and the reason.
fn refuted(certificate: &Certificate) -> (usize, Reason) {
    let refuted = verify(certificate, MOST_POSITIONS).expect_err("it does not hold");
    (refuted.node, refuted.reason)
}

fn stone(name: &str) -> Reply {
    Reply::Stone(cell(name))
}

/// Three in a row with room on both sides, White far away.
const THREE: &str = "\
    ........
    ........
    ........
    ..xxx...
    ........
    ........
    ......o.
    .o....o.";

fn open_four() -> [Node; 3] {
    [
        node("f5", "b5=1", Some(2)),
        node("g5", "", None),
        node("b5", "", None),
    ]
}

#[test]
fn an_open_four_wins_under_every_rule() {
    for rule in Rule::ALL {
        let mut nodes = open_four().to_vec();
        if rule == Rule::Caro {
            // One end shut in leaves the other; two ends are not stopped by one stone.
            nodes[0] = node("f5", "b5=1 a5=1", Some(2));
        }
        let certificate = certificate(root(rule, THREE, Color::Black), &nodes);
        assert_eq!(plies(&certificate), 3, "{rule}");
        assert_eq!(certificate.threat(0), Threat::Four);
        assert_eq!(certificate.threat(1), Threat::Five);
    }
}

#[test]
fn the_stop_of_a_four_has_to_be_answered() {
    let root = root(Rule::Freestyle, THREE, Color::Black);
    let unnamed = [node("f5", "", Some(1)), node("b5", "", None)];
    let (number, reason) = refuted(&certificate(root.clone(), &unnamed));
    let occupied = Reason::IllegalStone(cell("b5"), PlayError::Occupied);
    assert_eq!((number, reason), (1, occupied));
    let unanswered = [node("f5", "b5=1", None), node("g5", "", None)];
    let (number, reason) = refuted(&certificate(root, &unanswered));
    // Replies are tried in reading order.
    assert_eq!((number, reason), (0, Reason::Unanswered(stone("a8"))));
}

#[test]
fn a_stone_that_ends_a_line_has_to_win() {
    let root = root(Rule::Freestyle, THREE, Color::Black);
    let (number, reason) = refuted(&certificate(root, &[node("f5", "", None)]));
    assert_eq!((number, reason), (0, Reason::NoWin(cell("f5"))));
}

#[test]
fn a_three_needs_an_answer_to_each_defence_and_to_fours_of_the_defender() {
    let rows = "\
        .........
        .........
        .........
        ...xx....
        .........
        .........
        ......o..
        .........
        .o.......";
    let root = root(Rule::Freestyle, rows, Color::Black);
    let four = |stone: &str, stop: usize, other: usize, end: &str| {
        node(stone, &format!("{end}={stop}"), Some(other))
    };
    // After f6 every reply but those in its line is met by g6.
    let nodes = [
        node("f6", "", Some(1)),
        four("g6", 2, 3, "c6"),
        node("h6", "", None),
        node("c6", "", None),
    ];
    let refuted = verify(&certificate(root, &nodes), MOST_POSITIONS).expect_err("c6 holds");
    let reasons = [
        Reason::IllegalStone(cell("g6"), PlayError::Occupied),
        Reason::NoWin(cell("h6")),
        Reason::NoWin(cell("c6")),
        Reason::IllegalStone(cell("c6"), PlayError::Occupied),
    ];
    assert!(reasons.contains(&refuted.reason), "{refuted}");
    assert!(refuted.ply >= 3, "{refuted}");
}

#[test]
fn a_five_of_the_defender_refutes() {
    let rows = "\
        .oooo...
        ........
        ........
        ..xxx...
        ........
        ........
        ........
        ........";
    let root = root(Rule::Freestyle, rows, Color::Black);
    let (number, reason) = refuted(&certificate(root, &open_four()));
    assert_eq!((number, reason), (0, Reason::DefenderWins(stone("a8"))));
}

#[test]
fn a_four_that_the_defender_cannot_stop_legally_wins_for_white() {
    // Black's only stop, e1, makes six.
    let rows = "\
        .........
        .........
        .........
        ....x....
        ....o....
        ....o....
        ....o....
        .........
        .xxx.xx..";
    let white = root(Rule::Renju, rows, Color::White);
    let nodes = [node("e2", "", Some(1)), node("e1", "", None)];
    assert_eq!(plies(&certificate(white.clone(), &nodes)), 3);
    // Under another rule Black may play there.
    let standard = Root {
        rule: Rule::Standard,
        ..white
    };
    let (number, reason) = refuted(&certificate(standard, &nodes));
    let occupied = Reason::IllegalStone(cell("e1"), PlayError::Occupied);
    assert_eq!((number, reason), (1, occupied));
}

#[test]
fn the_attacker_may_not_play_what_is_forbidden() {
    let rows = "\
        .......
        ...x...
        ...x...
        .xx....
        .......
        .......
        .......";
    let nodes = [node("d4", "", Some(1)), node("a4", "", None)];
    let black = root(Rule::Renju, rows, Color::Black);
    let (number, reason) = refuted(&certificate(black, &nodes));
    let forbidden = PlayError::Forbidden(Kind::DoubleThree);
    assert_eq!(
        (number, reason),
        (0, Reason::IllegalStone(cell("d4"), forbidden))
    );
}

#[test]
fn a_pass_is_a_reply_in_renju_and_nowhere_else() {
    let all_stones = |rule| {
        let root = root(rule, THREE, Color::Black);
        let empty = root.board.size().cells();
        let empty: Vec<String> = empty
            .filter(|at| root.board.is_empty(*at) && *at != cell("f5"))
            .map(|at| format!("{at}={}", if at == cell("b5") { 1 } else { 2 }))
            .collect();
        // Every stone has an answer, and nothing is said of anything else.
        let nodes = [
            node("f5", &empty.join(" "), None),
            node("g5", "", None),
            node("b5", "", None),
        ];
        certificate(root, &nodes)
    };
    assert_eq!(plies(&all_stones(Rule::Freestyle)), 3);
    let (number, reason) = refuted(&all_stones(Rule::Renju));
    assert_eq!((number, reason), (0, Reason::Unanswered(Reply::Pass)));
}

#[test]
fn in_caro_a_five_that_gets_shut_in_is_none() {
    let rows = "\
        .........
        .........
        .........
        .o.xxx...
        .........
        .........
        .........
        .........
        .o.....o.";
    let nodes = [
        node("g6", "h6=1", Some(2)),
        node("c6", "", None),
        node("h6", "", None),
    ];
    let open = certificate(root(Rule::Freestyle, rows, Color::Black), &nodes);
    assert_eq!(plies(&open), 3);
    let (number, reason) = refuted(&certificate(root(Rule::Caro, rows, Color::Black), &nodes));
    assert_eq!((number, reason), (1, Reason::NoWin(cell("c6"))));
}

#[test]
fn the_defender_may_begin() {
    let rows = "\
        ........
        ........
        ........
        ..xxxx..
        ........
        ........
        ........
        .o....o.";
    let begun = Root {
        to_move: Color::White,
        ..root(Rule::Freestyle, rows, Color::Black)
    };
    let nodes = [
        node("", "b5=1", Some(2)),
        node("g5", "", None),
        node("b5", "", None),
    ];
    let certificate = certificate(begun, &nodes);
    assert_eq!(plies(&certificate), 2);
    assert_eq!(certificate.plies(), 2);
}

#[test]
fn what_no_line_needs_is_refused() {
    let root = root(Rule::Freestyle, THREE, Color::Black);
    let idle_reply = [
        node("f5", "b5=1 c5=3", Some(2)),
        node("g5", "", None),
        node("b5", "", None),
        node("h8", "", None),
    ];
    let (_, reason) = refuted(&certificate(root, &idle_reply));
    assert_eq!(reason, Reason::IdleReply(stone("c5")));
}

#[test]
fn a_finished_game_is_not_won_again() {
    let rows = "\
        ......
        xxxxx.
        ......
        ......
        ......
        .o.oo.";
    let root = root(Rule::Freestyle, rows, Color::Black);
    let (number, reason) = refuted(&certificate(root, &[node("f5", "", None)]));
    assert_eq!((number, reason), (0, Reason::EndedRoot));
}

#[test]
fn the_work_is_bounded() {
    let certificate = certificate(root(Rule::Freestyle, THREE, Color::Black), &open_four());
    let verified = verify(&certificate, MOST_POSITIONS).expect("it holds");
    assert!(verify(&certificate, verified.positions).is_ok());
    let bound = verified.positions - 1;
    let refuted = verify(&certificate, bound).expect_err("it takes one more");
    assert_eq!(refuted.reason, Reason::TooLong(bound));
}

#[test]
fn a_line_as_long_as_a_board_allows_is_followed_on_a_small_stack() {
    // Stones in pairs, shifted from row to row: nobody has more than two in a line.
    let size = BoardSize::LARGEST;
    let (attacker, defender): (Vec<Cell>, Vec<Cell>) = size
        .cells()
        .partition(|cell| (cell.column() + 2 * cell.height()) % 4 < 2);
    let mut nodes: Vec<Node> = attacker
        .iter()
        .zip(&defender)
        .enumerate()
        .map(|(number, (own, other))| Node {
            stone: Some(*own),
            replies: vec![(Reply::Stone(*other), number + 1)],
            otherwise: None,
        })
        .collect();
    nodes.pop();
    nodes.push(node("a1", "", None));
    let depth = nodes.len();
    let root = Root {
        rule: Rule::Freestyle,
        board: Board::new(size),
        to_move: Color::Black,
        attacker: Color::Black,
    };
    let certificate = certificate(root, &nodes);
    let refuted = verify(&certificate, MOST_POSITIONS).expect_err("nothing is won");
    assert_eq!(refuted.ply, 2 * depth - 1);
}
