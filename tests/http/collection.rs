//! Games with known players, dates and ends, made by chance and always the same, for tests that count them one by one.

use std::fmt::Write;

use serde_json::{Value, json};

use crate::client::{Client, Server};

/// A cell by its column from the left and its row from the bottom, from 0.
pub type Cell = (u8, u8);

/// A kept game as a test knows it.
#[derive(Clone, Debug)]
pub struct Game {
    pub id: String,
    pub rule: &'static str,
    pub size: u8,
    pub cells: Vec<Cell>,
    pub result: &'static str,
    pub termination: &'static str,
    pub black: Option<&'static str>,
    pub white: Option<&'static str>,
    pub played_at: Option<&'static str>,
}

pub const PLAYERS: [&str; 5] = ["Ada", "Ada B", "Bob & Co", "Ö/50%41", "中村 ?#"];

const DATES: [&str; 6] = [
    "1999-07-01T00:00:00Z",
    "2025-12-31T23:59:59.999999Z",
    "2026-01-01T00:00:00Z",
    "2026-02-15T12:00:00Z",
    "2026-12-31T23:59:59Z",
    "2027-01-01T00:00:00Z",
];

/// A small generator of numbers by chance: xorshift with 64 bits.
pub struct Chance(u64);

impl Chance {
    pub fn new(seed: u64) -> Chance {
        Chance(seed)
    }

    /// A number below a bound.
    pub fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from((self.0 >> 32) % bound as u64).unwrap()
    }

    fn one_of<T: Copy>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())]
    }
}

/// A cell as the interface writes it.
pub fn name((column, row): Cell) -> String {
    format!("{}{}", char::from(b'a' + column), row + 1)
}

/// Moves as the interface reads them.
pub fn names(cells: &[Cell]) -> String {
    cells.iter().fold(String::new(), |mut text, cell| {
        write!(text, "{}", name(*cell)).unwrap();
        text
    })
}

/// One of the eight rotations and reflections, by its number.
pub fn turned(symmetry: usize, (column, row): Cell, size: u8) -> Cell {
    let mirrored = |number: u8, is_mirrored| {
        if is_mirrored {
            size - 1 - number
        } else {
            number
        }
    };
    let column = mirrored(column, symmetry & 1 != 0);
    let row = mirrored(row, symmetry & 2 != 0);
    if symmetry & 4 != 0 {
        (row, column)
    } else {
        (column, row)
    }
}

impl Game {
    /// What keeps the game; the number makes it another one than all others.
    pub fn body(&self, number: usize) -> Value {
        let mut players = json!({});
        for (color, name) in [("black", self.black), ("white", self.white)] {
            if let Some(name) = name {
                players[color] = json!(name);
            }
        }
        let mut body = json!({
            "position": {"rule": self.rule, "size": self.size, "moves": names(&self.cells)},
            "players": players,
            "result": self.result,
            "termination": self.termination,
            "round": number.to_string(),
        });
        if let Some(played_at) = self.played_at {
            body["played_at"] = json!(played_at);
        }
        body
    }

    /// The month in which it was played, as `2026-11`.
    pub fn month(&self) -> Option<&'static str> {
        self.played_at.map(|date| &date[..7])
    }

    /// A game of a few stones in the middle of the board, so that many positions come again in other orientations and
    /// in another order. With four stones a side nothing is won and nothing is forbidden.
    fn by_chance(chance: &mut Chance) -> Game {
        let (size, around) = chance.one_of(&[(7, 1), (7, 1), (15, 1), (15, 2)]);
        let middle = usize::from(size / 2);
        let length = 2 + chance.below(7);
        let mut cells = vec![(size / 2, size / 2)];
        while cells.len() < length {
            let mut near = || u8::try_from(middle + chance.below(2 * around + 1) - around).unwrap();
            let cell = (near(), near());
            if !cells.contains(&cell) {
                cells.push(cell);
            }
        }
        if chance.below(3) == 0 {
            // The middle is not always first.
            cells.rotate_left(2);
        }
        let result = chance.one_of(&["black", "black", "white", "draw"]);
        let ends: &[&str] = match result {
            "draw" => &["agreement", "other"],
            _ => &["resignation", "timeout", "other"],
        };
        let mut player = || (chance.below(8) > 0).then(|| chance.one_of(&PLAYERS));
        let black = player();
        // Nobody plays against himself here.
        let white = player().filter(|name| Some(*name) != black);
        Game {
            id: String::new(),
            rule: chance.one_of(&["freestyle", "freestyle", "renju", "caro"]),
            size,
            cells,
            result,
            termination: chance.one_of(ends),
            black,
            white,
            played_at: (chance.below(4) > 0).then(|| chance.one_of(&DATES)),
        }
    }
}

/// Keeps so many games and tells them in the order in which they were kept.
pub fn keep_many(client: &Client, count: usize) -> Vec<Game> {
    let mut chance = Chance::new(0x9e37_79b9_7f4a_7c15);
    let kept = (0..count).map(|number| {
        let mut game = Game::by_chance(&mut chance);
        let kept = client.keep_game(&game.body(number)).json_of(201);
        game.id = kept["id"].as_str().unwrap().to_owned();
        game
    });
    kept.collect()
}

/// A server on the database of one that is stopped; it rates the players when it starts.
pub fn rated(server: Server) -> Server {
    let directory = server.directory();
    server.stop();
    let server = Server::start_in(directory, &[]);
    server.until("somebody is rated", |client| {
        let rated = client.get("/v1/players?sort=rating").ok();
        !rated["players"].as_array().unwrap().is_empty()
    });
    server
}
