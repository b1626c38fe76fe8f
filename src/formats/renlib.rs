//! RenLib's tree of positions. Each node is two octets, a cell and flags, with texts behind them; nodes
//! follow one another from the root down, and a node may say that a sibling comes once its branch is
//! done. Every line from the root to a leaf is read as a game.

use crate::board::BoardSize;
use crate::formats::plies::Plies;
use crate::formats::{Defaults, Entry, Game, Loss, Losses, Reason, Refusal};
use crate::record::{Ply, Record};

const MAGIC: &[u8] = b"\xffRenLib\xff";
/// The whole header: the magic, the version, and padding.
const HEADER: usize = 20;
/// The octet of h8: files without a header begin with it.
const CENTRE: u8 = 0x78;

// The flags of a node.
const HAS_SIBLING: u8 = 0x80;
const IS_LEAF: u8 = 0x40;
const HAS_OLD_COMMENT: u8 = 0x20;
const IS_MARKED: u8 = 0x10;
const HAS_COMMENT: u8 = 0x08;
const IS_NO_MOVE: u8 = 0x02;
const HAS_MORE_FLAGS: u8 = 0x01;
/// The flag of a text on the board, in the second of the further flags.
const HAS_BOARD_TEXT: u8 = 0x01;

/// Could octets be a tree? By the header, or by h8 with flags that no text has behind an `x`.
pub(super) fn is_begun(octets: &[u8]) -> bool {
    octets.starts_with(MAGIC)
        || matches!(octets, [CENTRE, flags, ..] if !flags.is_ascii_graphic() && !flags.is_ascii_whitespace())
}

pub(super) fn read(octets: &[u8], defaults: Defaults) -> impl Iterator<Item = Entry> + Send {
    Reader {
        octets,
        at: if octets.starts_with(MAGIC) { HEADER } else { 0 },
        path: Vec::new(),
        siblings: Vec::new(),
        defaults,
        number: 0,
        is_done: false,
    }
}

struct Reader<'a> {
    octets: &'a [u8],
    at: usize,
    /// The nodes from the root to the one at hand.
    path: Vec<Node>,
    /// The lengths of path at which siblings are still to come.
    siblings: Vec<usize>,
    defaults: Defaults,
    number: usize,
    is_done: bool,
}

#[derive(Clone, Copy)]
struct Node {
    cell: u8,
    flags: u8,
    lost: Losses,
}

impl Iterator for Reader<'_> {
    type Item = Entry;

    fn next(&mut self) -> Option<Entry> {
        if self.is_done || (self.path.is_empty() && self.at >= self.octets.len()) {
            return None;
        }
        self.number += 1;
        let game = match self.read_line() {
            Ok(()) => self.game(),
            Err(CutOff) => {
                self.is_done = true;
                Err(Reason::CutOff)
            }
        };
        let column = self.at.min(self.octets.len());
        self.go_on();
        Some(Entry {
            number: self.number,
            line: 1,
            game: game.map_err(|reason| Refusal {
                line: 1,
                column: column.max(1),
                reason,
            }),
        })
    }
}

/// The file ends within a line.
struct CutOff;

impl Reader<'_> {
    /// Reads nodes down to a leaf.
    fn read_line(&mut self) -> Result<(), CutOff> {
        loop {
            let node = self.read_node()?;
            if node.flags & HAS_SIBLING != 0 {
                self.siblings.push(self.path.len());
            }
            self.path.push(node);
            if node.flags & IS_LEAF != 0 {
                return Ok(());
            }
        }
    }

    /// Goes back to where the next sibling branches off.
    fn go_on(&mut self) {
        match self.siblings.pop() {
            Some(length) => self.path.truncate(length),
            None => self.is_done = true,
        }
    }

    fn read_node(&mut self) -> Result<Node, CutOff> {
        let [cell, flags] = self.read_pair()?;
        let has_board_text =
            flags & HAS_MORE_FLAGS != 0 && self.read_pair()?[1] & HAS_BOARD_TEXT != 0;
        let mut lost = Losses::NONE;
        lost.insert_if(flags & IS_MARKED != 0, Loss::Marks);
        if flags & (HAS_COMMENT | HAS_OLD_COMMENT) != 0 {
            lost.insert(Loss::Comments);
            self.skip_text()?;
        }
        if has_board_text {
            lost.insert(Loss::Marks);
            self.skip_text()?;
        }
        Ok(Node { cell, flags, lost })
    }

    fn read_pair(&mut self) -> Result<[u8; 2], CutOff> {
        let rest = self.octets.get(self.at..).unwrap_or_default();
        let pair = rest.first_chunk().ok_or(CutOff)?;
        self.at += 2;
        Ok(*pair)
    }

    /// Passes over a text, in whatever encoding: it ends with a zero and fills pairs of octets.
    fn skip_text(&mut self) -> Result<(), CutOff> {
        let rest = self.octets.get(self.at..).unwrap_or_default();
        let length = rest.iter().position(|octet| *octet == 0).ok_or(CutOff)?;
        self.at += (length + 1).next_multiple_of(2);
        Ok(())
    }

    /// The game of the path. Its length is looked at first, so that no long path is gone along often.
    fn game(&self) -> Result<Game, Reason> {
        if self.path.len() > Record::MOST_PLIES + 1 {
            return Err(Reason::TooLong);
        }
        let mut plies = Plies::new(BoardSize::DEFAULT);
        let mut lost = Losses::NONE;
        for (depth, node) in self.path.iter().enumerate() {
            lost = lost.and(node.lost);
            // The root of newer files stands before the first move.
            let is_root = depth == 0 && node.cell == 0;
            if !is_root && node.flags & IS_NO_MOVE == 0 {
                let ply = ply_of(node.cell);
                plies.push(ply, &ply.to_string())?;
            }
        }
        if plies.count() == 0 {
            return Err(Reason::NoMoves);
        }
        let mut game = Game::new(plies.into_record(self.defaults.rule));
        game.lost = lost;
        Ok(game)
    }
}

/// The ply of a cell: the column from 1 in the low four bits, the row from the top and from 0 in the high ones.
fn ply_of(cell: u8) -> Ply {
    match cell {
        0 => Ply::Pass,
        cell => Ply::stone_at_row(
            i64::from(cell >> 4),
            i64::from(cell & 0x0f) - 1,
            BoardSize::DEFAULT,
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(octets: &[u8]) -> Vec<Result<String, Reason>> {
        read(octets, Defaults::default())
            .map(|entry| {
                let game = entry.game.map_err(|refusal| refusal.reason)?;
                let plies: Vec<_> = game.record.plies().iter().map(Ply::to_string).collect();
                Ok(plies.join(" "))
            })
            .collect()
    }

    fn lines<const N: usize>(lines: [&str; N]) -> Vec<Result<String, Reason>> {
        lines.map(|line| Ok(line.to_owned())).to_vec()
    }

    #[test]
    fn each_line_from_the_root_to_a_leaf_is_a_game() {
        // h8, then h9 with two answers (i9 commented), then i9.
        let tree = b"\x78\x00\x68\x80\x69\xc8ab\0\0\x67\x40\x69\x40";
        let expected = lines(["h8 h9 i9", "h8 h9 g9", "h8 i9"]);
        assert_eq!(read_all(tree), expected);
        let mut file = b"\xffRenLib\xff\x03\x04\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff".to_vec();
        file.extend(tree);
        assert_eq!(read_all(&file), expected);
        let first = read(tree, Defaults::default()).next().unwrap();
        let lost: Vec<_> = first.game.unwrap().lost.iter().collect();
        assert_eq!(lost, [Loss::Comments]);
    }

    #[test]
    fn roots_passes_and_texts_on_the_board_are_understood() {
        let tree = b"\x00\x02\x78\x01\x00\x01A\0\x00\x00\x01\x40";
        assert_eq!(read_all(tree), lines(["h8 pass a15"]));
    }

    #[test]
    fn spoilt_trees_are_told() {
        assert_eq!(read_all(b"\x78\x00\x68"), [Err(Reason::CutOff)]);
        assert_eq!(read_all(b"\x78\x48no end"), [Err(Reason::CutOff)]);
        assert_eq!(read_all(b"\x78\x42"), [Err(Reason::NoMoves)]);
        assert_eq!(read_all(b""), []);
        let repeated = read_all(b"\x78\x00\x78\xc0\x68\x40");
        assert!(matches!(repeated[0], Err(Reason::Occupied { ply: 2, .. })));
        assert_eq!(repeated[1], Ok("h8 h9".into()));
        let outside = read_all(b"\x78\x00\xf8\x40");
        assert!(matches!(outside[0], Err(Reason::OffBoard { ply: 2, .. })));
    }

    #[test]
    fn long_paths_with_many_leaves_cost_no_more_than_they_are_long() {
        let mut tree = b"\x78\x00".to_vec();
        for _ in 0..100_000 {
            tree.extend(b"\x00\x00");
        }
        for _ in 0..100_000 {
            tree.extend(b"\x00\xc0");
        }
        let mut refused = 0;
        for entry in read(&tree, Defaults::default()) {
            refused += usize::from(entry.game.is_err());
        }
        assert_eq!(refused, 100_001, "the last leaf is cut off");
    }
}
