use crate::analysis::threats::side::{Least, Side, with_stone};
use crate::analysis::threats::{ForkKind, Pattern, Prospect, ThreatKind};
use crate::board::{Board, ByColor, Cell, Color, Direction};
use crate::rules::{Position, Status, scan};

/// All that threatens in a position.
///
/// ```
/// use tengen::analysis::{Survey, ThreatKind};
/// use tengen::board::{Board, Color};
/// use tengen::rules::{Position, Rule};
///
/// let board: Board = ".......\n.......\n..xxx..\n.......\n.......\n.......\noooo...".parse()?;
/// let survey = Survey::of(&Position::from_board(Rule::Standard, board, Color::Black)?);
/// assert_eq!(survey.must_defend, Some(vec!["e1".parse()?]));
/// let kinds: Vec<_> = survey.threats.iter().map(|threat| threat.pattern.kind).collect();
/// assert_eq!(kinds, [ThreatKind::Four, ThreatKind::OpenThree]);
/// assert_eq!(survey.threats[0].pattern.gain, ["e1".parse()?]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Survey {
    /// The threats of both sides, the strongest first, [`Survey::MOST_THREATS`] at most.
    pub threats: Vec<Threat>,
    /// How many threats there are.
    pub threat_count: usize,
    /// The cells where the side to move wins at once, in reading order; none when the game is over.
    pub win_now: Vec<Cell>,
    /// Where the other side would win with its next stone and the side to move cannot win first: all
    /// cells where it may play and leaves the other side no five. Perhaps there are none.
    pub must_defend: Option<Vec<Cell>>,
    /// Where the other side would make an open four with its next stone, and neither side can win at
    /// once nor the side to move make an open four first: all cells where it may play and leaves the
    /// other side no open four. Playing fours puts the choice off; that is not looked at.
    pub must_defend_next: Option<Vec<Cell>>,
    /// The cells where a side would threaten two things at once, the strongest first,
    /// [`Survey::MOST_FORKS`] at most; none when the game is over.
    pub forks: Vec<Fork>,
    /// How many forks there are.
    pub fork_count: usize,
    /// What a stone would make on each empty cell where it would make something, in reading order;
    /// nothing when the game is over.
    pub overlay: Vec<Sight>,
}

/// Stones that threaten something.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Threat {
    /// Whose stones.
    pub color: Color,
    /// The stones and where they gain.
    pub pattern: Pattern,
    /// The empty cells of the line, at most five steps from a gain, where a stone of the other side, if
    /// it may be played there, leaves no gain. In order along the line; none where nothing stops them.
    pub defence: Vec<Cell>,
}

/// A cell where a stone threatens two things at once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fork {
    /// Whose stone.
    pub color: Color,
    /// The cell. The side may play there, and does not win at once.
    pub cell: Cell,
    /// What the stone makes.
    pub kind: ForkKind,
    /// The fours and threes that it makes.
    pub patterns: Vec<Pattern>,
}

/// What stones would make on an empty cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sight {
    /// The cell.
    pub cell: Cell,
    /// The strongest thing that a stone of each colour would make.
    pub prospects: ByColor<Option<Prospect>>,
}

impl Survey {
    /// The most threats that are told: of more, the weakest are left out. Only boards made for it have
    /// more; 399 is the most that was found.
    pub const MOST_THREATS: usize = 200;
    /// The most forks that are told: of more, the weakest are left out.
    pub const MOST_FORKS: usize = 100;

    /// What threatens in a position.
    pub fn of(position: &Position) -> Survey {
        let mut board = position.board().clone();
        let sides = Color::ALL.map(|color| Side {
            rule: position.rule(),
            color,
        });
        let mut patterns = all_patterns(&mut board, sides);
        let threat_count = patterns.len();
        patterns.truncate(Survey::MOST_THREATS);
        let threats = patterns
            .into_iter()
            .map(|(side, pattern)| Threat {
                color: side.color,
                defence: side.defence(&mut board, &pattern),
                pattern,
            })
            .collect();
        let mut survey = Survey {
            threats,
            threat_count,
            win_now: Vec::new(),
            must_defend: None,
            must_defend_next: None,
            forks: Vec::new(),
            fork_count: 0,
            overlay: Vec::new(),
        };
        if position.status() == Status::Ongoing {
            survey.look_ahead(&mut board, sides);
            survey.say_what_must_be(position);
        }
        survey
    }

    /// Finds what stones would make on the empty cells.
    fn look_ahead(&mut self, board: &mut Board, sides: [Side; 2]) {
        for cell in board.size().cells() {
            if !board.is_empty(cell) {
                continue;
            }
            let mut prospects = ByColor::default();
            for side in sides {
                let (prospect, patterns) = look(board, cell, side);
                prospects[side.color] = prospect;
                if let Some(kind) = fork_kind(&patterns) {
                    self.forks.push(Fork {
                        color: side.color,
                        cell,
                        kind,
                        patterns,
                    });
                }
            }
            if prospects != ByColor::default() {
                self.overlay.push(Sight { cell, prospects });
            }
        }
        self.fork_count = self.forks.len();
        // Stable: of equal ones Black's and the upper ones stay at the front.
        self.forks.sort_by_key(|fork| (fork.kind, fork.color));
        self.forks.truncate(Survey::MOST_FORKS);
    }

    /// Says where the side to move wins, and where it has to play if it does not.
    fn say_what_must_be(&mut self, position: &Position) {
        let own = position.to_move();
        self.win_now = self.cells_with(own, Prospect::Five);
        let fives = self.cells_with(!own, Prospect::Five);
        let other = Side {
            rule: position.rule(),
            color: !own,
        };
        if !self.win_now.is_empty() {
            return;
        }
        if !fives.is_empty() {
            let stands = |board: &Board, cell| other.wins(board, cell);
            self.must_defend = Some(stops(position, &fives, stands));
        } else if self.cells_with(own, Prospect::OpenFour).is_empty()
            && !self.cells_with(!own, Prospect::OpenFour).is_empty()
        {
            let mut fours = self.cells_with(!own, Prospect::OpenFour);
            // What is forbidden now need not be after a stone.
            fours.extend(self.cells_with(!own, Prospect::Forbidden));
            let stands = |board: &Board, cell| other.opens_four(board, cell);
            self.must_defend_next = Some(stops(position, &fours, stands));
        }
    }

    /// The cells where a stone of a colour would make just this.
    fn cells_with(&self, color: Color, prospect: Prospect) -> Vec<Cell> {
        let sights = self.overlay.iter();
        sights
            .filter(|sight| sight.prospects[color] == Some(prospect))
            .map(|sight| sight.cell)
            .collect()
    }
}

/// The patterns of both sides on a board, the strongest first; of equal ones Black's, then by direction,
/// then the upper ones.
fn all_patterns(board: &mut Board, sides: [Side; 2]) -> Vec<(Side, Pattern)> {
    let mut found = Vec::new();
    let rule = sides[0].rule;
    let fives = scan(board, rule);
    for side in sides {
        let fives = fives[side.color].iter().map(|line| Pattern {
            kind: ThreatKind::Five,
            direction: line.direction,
            cells: line.cells().collect(),
            gain: Vec::new(),
        });
        found.extend(fives.map(|pattern| (side, pattern)));
        for direction in Direction::ALL {
            let patterns = side.patterns(board, direction);
            found.extend(patterns.into_iter().map(|pattern| (side, pattern)));
        }
    }
    let size = board.size();
    found.sort_by_key(|(side, pattern)| {
        let first = pattern.cells.first();
        let place = first.map(|cell| (cell.row(size), cell.column()));
        (pattern.kind, side.color, pattern.direction, place)
    });
    found
}

/// What a stone would make on an empty cell: the strongest thing, and the fours and threes if it builds
/// some.
fn look(board: &mut Board, cell: Cell, side: Side) -> (Option<Prospect>, Vec<Pattern>) {
    if side.wins(board, cell) {
        return (Some(Prospect::Five), Vec::new());
    }
    if !side.may_play(board, cell) {
        return (Some(Prospect::Forbidden), Vec::new());
    }
    with_stone(board, cell, side.color, |board| {
        let mut through = |least: Least| -> Vec<Pattern> {
            let lines = Direction::ALL.into_iter();
            lines
                .flat_map(|direction| side.patterns_through(board, cell, direction, least))
                .collect()
        };
        let patterns = through(Least::Three);
        let strongest = patterns.iter().map(|pattern| pattern.kind).min();
        let prospect = match strongest {
            Some(ThreatKind::Five) => Some(Prospect::Five),
            Some(ThreatKind::OpenFour) => Some(Prospect::OpenFour),
            Some(ThreatKind::Four | ThreatKind::BrokenFour) => Some(Prospect::Four),
            Some(ThreatKind::OpenThree | ThreatKind::BrokenThree) => Some(Prospect::OpenThree),
            Some(ThreatKind::Two) => Some(Prospect::Two),
            None => (!through(Least::Two).is_empty()).then_some(Prospect::Two),
        };
        (prospect, patterns)
    })
}

/// What fours and threes through one stone are together, if they are a fork.
fn fork_kind(patterns: &[Pattern]) -> Option<ForkKind> {
    let fours = patterns.iter().filter(|pattern| pattern.kind.is_four());
    let has = |direction: Direction, is_so: fn(ThreatKind) -> bool| {
        let mut own = patterns.iter();
        own.any(|pattern| pattern.direction == direction && is_so(pattern.kind))
    };
    // A line with a four has no three in it, and a line has one three at most, as renju counts them.
    let threes = Direction::ALL.into_iter().filter(|direction| {
        has(*direction, ThreatKind::is_three) && !has(*direction, ThreatKind::is_four)
    });
    match (fours.count(), threes.count()) {
        (2.., _) => Some(ForkKind::DoubleFour),
        (1, 1..) => Some(ForkKind::FourThree),
        (0, 2..) => Some(ForkKind::DoubleThree),
        (_, _) => None,
    }
}

/// The cells where the side to move may play and none of the other side's cells stands afterwards.
fn stops(
    position: &Position,
    threatened: &[Cell],
    stands: impl Fn(&Board, Cell) -> bool,
) -> Vec<Cell> {
    let mut board = position.board().clone();
    let mut stopping = Vec::new();
    for cell in position.legal_cells() {
        let is_stopped = with_stone(&mut board, cell, position.to_move(), |board| {
            let mut left = threatened.iter().filter(|threat| **threat != cell);
            !left.any(|threat| stands(board, *threat))
        });
        if is_stopped {
            stopping.push(cell);
        }
    }
    stopping
}
