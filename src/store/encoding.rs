//! Plies as octets: two for each, little end first. A cell is 25 times its height plus its column; a pass is 0xffff.

use crate::board::{BoardSize, Cell};
use crate::record::Ply;

const LINES: u16 = BoardSize::LARGEST.lines() as u16;
const PASS: u16 = 0xffff;

/// The number that stands for a ply; nothing if it is a place that no board has.
pub fn number_of(ply: Ply) -> Option<u16> {
    match ply {
        Ply::Stone(cell) => Some(u16::from(cell.height()) * LINES + u16::from(cell.column())),
        Ply::Pass => Some(PASS),
        Ply::Outside(_) => None,
    }
}

/// The ply of a number, if it has one.
pub fn ply_of(number: u16) -> Option<Ply> {
    if number == PASS {
        return Some(Ply::Pass);
    }
    let column = u8::try_from(number % LINES).ok()?;
    let height = u8::try_from(number / LINES).ok()?;
    Cell::new(column, height).map(Ply::Stone)
}

/// The octets of plies; nothing if there is a place among them that no board has.
pub fn encode(plies: &[Ply]) -> Option<Vec<u8>> {
    let mut octets = Vec::with_capacity(2 * plies.len());
    for ply in plies {
        octets.extend(number_of(*ply)?.to_le_bytes());
    }
    Some(octets)
}

/// The plies of octets, or nothing if they are none.
pub fn decode(octets: &[u8]) -> Option<Vec<Ply>> {
    let (pairs, []) = octets.as_chunks::<2>() else {
        return None;
    };
    let numbers = pairs.iter().map(|pair| u16::from_le_bytes(*pair));
    numbers.map(ply_of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plies_come_back_from_their_octets() {
        let mut plies: Vec<Ply> = BoardSize::LARGEST.cells().map(Ply::Stone).collect();
        plies.push(Ply::Pass);
        let octets = encode(&plies).unwrap();
        assert_eq!(octets.len(), 2 * plies.len());
        assert_eq!(decode(&octets), Some(plies));
    }

    #[test]
    fn the_encoding_of_kept_games_does_not_change() {
        let plies = [Ply::stone_at(7, 7), Ply::Pass, Ply::stone_at(0, 0)];
        assert_eq!(encode(&plies).unwrap(), [182, 0, 255, 255, 0, 0]);
    }

    #[test]
    fn octets_that_are_no_plies_are_refused() {
        assert_eq!(decode(&[1]), None);
        assert_eq!(decode(&625u16.to_le_bytes()), None);
        assert_eq!(decode(&[]), Some(vec![]));
    }
}
