//! How the evidence for a forbidden cell is written.

use serde::Serialize;
use utoipa::ToSchema;

use crate::board::{Cell, Direction};
use crate::rules::forbidden::{Evidence, Extension, Four, Kind, Row, Three, Verdict};

/// What a black stone makes on a cell. Lists without items are left out.
#[derive(Serialize, ToSchema)]
#[schema(as = Evidence)]
pub struct EvidenceView<'a> {
    /// Whether Black may play the cell, and the first restriction if not.
    verdict: VerdictName,
    /// Rows of exactly five, which win.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    fives: Vec<RowView<'a>>,
    /// Rows of six or more.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    overlines: Vec<RowView<'a>>,
    /// The fours.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    fours: Vec<FourView<'a>>,
    /// The threes, those that do not count among them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    #[schema(required = false)]
    threes: Vec<ThreeView<'a>>,
    /// Were the threes left out? So deep only boards made for it go; the verdict stands all the same.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    #[schema(required = false)]
    truncated: bool,
}

/// What a cell would be for Black.
#[derive(Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = Verdict)]
enum VerdictName {
    Legal,
    Five,
    Overline,
    DoubleFour,
    DoubleThree,
}

/// An unbroken row of stones.
#[derive(Serialize, ToSchema)]
#[schema(as = Row)]
struct RowView<'a> {
    direction: Direction,
    /// Its cells in order.
    cells: &'a [Cell],
}

/// Four stones that one more makes a five.
#[derive(Serialize, ToSchema)]
#[schema(as = Four)]
struct FourView<'a> {
    direction: Direction,
    /// Its four stones.
    cells: &'a [Cell],
    /// The cells that make it a five: two for a straight four.
    five_cells: &'a [Cell],
}

/// Three stones that one more makes a straight four.
#[derive(Serialize, ToSchema)]
#[schema(as = Three)]
struct ThreeView<'a> {
    direction: Direction,
    /// Its stones.
    cells: &'a [Cell],
    /// Does it count: may one of the straight-four cells be played, and without making a five?
    counts: bool,
    /// The cells that would make it a straight four.
    straight_four_cells: Vec<StraightFourCellView<'a>>,
}

/// A cell that would make a three a straight four, judged with the three's stone on the board.
#[derive(Serialize, ToSchema)]
#[schema(as = StraightFourCell)]
struct StraightFourCellView<'a> {
    cell: Cell,
    /// May Black play it, and without making a five?
    legal: bool,
    /// What Black would make there, and so why.
    #[schema(no_recursion)]
    evidence: EvidenceView<'a>,
}

impl<'a> EvidenceView<'a> {
    /// The evidence as it is written.
    pub fn of(evidence: &'a Evidence) -> EvidenceView<'a> {
        EvidenceView {
            verdict: match evidence.verdict {
                Verdict::Legal => VerdictName::Legal,
                Verdict::Five => VerdictName::Five,
                Verdict::Forbidden(Kind::Overline) => VerdictName::Overline,
                Verdict::Forbidden(Kind::DoubleFour) => VerdictName::DoubleFour,
                Verdict::Forbidden(Kind::DoubleThree) => VerdictName::DoubleThree,
            },
            fives: evidence.fives.iter().map(RowView::of).collect(),
            overlines: evidence.overlines.iter().map(RowView::of).collect(),
            fours: evidence.fours.iter().map(FourView::of).collect(),
            threes: evidence.threes.iter().map(ThreeView::of).collect(),
            truncated: evidence.is_cut,
        }
    }
}

impl<'a> RowView<'a> {
    fn of(row: &'a Row) -> RowView<'a> {
        RowView {
            direction: row.direction,
            cells: &row.cells,
        }
    }
}

impl<'a> FourView<'a> {
    fn of(four: &'a Four) -> FourView<'a> {
        FourView {
            direction: four.direction,
            cells: &four.stones,
            five_cells: &four.five_cells,
        }
    }
}

impl<'a> ThreeView<'a> {
    fn of(three: &'a Three) -> ThreeView<'a> {
        ThreeView {
            direction: three.direction,
            cells: &three.stones,
            counts: three.counts(),
            straight_four_cells: three
                .straight_four_cells
                .iter()
                .map(StraightFourCellView::of)
                .collect(),
        }
    }
}

impl<'a> StraightFourCellView<'a> {
    fn of(extension: &'a Extension) -> StraightFourCellView<'a> {
        StraightFourCellView {
            cell: extension.cell,
            legal: extension.evidence.verdict == Verdict::Legal,
            evidence: EvidenceView::of(&extension.evidence),
        }
    }
}
