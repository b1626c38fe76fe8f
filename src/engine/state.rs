use crate::board::{Board, BoardSize, ByColor, Color, mix, mixed};
use crate::engine::cells::{CellSet, Place};
use crate::engine::laid::{Laid, Lines, MARGIN, STEPS, shapes_of};
use crate::engine::network::{self, Network, Sums};
use crate::engine::pattern::{
    Class, LineKey, Patterns, Shape, Shapes, bit_ahead, bit_behind, lines_of, place,
};
use crate::rules::forbidden::{self, Verdict};
use crate::rules::{Position, Rule};

/// A position as the search sees it: what a stone on each empty cell would make, kept up to date as
/// stones are put and taken.
pub(super) struct State {
    pub(super) rule: Rule,
    patterns: &'static Patterns,
    laid: &'static Laid,
    board: Board,
    to_move: Color,
    key: u64,
    empty: CellSet,
    /// The cells near some stone, with or without a stone themselves.
    near: CellSet,
    lines: Lines,
    shapes: ByColor<[Shapes; Place::COUNT]>,
    classes: ByColor<[Class; Place::COUNT]>,
    sets: ByColor<[CellSet; 3]>,
    network: &'static Network,
    /// The sums of the evaluation after each stone, as far as they were asked for, from that of this number on.
    sums: Vec<Sums>,
    first_sums: usize,
    /// The stones put since the first position, and what they have changed.
    stones: Vec<Placed>,
    changes: Vec<Change>,
}

/// The empty cells of a colour that a search asks for as a whole.
#[derive(Clone, Copy)]
pub(super) enum Makes {
    /// They make a five.
    Five,
    /// They make an open four or two fours.
    OpenFour,
    /// They make a four of any kind.
    Four,
}

/// A stone that was put, and what is needed to take it again.
struct Placed {
    place: Place,
    color: Color,
    shapes: ByColor<Shapes>,
    near: CellSet,
    changes: usize,
}

/// What a cell was like before a stone changed it along one line, and the shapes after.
struct Change {
    place: Place,
    shapes: ByColor<Shapes>,
    new_shapes: ByColor<Shapes>,
    classes: ByColor<Class>,
}

/// The sets that a class belongs to, a bit each by [`Makes`].
const fn sets_of(class: Class) -> u8 {
    match class {
        Class::Five => 1 << Makes::Five as u8,
        Class::OpenFour => 1 << Makes::OpenFour as u8 | 1 << Makes::Four as u8,
        Class::Four | Class::FourThree => 1 << Makes::Four as u8,
        Class::Three | Class::DoubleThree | Class::Quiet | Class::Foul => 0,
    }
}

impl State {
    /// The state at a position. All its stones are put at once, so that what they make is worked out once.
    pub(super) fn new(position: &Position) -> State {
        let mut state = State::empty(position.rule(), position.board().size());
        for (cell, color) in position.board().occupied() {
            state.mark(Place::of(cell), color, |_, _, _, _| {});
        }
        let empty = state.empty;
        for place in empty.iter() {
            let shapes = shapes_of(state.patterns, state.lines[place.index() + MARGIN]);
            if shapes != state.shapes_at(place) {
                state.set_shapes(place, shapes);
            }
        }
        state.to_move = position.to_move();
        state
    }

    fn empty(rule: Rule, size: BoardSize) -> State {
        let laid = Laid::of(rule, size);
        State {
            rule,
            patterns: Patterns::of(rule),
            laid,
            board: Board::new(size),
            to_move: Color::Black,
            key: mixed(u64::from(size.lines()) << 2 | rule as u64),
            empty: CellSet::board(size),
            near: CellSet::EMPTY,
            lines: laid.lines,
            shapes: laid.shapes,
            classes: laid.classes,
            sets: ByColor {
                black: [CellSet::EMPTY; 3],
                white: [CellSet::EMPTY; 3],
            },
            network: Network::of(rule),
            sums: Vec::new(),
            first_sums: 0,
            stones: Vec::new(),
            changes: Vec::new(),
        }
    }

    /// The sums of the present position, from those of the board before the first stone.
    fn whole_sums(&self) -> Sums {
        let mut sums = self.laid.sums;
        for place in CellSet::board(self.size()).iter() {
            let (before, now) = (self.laid.shapes.at(place.index()), self.shapes_at(place));
            if !self.empty.has(place) {
                self.network.remove(&mut sums, before);
            } else if now != before {
                self.network.change(&mut sums, before, now);
            }
        }
        sums
    }

    pub(super) fn size(&self) -> BoardSize {
        self.board.size()
    }

    pub(super) fn to_move(&self) -> Color {
        self.to_move
    }

    /// A key of the stones and the turn.
    #[inline]
    pub(super) fn key(&self) -> u64 {
        match self.to_move {
            Color::Black => self.key,
            Color::White => !self.key,
        }
    }

    /// The key after a stone of the side to move.
    #[inline]
    pub(super) fn key_after(&self, place: Place) -> u64 {
        let stones = self.key ^ stone_key(place, self.to_move);
        match self.to_move {
            Color::Black => !stones,
            Color::White => stones,
        }
    }

    /// The places of the last stone and of the one before, as far as they were put since the first position.
    #[inline]
    pub(super) fn recent(&self) -> [Option<Place>; 2] {
        let mut since = self.stones.iter().rev();
        std::array::from_fn(|_| since.next().map(|stone| stone.place))
    }

    pub(super) fn is_full(&self) -> bool {
        self.empty.is_empty()
    }

    pub(super) fn is_empty_at(&self, place: Place) -> bool {
        self.empty.has(place)
    }

    pub(super) fn empty_cells(&self) -> &CellSet {
        &self.empty
    }

    /// The empty cells near some stone.
    pub(super) fn candidates(&self) -> CellSet {
        self.near.and(&self.empty)
    }

    /// The empty cells where a stone of a colour would make something, forbidden ones only where they are
    /// doubtful.
    #[inline]
    pub(super) fn makers(&self, color: Color, makes: Makes) -> &CellSet {
        &self.sets[color][makes as usize]
    }

    #[inline]
    pub(super) fn class(&self, color: Color, place: Place) -> Class {
        self.classes[color][place.index()]
    }

    #[inline]
    pub(super) fn shapes(&self, color: Color, place: Place) -> Shapes {
        self.shapes[color][place.index()]
    }

    #[inline]
    pub(super) fn shapes_at(&self, place: Place) -> ByColor<Shapes> {
        self.shapes.at(place.index())
    }

    #[inline]
    pub(super) fn classes_at(&self, place: Place) -> ByColor<Class> {
        self.classes.at(place.index())
    }

    /// May the colour play on this empty cell? Only renju's forbidden cells say no.
    pub(super) fn allows(&self, color: Color, place: Place) -> bool {
        match self.class(color, place) {
            Class::Five => true,
            Class::Foul => false,
            _ if !self.patterns.is_doubtful(color, self.shapes(color, place)) => true,
            _ => place
                .cell()
                .is_some_and(|cell| forbidden::verdict(&self.board, cell) == Verdict::Legal),
        }
    }

    /// Does only the whole board tell whether the colour may play on this empty cell?
    pub(super) fn is_doubtful(&self, color: Color, place: Place) -> bool {
        self.patterns.is_doubtful(color, self.shapes(color, place))
    }

    /// The empty cells where a stone of a colour makes four stones that lack one, forbidden ones among them.
    pub(super) fn all_fours(&self, color: Color) -> CellSet {
        let mut fours = *self.makers(color, Makes::Four);
        if self.rule == Rule::Renju && color == Color::Black {
            for place in self.empty.iter() {
                if self.class(color, place) == Class::Foul {
                    fours = fours.or(&CellSet::of(place));
                }
            }
        }
        fours
    }

    /// A cell where a stone of a colour makes an open four or two fours, and may be played.
    pub(super) fn open_four(&self, color: Color) -> Option<Place> {
        let mut cells = self.makers(color, Makes::OpenFour).iter();
        cells.find(|place| self.allows(color, *place))
    }

    /// The empty cells where a stone of the side to move leaves the other side no five; all of them when
    /// there is none anyhow.
    pub(super) fn stops(&mut self, other: Color) -> CellSet {
        let fives = *self.makers(other, Makes::Five);
        let Some(five) = fives.first() else {
            return self.empty;
        };
        let mut stops = CellSet::EMPTY;
        if self.rule != Rule::Caro {
            if let Some(five) = fives.only() {
                stops.toggle(five);
            }
            return stops;
        }
        for place in self.reach(other, five, Shape::Five).iter() {
            if self.with_stone(place, |state| state.makers(other, Makes::Five).is_empty()) {
                stops.toggle(place);
            }
        }
        stops
    }

    /// An empty cell and those of its lines that can bear on what a stone of a colour makes there, in the
    /// lines where it makes at least this.
    pub(super) fn reach(&self, color: Color, place: Place, least: Shape) -> CellSet {
        let mut cells = CellSet::EMPTY;
        cells.toggle(place);
        let shapes = lines_of(self.shapes(color, place));
        for (shape, step) in shapes.into_iter().zip(STEPS) {
            if shape < least || shape == Shape::Foul {
                continue;
            }
            let at = place.index() + MARGIN;
            for distance in 1..=self.patterns.radius {
                for there in [at - distance * step, at + distance * step] {
                    let there = Place::from_number(there.wrapping_sub(MARGIN) as u16);
                    if there.index() < Place::COUNT && self.empty.has(there) {
                        cells.toggle(there);
                    }
                }
            }
        }
        cells
    }

    /// The value of the position for the side to move, in points. The sums are worked out only now, from the last
    /// ones known, or anew where none are: a search asks at its root first.
    pub(super) fn evaluate(&mut self) -> i32 {
        let Some(mut sums) = self.sums.last().copied() else {
            let sums = self.whole_sums();
            self.first_sums = self.stones.len();
            self.sums.push(sums);
            return self.network.value(&sums, self.to_move);
        };
        for stone in self.first_sums + self.sums.len() - 1..self.stones.len() {
            let placed = &self.stones[stone];
            let end = self
                .stones
                .get(stone + 1)
                .map_or(self.changes.len(), |next| next.changes);
            self.network.remove(&mut sums, placed.shapes);
            for change in &self.changes[placed.changes..end] {
                self.network
                    .change(&mut sums, change.shapes, change.new_shapes);
            }
            self.sums.push(sums);
        }
        self.network.value(&sums, self.to_move)
    }

    /// How promising a stone of the side to move is after the [`State::recent`] ones, in points of the policy.
    #[inline]
    pub(super) fn move_points(&self, place: Place, recent: [Option<Place>; 2]) -> i32 {
        let (shapes, classes) = (self.shapes_at(place), self.classes_at(place));
        let offsets = recent.map(|stone| network::offset(place, stone));
        self.network
            .move_points(self.to_move, shapes, classes, offsets)
    }

    /// Puts a stone of the side to move, lets something be done, and takes it again.
    #[inline]
    pub(super) fn with_stone<T>(&mut self, place: Place, then: impl FnOnce(&mut State) -> T) -> T {
        self.put(place, self.to_move);
        let result = then(self);
        self.take();
        result
    }

    /// Lets something be done with the turn passed to the other side.
    pub(super) fn with_pass<T>(&mut self, then: impl FnOnce(&mut State) -> T) -> T {
        self.to_move = !self.to_move;
        let result = then(self);
        self.to_move = !self.to_move;
        result
    }

    /// Puts a stone on an empty cell and hands the turn to the other side.
    pub(super) fn put(&mut self, place: Place, color: Color) {
        debug_assert!(self.empty.has(place));
        self.stones.push(Placed {
            place,
            color,
            shapes: self.shapes_at(place),
            near: self.near,
            changes: self.changes.len(),
        });
        self.toggle_all_sets(place);
        self.to_move = !color;
        self.mark(place, color, |state, there, line, key| {
            state.reshape(there, line, key);
        });
    }

    /// Marks a stone on the board and in the lines, and tells each empty cell there.
    #[inline]
    fn mark(
        &mut self,
        place: Place,
        color: Color,
        tell: impl FnMut(&mut State, Place, usize, LineKey),
    ) {
        self.empty.toggle(place);
        self.near.add_around(place);
        if let Some(cell) = place.cell() {
            self.board.put(cell, color);
        }
        self.key ^= stone_key(place, color);
        self.mark_lines(place, color, tell);
    }

    /// Takes the last stone again.
    pub(super) fn take(&mut self) {
        let Some(placed) = self.stones.pop() else {
            return;
        };
        let Placed {
            place,
            color,
            near,
            changes,
            ..
        } = placed;
        let known = (self.stones.len() + 1).saturating_sub(self.first_sums);
        self.sums.truncate(known);
        if let Some(cell) = place.cell() {
            self.board.take(cell);
        }
        self.key ^= stone_key(place, color);
        self.to_move = color;
        self.mark_lines(place, color, |_, _, _, _| {});
        self.empty.toggle(place);
        self.near = near;
        self.toggle_all_sets(place);
        while self.changes.len() > changes {
            if let Some(change) = self.changes.pop() {
                self.restore(&change);
            }
        }
    }

    /// Marks the stone in the keys of its lines, or takes the mark away, and tells each empty cell there.
    #[inline]
    fn mark_lines(
        &mut self,
        place: Place,
        color: Color,
        mut tell: impl FnMut(&mut State, Place, usize, LineKey),
    ) {
        let stone = match color {
            Color::Black => place::BLACK,
            Color::White => place::WHITE,
        };
        let at = place.index() + MARGIN;
        for (line, step) in STEPS.into_iter().enumerate() {
            for distance in 1..=self.patterns.radius {
                // The stone lies ahead of what is behind it, and behind what is ahead of it.
                for (there, bit) in [
                    (at - distance * step, bit_ahead(distance)),
                    (at + distance * step, bit_behind(distance)),
                ] {
                    let key = &mut self.lines[there][line];
                    *key ^= stone << bit;
                    let key = *key;
                    let there = Place::from_number(there.wrapping_sub(MARGIN) as u16);
                    if there.index() < Place::COUNT && self.empty.has(there) {
                        tell(self, there, line, key);
                    }
                }
            }
        }
    }

    /// Gives an empty cell its new shapes along one line.
    #[inline]
    fn reshape(&mut self, place: Place, line: usize, key: LineKey) {
        let pair = self.patterns.pair(key);
        let old = self.shapes_at(place);
        let with = |shapes: Shapes, shape: u8| {
            shapes & !(15 << (4 * line)) | Shapes::from(shape) << (4 * line)
        };
        let new = ByColor {
            black: with(old.black, pair & 15),
            white: with(old.white, pair >> 4),
        };
        if new == old {
            return;
        }
        self.changes.push(Change {
            place,
            shapes: old,
            new_shapes: new,
            classes: self.classes_at(place),
        });
        self.set_shapes(place, new);
    }

    #[inline]
    fn set_shapes(&mut self, place: Place, shapes: ByColor<Shapes>) {
        self.shapes.black[place.index()] = shapes.black;
        self.shapes.white[place.index()] = shapes.white;
        for color in [Color::Black, Color::White] {
            let class = self.patterns.class(color, shapes[color]);
            self.reclass(color, place, class);
        }
    }

    #[inline]
    fn reclass(&mut self, color: Color, place: Place, class: Class) {
        let old = std::mem::replace(&mut self.classes[color][place.index()], class);
        self.toggle_sets(color, place, sets_of(old) ^ sets_of(class));
    }

    #[inline]
    fn toggle_sets(&mut self, color: Color, place: Place, mut sets: u8) {
        while sets != 0 {
            self.sets[color][sets.trailing_zeros() as usize].toggle(place);
            sets &= sets - 1;
        }
    }

    /// Takes a cell that gets a stone out of its sets, or puts one that loses it back. Its shapes stay.
    fn toggle_all_sets(&mut self, place: Place) {
        for color in [Color::Black, Color::White] {
            let class = self.class(color, place);
            self.toggle_sets(color, place, sets_of(class));
        }
    }

    fn restore(&mut self, change: &Change) {
        let place = change.place;
        self.shapes.black[place.index()] = change.shapes.black;
        self.shapes.white[place.index()] = change.shapes.white;
        for color in [Color::Black, Color::White] {
            self.reclass(color, place, change.classes[color]);
        }
    }
}

/// A number of its own for a stone of a colour on a place.
const fn stone_key(place: Place, color: Color) -> u64 {
    let number = (place.number() as u64) << 1 | color as u64;
    mix(number + 1)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn assert_same(state: &mut State, fresh: &mut State) {
        assert_eq!(state.lines, fresh.lines);
        assert_eq!(state.empty, fresh.empty);
        assert_eq!(state.near, fresh.near);
        assert_eq!(state.key, fresh.key);
        for place in state.empty.iter() {
            for color in [Color::Black, Color::White] {
                assert_eq!(state.shapes(color, place), fresh.shapes(color, place));
                assert_eq!(state.class(color, place), fresh.class(color, place));
            }
        }
        assert_eq!(state.sets, fresh.sets);
        assert_eq!(state.evaluate(), fresh.evaluate());
    }

    proptest! {
        // Each case compares after every stone.
        #![proptest_config(ProptestConfig::with_cases(40))]

        #[test]
        fn what_is_kept_up_to_date_is_what_a_fresh_start_gives(
            rule in prop::sample::select(Rule::ALL.to_vec()),
            lines in prop::sample::select(vec![5_i64, 6, 15, 25]),
            steps in prop::collection::vec((any::<prop::sample::Index>(), 0..4_u8), 1..40),
        ) {
            let size = BoardSize::try_from(lines).unwrap();
            let mut state = State::empty(rule, size);
            let mut kept: Vec<(Place, Color)> = Vec::new();
            for (index, kind) in steps {
                if kind == 0 {
                    state.take();
                    kept.pop();
                } else if !state.is_full() {
                    let places: Vec<_> = state.empty.iter().collect();
                    let place = *index.get(&places);
                    kept.push((place, state.to_move));
                    state.put(place, state.to_move);
                }
                if kind == 2 {
                    state.evaluate();
                }
                let mut fresh = State::empty(rule, size);
                for (place, color) in &kept {
                    fresh.put(*place, *color);
                }
                fresh.to_move = state.to_move;
                let mut scratch = State::empty(rule, size);
                for (place, color) in kept.iter().rev() {
                    scratch.put(*place, *color);
                }
                scratch.to_move = state.to_move;
                assert_same(&mut state, &mut fresh);
                assert_same(&mut state, &mut scratch);
                // Both sides may have a five by now: that is no position.
                let position = Position::from_board(rule, state.board.clone(), state.to_move);
                if let Ok(position) = position {
                    assert_same(&mut state, &mut State::new(&position));
                }
            }
        }
    }
}
