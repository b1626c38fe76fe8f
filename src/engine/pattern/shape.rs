//! What a stone makes in one line, worked out from the meaning of the shapes.

use crate::rules::{Five, Lane};

/// What a stone in the middle of a line of eleven places makes in that line, for its own colour.
///
/// The names tell how many of the five stones are there; an *open* three or two can still become an open
/// four, a closed one only a four that one stone stops. `Plus` marks more ways to go on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub(in crate::engine) enum Shape {
    /// No five can ever stand here.
    Dead,
    ClosedOne,
    OpenOne,
    ClosedTwo,
    ClosedTwoPlus,
    /// One cell makes it an open three.
    OpenTwo,
    /// Two or three cells do.
    OpenTwoPlus,
    /// Four or more do.
    OpenTwoFull,
    ClosedThree,
    ClosedThreePlus,
    /// One cell makes it an open four.
    OpenThree,
    /// Two or more do.
    OpenThreePlus,
    /// One cell makes it a five, or one enemy stone stops all of them.
    Four,
    /// It becomes a five whatever the other side plays.
    OpenFour,
    Five,
    /// An overline or a double four in one line where renju forbids them to Black.
    Foul,
}

impl Shape {
    /// How many there are.
    pub(in crate::engine) const COUNT: usize = 16;

    const ALL: [Shape; Shape::COUNT] = [
        Shape::Dead,
        Shape::ClosedOne,
        Shape::OpenOne,
        Shape::ClosedTwo,
        Shape::ClosedTwoPlus,
        Shape::OpenTwo,
        Shape::OpenTwoPlus,
        Shape::OpenTwoFull,
        Shape::ClosedThree,
        Shape::ClosedThreePlus,
        Shape::OpenThree,
        Shape::OpenThreePlus,
        Shape::Four,
        Shape::OpenFour,
        Shape::Five,
        Shape::Foul,
    ];

    /// The shape of the low four bits of a number.
    pub(in crate::engine) const fn of_bits(bits: u16) -> Shape {
        Shape::ALL[(bits & 15) as usize]
    }
}

/// What the places along a line hold, two bits each, nearest first: the one behind, then the one ahead.
pub(in crate::engine) type LineKey = u32;

/// The bits of a place in a [`LineKey`].
pub(in crate::engine) mod place {
    pub(in crate::engine) const FREE: u32 = 0;
    pub(in crate::engine) const BLACK: u32 = 1;
    pub(in crate::engine) const WHITE: u32 = 2;
    pub(in crate::engine) const OUTSIDE: u32 = 3;
}

/// The lowest bit of the place so many steps behind the middle.
pub(in crate::engine) const fn bit_behind(distance: usize) -> usize {
    4 * (distance - 1)
}

/// The lowest bit of the place so many steps ahead of the middle.
pub(in crate::engine) const fn bit_ahead(distance: usize) -> usize {
    4 * (distance - 1) + 2
}

/// Does the rule forbid the colour an overline and two fours?
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Fouls {
    Forbidden,
    Allowed,
}

/// Works out shapes from their definitions, each by those of the line with one stone more.
pub(super) struct LineShapes {
    five: Five,
    fouls: Fouls,
    radius: usize,
    known: Vec<Option<Shape>>,
}

impl LineShapes {
    pub(super) fn new(five: Five, fouls: Fouls, radius: usize) -> LineShapes {
        LineShapes {
            five,
            fouls,
            radius,
            known: vec![None; 1 << (4 * radius)],
        }
    }

    /// Every key that a board can show: what is outside has nothing of the board beyond it.
    pub(super) fn keys(radius: usize) -> impl Iterator<Item = LineKey> {
        let arms = move || {
            (0..4_u32.pow(radius as u32)).filter(move |arm| {
                let places = (0..radius).map(|step| arm >> (2 * step) & 3);
                let mut outside = places.map(|place| place == place::OUTSIDE);
                outside.by_ref().find(|is_outside| *is_outside);
                outside.all(|is_outside| is_outside)
            })
        };
        let spread = move |arm: u32| {
            (0..radius).fold(0, |key, step| key | (arm >> (2 * step) & 3) << (4 * step))
        };
        arms().flat_map(move |behind| arms().map(move |ahead| spread(behind) | spread(ahead) << 2))
    }

    /// The shape for the colour whose stones the key calls black.
    pub(super) fn shape(&mut self, key: LineKey) -> Shape {
        if let Some(shape) = self.known[key as usize] {
            return shape;
        }
        let shape = self.judge(key);
        self.known[key as usize] = Some(shape);
        shape
    }

    fn judge(&mut self, key: LineKey) -> Shape {
        let lane = lane(key, self.radius);
        if lane.is_five(self.five) {
            return Shape::Five;
        }
        if self.fouls == Fouls::Forbidden && lane.run() > 5 {
            return Shape::Foul;
        }
        match lane.completions(self.five).count_ones() {
            0 => self.judge_below_four(key, lane),
            1 => Shape::Four,
            _ if self.fouls == Fouls::Forbidden && lane.fours(self.five) > 1 => Shape::Foul,
            // In caro a stone beside a row can stop it at both ends at once.
            _ if self.five == Five::ExactlyOpen && lane.can_be_stopped(self.five) => Shape::Four,
            _ => Shape::OpenFour,
        }
    }

    fn judge_below_four(&mut self, key: LineKey, lane: Lane) -> Shape {
        let mut ways = [0_u32; Shape::COUNT];
        for step in 1..=self.radius {
            for bit in [bit_behind(step), bit_ahead(step)] {
                if key >> bit & 3 == place::FREE {
                    ways[self.shape(key | place::BLACK << bit) as usize] += 1;
                }
            }
        }
        let to = |shapes: &[Shape]| -> u32 { shapes.iter().map(|s| ways[*s as usize]).sum() };
        let to_open_four = to(&[Shape::OpenFour]);
        let to_four = to(&[Shape::Four, Shape::OpenFour]);
        let to_open_three = to(&[Shape::OpenThree, Shape::OpenThreePlus]);
        let to_closed_three = to(&[Shape::ClosedThree, Shape::ClosedThreePlus]) + to_open_three;
        let to_open_two = to(&[Shape::OpenTwo, Shape::OpenTwoPlus, Shape::OpenTwoFull]);
        match () {
            () if to_open_four > 1 => Shape::OpenThreePlus,
            () if to_open_four > 0 => Shape::OpenThree,
            // One row of five that lacks two stones gives two ways; more ways, more rows.
            () if to_four > 2 => Shape::ClosedThreePlus,
            () if to_four > 0 => Shape::ClosedThree,
            () if to_open_three > 3 => Shape::OpenTwoFull,
            () if to_open_three > 1 => Shape::OpenTwoPlus,
            () if to_open_three > 0 => Shape::OpenTwo,
            () if to_closed_three > 3 => Shape::ClosedTwoPlus,
            () if to_closed_three > 0 => Shape::ClosedTwo,
            () if to_open_two > 0 => Shape::OpenOne,
            () if lane.open_rows().next().is_some() => Shape::ClosedOne,
            () => Shape::Dead,
        }
    }
}

/// The bit of the middle.
const MIDDLE: usize = Lane::MIDDLE as usize;

/// The lane that a line key shows, as the colour sees it whose stones the key calls black.
fn lane(key: LineKey, radius: usize) -> Lane {
    let [mut own, mut free, mut enemy] = [0; 3];
    for step in 1..=radius {
        for (bit, place) in [
            (bit_behind(step), MIDDLE - step),
            (bit_ahead(step), MIDDLE + step),
        ] {
            match key >> bit & 3 {
                place::FREE => free |= 1 << place,
                place::BLACK => own |= 1 << place,
                place::WHITE => enemy |= 1 << place,
                _ => {}
            }
        }
    }
    Lane::from_words(own, free, enemy)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Color;
    use crate::engine::pattern::Patterns;
    use crate::rules::Rule;

    /// A place of a line as the middle's colour sees it, in the numbers of [`place`].
    type Seen = u8;
    const FREE: Seen = 0;
    const OWN: Seen = 1;
    const ENEMY: Seen = 2;
    const OUTSIDE: Seen = 3;

    /// Eleven places with an own stone in the middle.
    type Row = [Seen; 11];
    const ROWS: usize = 1 << 22;

    /// The definitions of [`Shape`] once more, read from their words and played out on the line; nothing of
    /// the code above but the names. What was found is kept, as a line is asked for from many others.
    struct Slow {
        five: Five,
        has_fouls: bool,
        known: Vec<Option<Shape>>,
    }

    impl Slow {
        fn new(five: Five, has_fouls: bool) -> Slow {
            Slow {
                five,
                has_fouls,
                known: vec![None; ROWS],
            }
        }

        fn shape(&mut self, row: Row) -> Shape {
            let number = row
                .iter()
                .fold(0, |number, seen| number << 2 | usize::from(*seen));
            if let Some(shape) = self.known[number] {
                return shape;
            }
            let shape = self.judge(row);
            self.known[number] = Some(shape);
            shape
        }

        fn judge(&mut self, row: Row) -> Shape {
            if self.has_won(row, MIDDLE) {
                return Shape::Five;
            }
            if self.has_fouls && run(row, MIDDLE).len() > 5 {
                return Shape::Foul;
            }
            if self.has_fouls && self.fives(row).nth(1).is_some() && !self.is_straight(row) {
                return Shape::Foul;
            }
            if self.fives(row).next().is_some() {
                let stops_all = |place| self.fives(with(row, place, ENEMY)).next().is_none();
                return if free(row).any(stops_all) {
                    Shape::Four
                } else {
                    Shape::OpenFour
                };
            }
            let mut next = [0; Shape::COUNT];
            for place in free(row) {
                next[self.shape(with(row, place, OWN)) as usize] += 1;
            }
            let count = |shapes: &[Shape]| {
                shapes
                    .iter()
                    .map(|shape| next[*shape as usize])
                    .sum::<u32>()
            };
            let open_fours = count(&[Shape::OpenFour]);
            let fours = count(&[Shape::Four]) + open_fours;
            let open_threes = count(&[Shape::OpenThree, Shape::OpenThreePlus]);
            let threes = count(&[Shape::ClosedThree, Shape::ClosedThreePlus]) + open_threes;
            let open_twos = count(&[Shape::OpenTwo, Shape::OpenTwoPlus, Shape::OpenTwoFull]);
            match (open_fours, fours, open_threes, threes, open_twos) {
                (2.., ..) => Shape::OpenThreePlus,
                (1, ..) => Shape::OpenThree,
                (_, 3.., ..) => Shape::ClosedThreePlus,
                (_, 1.., ..) => Shape::ClosedThree,
                (_, _, 4.., ..) => Shape::OpenTwoFull,
                (_, _, 2.., ..) => Shape::OpenTwoPlus,
                (_, _, 1, ..) => Shape::OpenTwo,
                (_, _, _, 4.., _) => Shape::ClosedTwoPlus,
                (_, _, _, 1.., _) => Shape::ClosedTwo,
                (.., 1..) => Shape::OpenOne,
                _ if has_room(row) => Shape::ClosedOne,
                _ => Shape::Dead,
            }
        }

        /// Does the unbroken row of own stones through a place win?
        fn has_won(&self, row: Row, at: usize) -> bool {
            let run = run(row, at);
            let is_enemy =
                |place: Option<usize>| place.is_some_and(|place| row.get(place) == Some(&ENEMY));
            let is_shut_in = is_enemy(run.start.checked_sub(1)) && is_enemy(Some(run.end));
            match self.five {
                Five::AtLeast => run.len() >= 5,
                Five::Exactly => run.len() == 5,
                Five::ExactlyOpen => run.len() == 5 && !is_shut_in,
            }
        }

        /// The free places where an own stone makes a five that the middle belongs to.
        fn fives(&self, row: Row) -> impl Iterator<Item = usize> {
            free(row).filter(move |place| {
                let row = with(row, *place, OWN);
                self.has_won(row, *place) && run(row, *place).contains(&MIDDLE)
            })
        }

        /// Are the middle's four stones unbroken, with both ends making the five?
        fn is_straight(&self, row: Row) -> bool {
            let run = run(row, MIDDLE);
            let makes_five = |end| self.fives(row).any(|place| place == end);
            run.len() == 4
                && makes_five(run.end)
                && run.start.checked_sub(1).is_some_and(makes_five)
        }
    }

    fn with(mut row: Row, place: usize, seen: Seen) -> Row {
        row[place] = seen;
        row
    }

    fn free(row: Row) -> impl Iterator<Item = usize> {
        (0..11).filter(move |place| row[*place] == FREE)
    }

    fn run(row: Row, at: usize) -> std::ops::Range<usize> {
        let (mut start, mut end) = (at, at);
        while start > 0 && row[start - 1] == OWN {
            start -= 1;
        }
        while end < row.len() && row[end] == OWN {
            end += 1;
        }
        start..end
    }

    fn has_room(row: Row) -> bool {
        let is_room = |places: &[Seen]| places.iter().all(|seen| [FREE, OWN].contains(seen));
        (1..=MIDDLE).any(|start| is_room(&row[start..start + 5]))
    }

    /// Every line that a board can show: behind an edge lies nothing more of the board.
    fn rows() -> impl Iterator<Item = Row> {
        let arms = || {
            (0..4_u16.pow(5)).filter_map(|number| {
                let arm: [Seen; 5] = std::array::from_fn(|step| (number >> (2 * step) & 3) as Seen);
                let outside = arm.iter().skip_while(|seen| **seen != OUTSIDE);
                outside.copied().all(|seen| seen == OUTSIDE).then_some(arm)
            })
        };
        arms().flat_map(move |behind| {
            arms().map(move |ahead| {
                let mut row = [OWN; 11];
                for step in 0..5 {
                    row[MIDDLE - 1 - step] = behind[step];
                    row[MIDDLE + 1 + step] = ahead[step];
                }
                row
            })
        })
    }

    /// The key of a line whose middle is of a colour.
    fn key(row: Row, color: Color) -> LineKey {
        let place = |seen: Seen| match (seen, color) {
            (FREE, _) => place::FREE,
            (OUTSIDE, _) => place::OUTSIDE,
            (OWN, Color::Black) | (ENEMY, Color::White) => place::BLACK,
            _ => place::WHITE,
        };
        (1..=5).fold(0, |key, step| {
            key | place(row[MIDDLE - step]) << bit_behind(step)
                | place(row[MIDDLE + step]) << bit_ahead(step)
        })
    }

    fn picture(row: Row) -> String {
        row.iter()
            .map(|seen| ['.', 'x', 'o', '#'][usize::from(*seen)])
            .collect()
    }

    /// Holds the table of some rules and colours against the slow definition, on every line there is.
    fn assert_table(five: Five, has_fouls: bool, users: &[(Rule, Color)]) {
        let mut slow = Slow::new(five, has_fouls);
        let mut wrong = Vec::new();
        for row in rows() {
            let right = slow.shape(row);
            for (rule, color) in users {
                assert_eq!(rule.five(*color), five);
                let pair = Patterns::of(*rule).pair(key(row, *color));
                let shape = Shape::of_bits(u16::from(match color {
                    Color::Black => pair & 15,
                    Color::White => pair >> 4,
                }));
                if shape != right {
                    wrong.push(format!(
                        "{} {rule} {color}: {shape:?} for {right:?}",
                        picture(row)
                    ));
                }
            }
        }
        assert!(
            wrong.is_empty(),
            "{} lines, as\n{}",
            wrong.len(),
            wrong[..wrong.len().min(40)].join("\n")
        );
    }

    #[test]
    fn every_line_is_seen_as_defined_where_five_or_more_win() {
        let users = [
            (Rule::Freestyle, Color::Black),
            (Rule::Freestyle, Color::White),
            (Rule::Renju, Color::White),
        ];
        assert_table(Five::AtLeast, false, &users);
    }

    #[test]
    fn every_line_is_seen_as_defined_where_exactly_five_win() {
        let users = [
            (Rule::Standard, Color::Black),
            (Rule::Standard, Color::White),
        ];
        assert_table(Five::Exactly, false, &users);
    }

    #[test]
    fn every_line_is_seen_as_defined_where_overlines_and_double_fours_are_forbidden() {
        assert_table(Five::Exactly, true, &[(Rule::Renju, Color::Black)]);
    }

    #[test]
    fn every_line_is_seen_as_defined_where_a_five_may_not_be_shut_in() {
        let users = [(Rule::Caro, Color::Black), (Rule::Caro, Color::White)];
        assert_table(Five::ExactlyOpen, false, &users);
    }
}
