use crate::board::{Board, Cell, Color, Direction, Sense, Square};
use crate::rules::Five;

/// The eleven places of a line around a cell, five to each side, as one colour sees them: enough to
/// know every five and every overline through the cell. The cell itself counts as that colour's stone.
///
/// Bit [`Lane::MIDDLE`] is the cell, higher bits lie ahead along the direction. What is in none of
/// the three words is outside the board.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lane {
    own: u16,
    free: u16,
    enemy: u16,
}

/// Five bits in a row.
const WINDOW: u16 = 0b1_1111;

impl Lane {
    /// The bit of the cell in the middle.
    pub const MIDDLE: i8 = 5;

    /// The lane of a colour through a cell along a direction.
    pub fn around(board: &Board, cell: Cell, color: Color, direction: Direction) -> Lane {
        let mut lane = Lane {
            own: 1 << Lane::MIDDLE,
            free: 0,
            enemy: 0,
        };
        for (sense, step) in [(Sense::Backward, -1), (Sense::Forward, 1)] {
            let mut place = Lane::MIDDLE;
            for square in board.beyond(cell, direction, sense).take(5) {
                place += step;
                let bit = 1 << place;
                match square {
                    Square::Empty => lane.free |= bit,
                    Square::Stone(stone) if stone == color => lane.own |= bit,
                    Square::Stone(_) | Square::Outside => lane.enemy |= bit,
                }
            }
        }
        lane
    }

    /// The lane of these words; the middle is an own stone whatever they say.
    pub const fn from_words(own: u16, free: u16, enemy: u16) -> Lane {
        Lane {
            own: own | 1 << Lane::MIDDLE,
            free,
            enemy,
        }
    }

    /// Does a winning row go through the middle?
    pub fn is_five(self, five: Five) -> bool {
        self.rows(five).any(|(_, missing)| missing == 0)
    }

    /// The number of stones in the unbroken row through the middle.
    pub const fn run(self) -> u32 {
        let behind = (self.own << (15 - Lane::MIDDLE)).leading_ones();
        (self.own >> Lane::MIDDLE).trailing_ones() + behind - 1
    }

    /// Is there a cell where one enemy stone leaves no completion?
    pub fn can_be_stopped(self, five: Five) -> bool {
        (0..11).map(|place| 1 << place).any(|cell| {
            let stopped = Lane {
                free: self.free & !cell,
                enemy: self.enemy | cell,
                ..self
            };
            self.free & cell != 0 && stopped.completions(five) == 0
        })
    }

    /// The cells, as bits, each of which would complete a winning row through the middle.
    pub fn completions(self, five: Five) -> u16 {
        self.windows(five).fold(0, |cells, (_, cell)| cells | cell)
    }

    /// How many fours the stone in the middle makes here: none, one, or two in one line. A straight
    /// four has two completions and is one four.
    pub fn fours(self, five: Five) -> u32 {
        match self.completions(five).count_ones() {
            0 => 0,
            1 => 1,
            _ if self.straight_four(five).is_some() => 1,
            _ => 2,
        }
    }

    /// The stones of each four in this lane with the cells that make it a five.
    pub fn four_shapes(self, five: Five) -> impl Iterator<Item = (u16, u16)> {
        let straight = self.straight_four(five);
        let others = self
            .windows(five)
            .filter(move |_| straight.is_none())
            .map(|(start, cell)| (WINDOW << start & !cell, cell));
        straight.into_iter().chain(others)
    }

    /// Four stones in an unbroken row that both ends complete, with those two ends.
    fn straight_four(self, five: Five) -> Option<(u16, u16)> {
        let completions = self.completions(five);
        (1..=5)
            .map(|start: u16| (0b1111 << (start + 1), 0b10_0001 << start))
            .find(|(stones, ends)| self.own & stones == *stones && completions & ends == *ends)
    }

    /// The cells, as bits, each of which would make a straight four with the middle: what makes a three.
    pub fn straight_four_cells(self, five: Five) -> u16 {
        // Four in a row with the middle among them and both ends free; three own stones, one free cell.
        (2..=5).fold(0, |cells, start| {
            let stones = 0b1111 << start;
            let missing = stones & !self.own;
            let is_three = missing.count_ones() == 1 && self.free & missing == missing;
            if is_three
                && self
                    .with_stones(missing)
                    .straight_four(five)
                    .is_some_and(|(four, _)| four == stones)
            {
                cells | missing
            } else {
                cells
            }
        })
    }

    /// The stones of the three that a cell (as a bit) makes straight.
    pub fn three_stones(self, cell: u16, five: Five) -> u16 {
        self.with_stones(cell)
            .straight_four(five)
            .map_or(0, |(stones, _)| stones & !cell)
    }

    /// The lane with own stones on these free cells.
    fn with_stones(self, cells: u16) -> Lane {
        Lane {
            own: self.own | cells,
            free: self.free & !cells,
            ..self
        }
    }

    /// The cells that a word of this lane stands for, along the direction; `middle` is the lane's cell.
    pub fn cells(
        self,
        middle: Cell,
        direction: Direction,
        word: u16,
    ) -> impl Iterator<Item = Cell> {
        (0..11)
            .filter(move |bit| word >> bit & 1 == 1)
            .filter_map(move |bit| direction.walk(middle, bit - Lane::MIDDLE))
    }

    /// The number of own stones in each row of five through the middle that the colour can still fill.
    pub fn open_rows(self) -> impl Iterator<Item = u32> {
        (1..=5)
            .map(|start| WINDOW << start)
            .filter(move |row| (self.own | self.free) & row == *row)
            .map(move |row| (self.own & row).count_ones())
    }

    /// Each row of five through the middle that lacks one stone, by its first bit, and the lacking cell.
    fn windows(self, five: Five) -> impl Iterator<Item = (u16, u16)> {
        self.rows(five)
            .filter(|(_, missing)| missing.count_ones() == 1)
    }

    /// Each row of five through the middle that would win when filled, by its first bit, and what it lacks.
    fn rows(self, five: Five) -> impl Iterator<Item = (u16, u16)> {
        (1..=5).filter_map(move |start| {
            let missing = WINDOW << start & !self.own;
            let ends = 0b100_0001 << (start - 1);
            let completes = match five {
                Five::AtLeast => true,
                Five::Exactly => self.own & ends == 0,
                Five::ExactlyOpen => self.own & ends == 0 && self.enemy & ends != ends,
            };
            (self.free & missing == missing && completes).then_some((start, missing))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A lane from eleven characters with the middle one `X`: `x` own, `o` enemy, `.` free, `#` outside.
    fn lane(text: &str) -> Lane {
        let mut lane = Lane {
            own: 0,
            free: 0,
            enemy: 0,
        };
        assert_eq!(text.chars().position(|c| c == 'X'), Some(5), "{text}");
        for (bit, character) in text.chars().enumerate() {
            match character {
                'x' | 'X' => lane.own |= 1 << bit,
                '.' => lane.free |= 1 << bit,
                'o' => lane.enemy |= 1 << bit,
                _ => {}
            }
        }
        lane
    }

    fn places(word: u16) -> Vec<u16> {
        (0..11).filter(|bit| word >> bit & 1 == 1).collect()
    }

    #[test]
    fn fours_are_counted_with_two_in_one_line_and_a_straight_four_once() {
        for (text, fours) in [
            (".....X.....", 0),
            ("...xxX.....", 0),
            ("..xxxX.....", 1),
            (".oxxxX.....", 1),
            (".oxxxXo....", 0),
            ("..x.xXx....", 1),
            ("x.xx.Xx....", 1), // x.xx needs five with b empty: only the gap makes exactly five
            (".x.xxX.x...", 2),
            (".xx.xX.xx..", 2),
            ("xxx.xX.xxx.", 0), // both gaps make six or more
            (".xxx.X.xxx.", 2),
            ("#####Xxxx..", 1),
            ("#####Xxxx#.", 0),
            ("x.xxxX.....", 1), // the left gap makes six
            ("x.xxxX.x...", 0),
        ] {
            assert_eq!(lane(text).fours(Five::Exactly), fours, "{text}");
        }
    }

    #[test]
    fn completions_depend_on_what_counts_as_a_five() {
        let shut_in = lane(".oxxxX.o...");
        assert_eq!(places(shut_in.completions(Five::AtLeast)), [6]);
        assert_eq!(places(shut_in.completions(Five::Exactly)), [6]);
        assert_eq!(shut_in.completions(Five::ExactlyOpen), 0);
        let six = lane("..xxxX.x...");
        assert_eq!(places(six.completions(Five::AtLeast)), [1, 6]);
        assert_eq!(places(six.completions(Five::Exactly)), [1]);
    }

    #[test]
    fn threes_need_room_for_a_straight_four() {
        for (text, cells) in [
            ("...xxX.....", vec![2, 6]),
            ("..oxxX.....", vec![]),
            (".o.xxX.....", vec![6]),
            (".o.xxX.o...", vec![]),
            ("..x.xX.....", vec![3]),
            (".ox.xXo....", vec![]),
            ("x..xxX.....", vec![6]), // at 2 the far stone would make six
            ("###.xXx....", vec![7]),
            ("####xXx....", vec![]),
        ] {
            assert_eq!(
                places(lane(text).straight_four_cells(Five::Exactly)),
                cells,
                "{text}"
            );
        }
    }
}
