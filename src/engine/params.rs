//! The numbers of the search. Each was first set by judgement, and changed where `examples/tune.rs` showed a
//! gain in games of the engine against itself (`docs/engine.md` tells which).

macro_rules! params {
    ($($(#[$doc:meta])* $name:ident: $value:literal in $low:literal..$high:literal,)*) => {
        /// The numbers of the search.
        #[derive(Clone, Debug, PartialEq, Eq)]
        pub struct Params {
            $($(#[$doc])* pub $name: i32,)*
        }

        impl Default for Params {
            fn default() -> Params {
                Params { $($name: $value,)* }
            }
        }

        impl Params {
            /// The names with the ranges that make sense.
            pub const RANGES: &'static [(&'static str, i32, i32)] = &[$((stringify!($name), $low, $high),)*];

            /// All numbers, in the order of [`Params::RANGES`].
            pub fn numbers(&mut self) -> Vec<&mut i32> {
                vec![$(&mut self.$name,)*]
            }
        }
    };
}

params! {
    /// The reduction of a late move is this and a part by depth and count, in hundredths of a ply.
    reduction_base: 30 in -50..150,
    /// That part is the product of the logarithms of depth and count, by this, in hundredths.
    reduction_divisor: 220 in 120..400,
    /// The most stones of the attacker in a look for continuous fours at a leaf.
    fours_stones: 10 in 2..24,
    /// The most positions of such a look.
    fours_budget: 60 in 5..400,
    /// So many plies below the leaves defences against an open four are still searched.
    defence_plies: 2 in 0..6,
    /// Up to this depth a position that is better than wanted by a margin is not searched.
    static_depth: 8 in 0..12,
    /// That margin, in points for each ply.
    static_margin: 60 in 10..250,
    /// Up to this depth a position that is worse than wanted by a margin is not searched.
    razor_depth: 2 in 0..6,
    /// That margin, in points for each ply.
    razor_margin: 150 in 40..500,
    /// From this depth on a position without a remembered move is searched less deep.
    unknown_depth: 4 in 2..12,
    /// Up to this depth quiet stones are left out where the position is worse than wanted by a margin.
    futility_depth: 9 in 0..14,
    /// That margin, in points.
    futility_base: 40 in 0..300,
    /// What each ply adds to it.
    futility_margin: 20 in 5..200,
    /// How many moves are tried at the least where none is expected to be good enough.
    count_base: 7 in 2..30,
    /// How many more by the square of the depth, in hundredths.
    count_factor: 50 in 10..200,
    /// How much history counts as one point in the order of moves.
    history_order: 128 in 16..1000,
    /// How much history takes a ply off a reduction.
    history_reduction: 8192 in 1000..30000,
    /// What it counts in the order of moves to have refuted a sister position.
    killer_order: 60 in 0..500,
    /// What it counts in the order of moves to have answered the last stone well elsewhere.
    reply_order: 60 in 0..500,
    /// How far the next score is first looked for about the last one, in points.
    aspiration: 40 in 8..200,
}
