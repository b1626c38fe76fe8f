//! The verifier once more: every legal reply played out, by the oracle's rules, without anything that saves work.

use tengen::board::Cell;
use tengen::proof::{Certificate, Node, Reply};

use crate::oracle::{self, EMPTY, Grid, Place, bridge};

/// Does a certificate hold?
pub(crate) fn holds(certificate: &Certificate) -> bool {
    let root = certificate.root();
    let mut grid = bridge::grid_of(&root.board);
    let naive = Naive {
        nodes: certificate.nodes(),
        rule: root.rule.name(),
        attacker: bridge::color_of(root.attacker),
    };
    let has_row = |color| !oracle::winning_rows(&grid, naive.rule, color).is_empty();
    if has_row(oracle::BLACK) || has_row(oracle::WHITE) || is_full(&grid) {
        return false;
    }
    if root.to_move == root.attacker {
        naive.attack(&mut grid, 0)
    } else {
        naive.defend(&mut grid, 0)
    }
}

struct Naive<'a> {
    nodes: &'a [Node],
    rule: &'static str,
    attacker: u8,
}

/// What a stone comes to.
enum End {
    Won,
    Drawn,
    Open,
}

impl Naive<'_> {
    fn attack(&self, grid: &mut Grid, number: usize) -> bool {
        let Some(stone) = self.nodes[number].stone else {
            return false;
        };
        let place = place(stone, grid);
        if !oracle::is_legal(grid, self.rule, self.attacker, place) {
            return false;
        }
        self.with(grid, self.attacker, place, |naive, grid, end| match end {
            End::Won => true,
            End::Drawn => false,
            End::Open => naive.defend(grid, number),
        })
    }

    fn defend(&self, grid: &mut Grid, number: usize) -> bool {
        let node = &self.nodes[number];
        let next = |reply: Reply| {
            let named = node.replies.iter().find(|(named, _)| *named == reply);
            named.map(|(_, next)| *next).or(node.otherwise)
        };
        let defender = oracle::other(self.attacker);
        let mut has_reply = false;
        for row in 0..grid.len() {
            for column in 0..grid.len() {
                if !oracle::is_legal(grid, self.rule, defender, (row, column)) {
                    continue;
                }
                has_reply = true;
                let size = bridge::size(grid.len());
                let Some(next) = next(Reply::Stone(bridge::cell((row, column), size))) else {
                    return false;
                };
                let is_met = self.with(grid, defender, (row, column), |naive, grid, end| {
                    matches!(end, End::Open) && naive.attack(grid, next)
                });
                if !is_met {
                    return false;
                }
            }
        }
        let stones = grid.iter().flatten().filter(|square| **square != EMPTY);
        if self.rule == "renju" && stones.count() >= 3 {
            return next(Reply::Pass).is_some_and(|next| self.attack(grid, next));
        }
        has_reply
    }

    fn with(
        &self,
        grid: &mut Grid,
        color: u8,
        place: Place,
        then: impl FnOnce(&Self, &mut Grid, End) -> bool,
    ) -> bool {
        grid[place.0][place.1] = color;
        let end = if !oracle::winning_rows_through(grid, self.rule, place).is_empty() {
            End::Won
        } else if is_full(grid) {
            End::Drawn
        } else {
            End::Open
        };
        let result = then(self, grid, end);
        grid[place.0][place.1] = EMPTY;
        result
    }
}

fn place(cell: Cell, grid: &Grid) -> Place {
    bridge::place(cell, bridge::size(grid.len()))
}

fn is_full(grid: &Grid) -> bool {
    grid.iter().flatten().all(|square| *square != EMPTY)
}
