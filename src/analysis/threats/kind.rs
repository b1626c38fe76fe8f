/// What stones of one line are, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ThreatKind {
    /// A row that wins.
    Five,
    /// Four in an unbroken row that either end makes a five, so that no one stone stops it.
    OpenFour,
    /// Four in an unbroken row that one more makes a five.
    Four,
    /// Stones with one gap between them that a stone in the gap makes a five.
    BrokenFour,
    /// Three in an unbroken row that one more makes an open four.
    OpenThree,
    /// Three with a gap between them that a stone in the gap makes an open four.
    BrokenThree,
    /// Two that one more makes a three, open or broken.
    Two,
}

impl ThreatKind {
    /// All of them.
    pub const ALL: [ThreatKind; 7] = [
        ThreatKind::Five,
        ThreatKind::OpenFour,
        ThreatKind::Four,
        ThreatKind::BrokenFour,
        ThreatKind::OpenThree,
        ThreatKind::BrokenThree,
        ThreatKind::Two,
    ];

    /// The name in snake case, as `open_four`.
    pub const fn name(self) -> &'static str {
        match self {
            ThreatKind::Five => "five",
            ThreatKind::OpenFour => "open_four",
            ThreatKind::Four => "four",
            ThreatKind::BrokenFour => "broken_four",
            ThreatKind::OpenThree => "open_three",
            ThreatKind::BrokenThree => "broken_three",
            ThreatKind::Two => "two",
        }
    }

    /// Is it one stone short of a five?
    pub const fn is_four(self) -> bool {
        matches!(
            self,
            ThreatKind::OpenFour | ThreatKind::Four | ThreatKind::BrokenFour
        )
    }

    /// Is it one stone short of an open four?
    pub const fn is_three(self) -> bool {
        matches!(self, ThreatKind::OpenThree | ThreatKind::BrokenThree)
    }
}

/// What a stone makes that threatens two things at once, the strongest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ForkKind {
    /// Two fours or more, be it in one line.
    DoubleFour,
    /// A four, and a three in another line.
    FourThree,
    /// Threes in two lines or more.
    DoubleThree,
}

impl ForkKind {
    /// All three.
    pub const ALL: [ForkKind; 3] = [
        ForkKind::DoubleFour,
        ForkKind::FourThree,
        ForkKind::DoubleThree,
    ];

    /// The name in snake case, as `four_three`.
    pub const fn name(self) -> &'static str {
        match self {
            ForkKind::DoubleFour => "double_four",
            ForkKind::FourThree => "four_three",
            ForkKind::DoubleThree => "double_three",
        }
    }
}

/// The strongest thing that a stone would make on an empty cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Prospect {
    /// A row that wins.
    Five,
    /// An open four.
    OpenFour,
    /// A four, broken or not.
    Four,
    /// A three, open or broken.
    OpenThree,
    /// A two.
    Two,
    /// Nothing: renju forbids Black the cell.
    Forbidden,
}

impl Prospect {
    /// All of them.
    pub const ALL: [Prospect; 6] = [
        Prospect::Five,
        Prospect::OpenFour,
        Prospect::Four,
        Prospect::OpenThree,
        Prospect::Two,
        Prospect::Forbidden,
    ];

    /// The name in snake case, as `open_three`.
    pub const fn name(self) -> &'static str {
        match self {
            Prospect::Five => "five",
            Prospect::OpenFour => "open_four",
            Prospect::Four => "four",
            Prospect::OpenThree => "open_three",
            Prospect::Two => "two",
            Prospect::Forbidden => "forbidden",
        }
    }
}
