use crate::analysis::making::{Making, Shape};
use crate::board::{Board, Cell, Color};
use crate::rules::{Position, Rule, Status, wins};

/// Why a move is good, from the rules alone.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reason {
    /// Why.
    pub code: ReasonCode,
    /// The cells that it is about: where the own side goes on to win or to make an open four, or where
    /// the other side would have; may be empty.
    pub cells: Vec<Cell>,
}

/// Why a move is good, the most urgent first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ReasonCode {
    /// It wins at once.
    WinNow,
    /// It stops the other side from winning with its next stone.
    BlockFive,
    /// No other move is allowed.
    OnlyMove,
    /// It makes an open four: a row of four with two cells that each win.
    MakesOpenFour,
    /// It makes two fours at once.
    MakesDoubleFour,
    /// It makes a four and an open three at once.
    MakesFourThree,
    /// It stops an open three: the other side would have made an open four.
    BlocksOpenThree,
    /// It makes two open threes at once.
    MakesDoubleThree,
    /// It takes the other side's cell for a double four, a four and three, or a double three.
    BlocksFork,
    /// It makes a four, which has to be answered.
    MakesFour,
    /// It makes an open three.
    MakesOpenThree,
    /// It builds own lines and hinders the other side's.
    Builds,
}

impl ReasonCode {
    /// All of them.
    pub const ALL: [ReasonCode; 12] = [
        ReasonCode::WinNow,
        ReasonCode::BlockFive,
        ReasonCode::OnlyMove,
        ReasonCode::MakesOpenFour,
        ReasonCode::MakesDoubleFour,
        ReasonCode::MakesFourThree,
        ReasonCode::BlocksOpenThree,
        ReasonCode::MakesDoubleThree,
        ReasonCode::BlocksFork,
        ReasonCode::MakesFour,
        ReasonCode::MakesOpenThree,
        ReasonCode::Builds,
    ];

    /// The name in snake case, as `win_now`.
    pub const fn name(self) -> &'static str {
        match self {
            ReasonCode::WinNow => "win_now",
            ReasonCode::BlockFive => "block_five",
            ReasonCode::OnlyMove => "only_move",
            ReasonCode::MakesOpenFour => "makes_open_four",
            ReasonCode::MakesDoubleFour => "makes_double_four",
            ReasonCode::MakesFourThree => "makes_four_three",
            ReasonCode::BlocksOpenThree => "blocks_open_three",
            ReasonCode::MakesDoubleThree => "makes_double_three",
            ReasonCode::BlocksFork => "blocks_fork",
            ReasonCode::MakesFour => "makes_four",
            ReasonCode::MakesOpenThree => "makes_open_three",
            ReasonCode::Builds => "builds",
        }
    }
}

/// What the other side threatens in a position, and so why a move is good.
///
/// ```
/// use tengen::analysis::{ReasonCode, Threats};
/// use tengen::board::{Board, Color};
/// use tengen::rules::{Position, Rule};
///
/// let board: Board = "oooo...\n.......\n..xxx..\n.......\n.......\n.......\n.......".parse()?;
/// let position = Position::from_board(Rule::Freestyle, board, Color::Black)?;
/// let threats = Threats::of(&position);
/// assert_eq!(threats.must_block(), ["e7".parse()?]);
/// assert_eq!(threats.reason_for("e7".parse()?).code, ReasonCode::BlockFive);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Threats<'a> {
    position: &'a Position,
    fives: Vec<Cell>,
    open_fours: Vec<Cell>,
    forks: Vec<Cell>,
}

impl<'a> Threats<'a> {
    /// What the other side could do if it were its turn.
    pub fn of(position: &'a Position) -> Threats<'a> {
        let (board, rule, enemy) = (position.board(), position.rule(), !position.to_move());
        let mut threats = Threats {
            position,
            fives: Vec::new(),
            open_fours: Vec::new(),
            forks: Vec::new(),
        };
        if position.status() != Status::Ongoing {
            return threats;
        }
        for cell in board.size().cells().filter(|cell| board.is_empty(*cell)) {
            match Making::of(board, cell, enemy, rule).map(|making| making.shape) {
                Some(Shape::Five) => threats.fives.push(cell),
                Some(Shape::OpenFour) => threats.open_fours.push(cell),
                Some(shape) if shape.is_fork() => threats.forks.push(cell),
                _ => {}
            }
        }
        threats
    }

    /// The cells on which the other side would win with its next stone, unless the side to move wins
    /// first.
    pub fn must_block(&self) -> &[Cell] {
        let (board, rule) = (self.position.board(), self.position.rule());
        let mut empty = board.size().cells().filter(|cell| board.is_empty(*cell));
        let wins_first = empty.any(|cell| wins(board, cell, self.position.to_move(), rule));
        if wins_first { &[] } else { &self.fives }
    }

    /// Why a legal move is good.
    pub fn reason_for(&self, cell: Cell) -> Reason {
        let (board, rule, color) = (
            self.position.board(),
            self.position.rule(),
            self.position.to_move(),
        );
        let own = Making::of(board, cell, color, rule);
        self.urgent(cell, own.as_ref())
            .or_else(|| self.attack(cell, own))
            .unwrap_or(Reason {
                code: ReasonCode::Builds,
                cells: Vec::new(),
            })
    }

    /// The reasons that go before all others: a win, a five to stop, no choice.
    fn urgent(&self, cell: Cell, own: Option<&Making>) -> Option<Reason> {
        if let Some(Making {
            shape: Shape::Five,
            next,
        }) = own
        {
            return reason(ReasonCode::WinNow, next);
        }
        if self.stops(cell, &self.fives, |shape| shape == Shape::Five) {
            return reason(ReasonCode::BlockFive, &self.fives);
        }
        let mut legal = self.position.legal_cells();
        if legal.next() == Some(cell) && legal.next().is_none() {
            return reason(ReasonCode::OnlyMove, &[]);
        }
        None
    }

    /// What the stone makes or stops, where no five is to be stopped.
    fn attack(&self, cell: Cell, own: Option<Making>) -> Option<Reason> {
        // Whatever else it makes comes too late.
        if !self.fives.is_empty() {
            return None;
        }
        let (shape, next) = match own {
            Some(Making { shape, next }) => (Some(shape), next),
            None => (None, Vec::new()),
        };
        match shape {
            Some(Shape::OpenFour) => return reason(ReasonCode::MakesOpenFour, &next),
            Some(Shape::DoubleFour) => return reason(ReasonCode::MakesDoubleFour, &next),
            Some(Shape::FourThree) => return reason(ReasonCode::MakesFourThree, &next),
            _ => {}
        }
        if self.stops(cell, &self.open_fours, |shape| shape == Shape::OpenFour) {
            return reason(ReasonCode::BlocksOpenThree, &self.open_fours);
        }
        if shape == Some(Shape::DoubleThree) {
            return reason(ReasonCode::MakesDoubleThree, &next);
        }
        if self.stops(cell, &self.forks, Shape::is_fork) {
            return reason(ReasonCode::BlocksFork, &self.forks);
        }
        match shape {
            Some(Shape::Four) => reason(ReasonCode::MakesFour, &next),
            Some(Shape::OpenThree) => reason(ReasonCode::MakesOpenThree, &next),
            _ => None,
        }
    }

    /// Does a stone on a cell leave fewer of these threats standing?
    fn stops(&self, cell: Cell, threats: &[Cell], stands: impl Fn(Shape) -> bool) -> bool {
        if threats.is_empty() {
            return false;
        }
        let mut after = self.position.board().clone();
        after.put(cell, self.position.to_move());
        let enemy = !self.position.to_move();
        let left = threats.iter().filter(|threat| {
            **threat != cell
                && shape_of(&after, **threat, enemy, self.position.rule()).is_some_and(&stands)
        });
        left.count() < threats.len()
    }
}

fn shape_of(board: &Board, cell: Cell, color: Color, rule: Rule) -> Option<Shape> {
    Making::of(board, cell, color, rule).map(|making| making.shape)
}

fn reason(code: ReasonCode, cells: &[Cell]) -> Option<Reason> {
    let cells = cells.to_vec();
    Some(Reason { code, cells })
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::BoardSize;

    const ALL: &[Rule] = &Rule::ALL;
    const EXACT_BUT_RENJU: &[Rule] = &[Rule::Standard, Rule::Caro];

    fn position(rule: Rule, to_move: Color, diagram: &str) -> Position {
        Position::from_board(rule, diagram.parse().unwrap(), to_move).unwrap()
    }

    /// Under each of these rules the stone of the side to move on this cell has this reason.
    #[track_caller]
    fn assert_reason(
        rules: &[Rule],
        to_move: Color,
        diagram: &str,
        cell: &str,
        code: ReasonCode,
        cells: &str,
    ) {
        for rule in rules {
            let position = position(*rule, to_move, diagram);
            let reason = Threats::of(&position).reason_for(cell.parse().unwrap());
            let mut found: Vec<_> = reason.cells.iter().map(Cell::to_string).collect();
            found.sort();
            let board = position.board();
            assert_eq!(
                (reason.code, found.join(" ").as_str()),
                (code, cells),
                "{rule}, {cell} on\n{board}"
            );
        }
    }

    #[test]
    fn a_win_goes_before_a_five_to_stop_and_before_everything_else() {
        let diagram = "xxxx...\n.......\n.......\n.......\n.......\n.......\noooo...";
        assert_reason(ALL, Color::White, diagram, "e1", ReasonCode::WinNow, "e1");
        assert_reason(ALL, Color::Black, diagram, "e7", ReasonCode::WinNow, "e7");
        assert_reason(
            ALL,
            Color::Black,
            diagram,
            "e1",
            ReasonCode::BlockFive,
            "e1",
        );
        assert_reason(ALL, Color::Black, diagram, "d4", ReasonCode::Builds, "");
    }

    #[test]
    fn nothing_is_made_in_time_where_a_five_is_to_be_stopped() {
        let diagram = ".......\n.......\n..xxx..\n.......\n.......\n.......\noooo...";
        assert_reason(ALL, Color::Black, diagram, "b5", ReasonCode::Builds, "");
        assert_reason(
            ALL,
            Color::Black,
            diagram,
            "e1",
            ReasonCode::BlockFive,
            "e1",
        );
    }

    #[test]
    fn an_overline_is_no_threat_where_it_does_not_win() {
        let diagram = ".......\n.......\n.......\n.......\n.......\n...x...\noo.ooo.";
        let block = ReasonCode::BlockFive;
        assert_reason(
            &[Rule::Freestyle, Rule::Renju],
            Color::Black,
            diagram,
            "c1",
            block,
            "c1",
        );
        for rule in [Rule::Standard, Rule::Caro] {
            let position = position(rule, Color::Black, diagram);
            let reason = Threats::of(&position).reason_for("c1".parse().unwrap());
            assert_ne!(reason.code, block, "{rule}");
        }
    }

    #[test]
    fn caro_stops_a_five_by_shutting_it_in_too() {
        let diagram = ".......\n.......\n.......\nxoooo..\n.......\n.......\n......x";
        for cell in ["f4", "g4"] {
            assert_reason(
                &[Rule::Caro],
                Color::Black,
                diagram,
                cell,
                ReasonCode::BlockFive,
                "f4",
            );
        }
        assert_reason(
            &[Rule::Standard],
            Color::Black,
            diagram,
            "g4",
            ReasonCode::Builds,
            "",
        );
    }

    #[test]
    fn an_open_four_is_one_that_no_stone_stops() {
        let diagram = ".........\n.........\n..o......\n.........\n..xxx....\n.........\n.........\n....oo...\n.........";
        let open = ReasonCode::MakesOpenFour;
        assert_reason(ALL, Color::Black, diagram, "b5", open, "a5 f5");
        assert_reason(ALL, Color::Black, diagram, "f5", open, "b5 g5");
        assert_reason(
            ALL,
            Color::Black,
            diagram,
            "g5",
            ReasonCode::MakesFour,
            "f5",
        );
        // In caro the stone on f5 stops the five on a5 as well: it would be shut in.
        let shut = ".........\n.........\n..o......\n.........\no.xxx....\n.........\n.........\n....o....\n.........";
        assert_reason(
            &[Rule::Standard, Rule::Renju],
            Color::Black,
            shut,
            "f5",
            open,
            "b5 g5",
        );
        assert_reason(
            &[Rule::Caro],
            Color::Black,
            shut,
            "f5",
            ReasonCode::MakesFour,
            "b5 g5",
        );
    }

    #[test]
    fn two_fours_are_a_double_four_and_forbidden_to_black_in_renju() {
        let diagram = ".........\n....o....\n....x....\n....x....\n.oxx.x...\n....x....\n.........\n..oo..o..\n.........";
        let double = ReasonCode::MakesDoubleFour;
        let others = &[Rule::Freestyle, Rule::Standard, Rule::Caro];
        assert_reason(others, Color::Black, diagram, "e5", double, "e3 g5");
        // What Black may not play is not stopped by White either.
        assert_reason(
            others,
            Color::White,
            diagram,
            "e5",
            ReasonCode::BlocksFork,
            "e5",
        );
        assert_reason(
            &[Rule::Renju],
            Color::White,
            diagram,
            "e5",
            ReasonCode::Builds,
            "",
        );
        // Two fours in one line.
        let line = "...........\n...........\n...........\n.x.xx..x...\n...........\n...o.......\n...........\n......o....\n.o.........\n..........o\n...........";
        assert_reason(EXACT_BUT_RENJU, Color::Black, line, "f8", double, "c8 g8");
    }

    #[test]
    fn a_four_with_an_open_three_is_a_four_three() {
        let diagram = ".........\n.........\n....x....\n....x....\n.oxx.x...\n.........\n.........\n..oo..o..\n.........";
        let four_three = ReasonCode::MakesFourThree;
        assert_reason(ALL, Color::Black, diagram, "e5", four_three, "e4 e8 g5");
        assert_reason(
            ALL,
            Color::White,
            diagram,
            "e5",
            ReasonCode::BlocksFork,
            "e5",
        );
    }

    #[test]
    fn two_open_threes_are_a_double_three_and_forbidden_to_black_in_renju() {
        let diagram = ".........\n.........\n....x....\n....x....\n..xx.....\n.........\n.........\n..o...oo.\n.........";
        let others = &[Rule::Freestyle, Rule::Standard, Rule::Caro];
        let double = ReasonCode::MakesDoubleThree;
        assert_reason(others, Color::Black, diagram, "e5", double, "b5 e4 e8 f5");
        assert_reason(
            others,
            Color::White,
            diagram,
            "e5",
            ReasonCode::BlocksFork,
            "e5",
        );
        assert_reason(
            &[Rule::Renju],
            Color::White,
            diagram,
            "e5",
            ReasonCode::Builds,
            "",
        );
    }

    #[test]
    fn an_open_three_is_stopped_where_fewer_open_fours_are_left() {
        let diagram = ".........\n.........\n..x......\n.........\n...ooo...\n.........\n.........\n....xx...\n.........";
        let blocks = ReasonCode::BlocksOpenThree;
        for cell in ["c5", "g5"] {
            assert_reason(ALL, Color::Black, diagram, cell, blocks, "c5 g5");
        }
        // One stone further out leaves the four on the other side.
        assert_reason(
            &[Rule::Freestyle],
            Color::Black,
            diagram,
            "b5",
            blocks,
            "c5 g5",
        );
        assert_reason(
            &[Rule::Freestyle],
            Color::Black,
            diagram,
            "a5",
            ReasonCode::Builds,
            "",
        );
    }

    #[test]
    fn a_single_four_or_three_is_named_as_one() {
        let diagram = ".........\n.........\n.........\n..xx.....\n.........\noxxx.....\n.........\n....o..o.\n....o....";
        assert_reason(
            ALL,
            Color::Black,
            diagram,
            "e4",
            ReasonCode::MakesFour,
            "f4",
        );
        assert_reason(
            ALL,
            Color::Black,
            diagram,
            "e6",
            ReasonCode::MakesOpenThree,
            "b6 f6",
        );
        assert_reason(ALL, Color::Black, diagram, "h8", ReasonCode::Builds, "");
    }

    #[test]
    fn the_last_cell_is_the_only_move() {
        let diagram = "xxoox\nooxxo\nxxoox\nooxxo\nxxoo.";
        assert_reason(ALL, Color::Black, diagram, "e1", ReasonCode::OnlyMove, "");
    }

    #[test]
    fn only_what_cannot_be_beaten_to_it_must_be_blocked() {
        let diagram = "xxxx...\n.......\n.......\n.......\n.......\n.......\noooo...";
        let both = position(Rule::Standard, Color::Black, diagram);
        assert_eq!(Threats::of(&both).must_block(), []);
        let diagram = "xxxo...\n.......\n.......\n.......\n.......\n......x\n.oooo..";
        let two = position(Rule::Standard, Color::Black, diagram);
        let must: Vec<_> = Threats::of(&two)
            .must_block()
            .iter()
            .map(Cell::to_string)
            .collect();
        assert_eq!(must, ["a1", "f1"]);
    }

    /// A position reached by random legal stones, near each other so that lines arise.
    fn reached() -> impl Strategy<Value = Position> {
        let rule = prop::sample::select(Rule::ALL.to_vec());
        let size = prop::sample::select(vec![5_i64, 7, 15, 20, 25]);
        (rule, size, prop::collection::vec(0..49_u8, 0..45)).prop_map(|(rule, size, picks)| {
            let size = BoardSize::try_from(size).unwrap();
            let mut position = Position::new(rule, size);
            let corner = size.lines().saturating_sub(7) / 2;
            for pick in picks {
                let next = Cell::from_row(corner + pick / 7, corner + pick % 7, size);
                // A stone that is refused is left out; a game that has ended stays as it is.
                let _ = next.map(|cell| position.play(cell));
            }
            position
        })
    }

    proptest! {
        // Each case tries every move of a position.
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn reasons_hold_when_the_move_is_played(position in reached()) {
            let threats = Threats::of(&position);
            let (rule, color) = (position.rule(), position.to_move());
            for cell in position.legal_cells() {
                let mut after = position.clone();
                after.play(cell).unwrap();
                let reason = threats.reason_for(cell);
                let is_won = matches!(after.status(), Status::Won { winner, .. } if winner == color);
                prop_assert_eq!(reason.code == ReasonCode::WinNow, is_won, "{} on {}", cell, position.board());
                let own_next = matches!(
                    reason.code,
                    ReasonCode::MakesOpenFour | ReasonCode::MakesDoubleFour | ReasonCode::MakesFour
                );
                if own_next {
                    let all_win = reason.cells.iter().all(|next| wins(after.board(), *next, color, rule));
                    prop_assert!(all_win && !reason.cells.is_empty(), "{} on {}", cell, position.board());
                }
            }
        }
    }
}
