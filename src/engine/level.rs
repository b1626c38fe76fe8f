use crate::engine::chance::Chance;
use crate::engine::score::DECIDED;
use crate::engine::{Line, Score};

/// How strongly the engine plays, from 1 (a child can win) to 10 (as well as it can).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Level(u8);

/// What makes a level weaker than the engine can be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Handicap {
    /// The most positions looked at.
    pub(super) nodes: u64,
    /// How many of the best moves are chosen from.
    pub(super) choices: usize,
    /// By how many points a move may be worse and still be chosen about a third as often.
    pub(super) tolerance: f64,
    /// May a threat of the other side be overlooked?
    pub(super) threats: Threats,
}

/// Whether a threat that loses at once is always answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Threats {
    Overlooked,
    Answered,
}

/// No move counts as worse than by so many points, so that even a loss is sometimes not seen.
const MOST_WORSE: f64 = 1_500.0;

/// The handicaps of the levels 1 to 9, chosen so that each level beats the one below it in at least six
/// games of ten (`examples/tune.rs`, `docs/engine.md`).
const HANDICAPS: [Handicap; 9] = [
    Handicap {
        nodes: 400,
        choices: 16,
        tolerance: 400.0,
        threats: Threats::Overlooked,
    },
    Handicap {
        nodes: 400,
        choices: 12,
        tolerance: 170.0,
        threats: Threats::Overlooked,
    },
    Handicap {
        nodes: 600,
        choices: 10,
        tolerance: 110.0,
        threats: Threats::Answered,
    },
    Handicap {
        nodes: 700,
        choices: 8,
        tolerance: 55.0,
        threats: Threats::Answered,
    },
    Handicap {
        nodes: 1000,
        choices: 6,
        tolerance: 40.0,
        threats: Threats::Answered,
    },
    Handicap {
        nodes: 3500,
        choices: 5,
        tolerance: 25.0,
        threats: Threats::Answered,
    },
    Handicap {
        nodes: 14000,
        choices: 4,
        tolerance: 15.0,
        threats: Threats::Answered,
    },
    Handicap {
        nodes: 50000,
        choices: 3,
        tolerance: 10.0,
        threats: Threats::Answered,
    },
    Handicap {
        nodes: 200000,
        choices: 2,
        tolerance: 6.0,
        threats: Threats::Answered,
    },
];

/// The measured strength of the levels; see [`Level::elo`].
const ELO: [i32; 10] = [-1650, -1370, -1110, -1010, -840, -680, -540, -390, -260, 0];

impl Handicap {
    /// Puts the move that chance chooses in front of the better ones. A five that can be made is made.
    pub(super) fn apply(&self, lines: &mut [Line], chance: &mut Chance) {
        let is_over = |line: &Line| line.score >= Score::win_in(1);
        let Some(best) = lines.first().filter(|line| !is_over(line)) else {
            return;
        };
        let best = best.score.number().min(DECIDED);
        let loses = |line: &Line| line.score.number() <= -DECIDED;
        let may_lose = self.threats == Threats::Overlooked || lines.iter().all(loses);
        let weight = |(rank, line): (usize, &Line)| {
            if rank >= self.choices || loses(line) && !may_lose {
                return 0.0;
            }
            let worse = f64::from(best - line.score.number()).clamp(0.0, MOST_WORSE);
            (-worse / self.tolerance).exp()
        };
        let weights: Vec<f64> = lines.iter().enumerate().map(weight).collect();
        let mut rest = chance.part() * weights.iter().sum::<f64>();
        let chosen = weights.iter().position(|weight| {
            rest -= weight;
            rest < 0.0
        });
        lines[..=chosen.unwrap_or(0)].rotate_right(1);
    }
}

impl Level {
    /// As well as the engine can.
    pub const FULL: Level = Level(10);

    /// The level of a number from 1 to 10.
    pub const fn new(number: u8) -> Option<Level> {
        match number {
            1..=10 => Some(Level(number)),
            _ => None,
        }
    }

    /// The number, from 1 to 10.
    pub const fn number(self) -> u8 {
        self.0
    }

    /// All levels, the weakest first.
    pub fn all() -> impl Iterator<Item = Level> {
        (1..=10).map(Level)
    }

    /// The strength in Elo relative to level 10, added up from matches between neighbouring levels; how they
    /// were played stands in `docs/engine.md`.
    pub const fn elo(self) -> i32 {
        ELO[self.0 as usize - 1]
    }

    /// What makes this level weaker; none at full strength.
    pub(super) fn handicap(self) -> Option<Handicap> {
        HANDICAPS.get(usize::from(self.0 - 1)).copied()
    }
}
