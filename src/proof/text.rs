//! Certificates as JSON: one text for each, read back strictly.

use std::fmt;

use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::ser::{Serialize, SerializeMap, SerializeStruct, Serializer};

use crate::board::{Board, BoardSize, Cell, Color};
use crate::proof::{Certificate, CertificateError, Node, Reply, Root};
use crate::rules::Rule;

/// The version of the text form, told in its first member.
const VERSION: u8 = 1;

impl Certificate {
    /// The longest text that is read, in octets.
    pub const MOST_OCTETS: usize = 8 << 20;

    /// The text: JSON without blanks, members and nodes in their one order.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("texts and numbers can be written")
    }

    /// Reads a text. Blanks and the order of members do not matter; the numbers of nodes do.
    ///
    /// # Errors
    ///
    /// [`CertificateError`] with the place.
    pub fn from_json(text: &str) -> Result<Certificate, CertificateError> {
        if text.len() > Certificate::MOST_OCTETS {
            return Err(CertificateError::TooLong(Certificate::MOST_OCTETS));
        }
        let mut json = serde_json::Deserializer::from_str(text);
        let raw: Raw =
            serde_path_to_error::deserialize(&mut json).map_err(|error| unreadable_at(&error))?;
        json.end()
            .map_err(|error| unreadable("the end", error.to_string()))?;
        let root = raw.root()?;
        let nodes: Vec<Node> = raw.nodes.0;
        let certificate = Certificate::new(root, &nodes)?;
        let mut pairs = certificate.nodes().iter().zip(&nodes);
        let is_other = pairs.position(|(right, given)| right != given);
        // One of two texts of one win would have another id.
        match is_other {
            Some(node) => Err(CertificateError::NotInOrder { node }),
            None if certificate.nodes().len() < nodes.len() => Err(CertificateError::NotInOrder {
                node: certificate.nodes().len(),
            }),
            None => Ok(certificate),
        }
    }
}

fn unreadable(place: impl Into<String>, reason: impl Into<String>) -> CertificateError {
    CertificateError::Unreadable {
        place: place.into(),
        reason: reason.into(),
    }
}

fn unreadable_at(error: &serde_path_to_error::Error<serde_json::Error>) -> CertificateError {
    let path = error.path().to_string();
    let place = if path == "." { "the text".into() } else { path };
    unreadable(place, error.inner().to_string())
}

impl Serialize for Certificate {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let root = self.root();
        let stones = |color| -> Vec<NamedCell> {
            let mut cells: Vec<Cell> = root
                .board
                .occupied()
                .filter(|(_, stone)| *stone == color)
                .map(|(cell, _)| cell)
                .collect();
            cells.sort_unstable();
            cells.into_iter().map(NamedCell).collect()
        };
        let mut object = serializer.serialize_struct("Certificate", 8)?;
        object.serialize_field("version", &VERSION)?;
        object.serialize_field("rule", root.rule.name())?;
        object.serialize_field("size", &root.board.size().lines())?;
        object.serialize_field("black", &stones(Color::Black))?;
        object.serialize_field("white", &stones(Color::White))?;
        object.serialize_field("to_move", root.to_move.name())?;
        object.serialize_field("attacker", root.attacker.name())?;
        object.serialize_field("nodes", self.nodes())?;
        object.end()
    }
}

impl Serialize for Node {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(None)?;
        if let Some(stone) = self.stone {
            object.serialize_entry("m", stone.name().as_str())?;
        }
        if !self.replies.is_empty() {
            object.serialize_entry("r", &Replies(&self.replies))?;
        }
        if let Some(otherwise) = self.otherwise {
            object.serialize_entry("o", &otherwise)?;
        }
        object.end()
    }
}

struct Replies<'a>(&'a [(Reply, usize)]);

impl Serialize for Replies<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_map(Some(self.0.len()))?;
        for (reply, next) in self.0 {
            match reply {
                Reply::Stone(cell) => object.serialize_entry(cell.name().as_str(), next)?,
                Reply::Pass => object.serialize_entry(Reply::PASS, next)?,
            }
        }
        object.end()
    }
}

/// A cell by its name.
struct NamedCell(Cell);

impl Serialize for NamedCell {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.0.name().as_str())
    }
}

impl<'de> Deserialize<'de> for NamedCell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<NamedCell, D::Error> {
        let name = String::deserialize(deserializer)?;
        name.parse().map(NamedCell).map_err(de::Error::custom)
    }
}

#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields, expecting = "a certificate")]
struct Raw {
    version: u8,
    rule: String,
    size: i64,
    black: Vec<NamedCell>,
    white: Vec<NamedCell>,
    to_move: String,
    attacker: String,
    nodes: RawNodes,
}

impl Raw {
    fn root(&self) -> Result<Root, CertificateError> {
        if self.version != VERSION {
            let reason = format!("the version that is read is {VERSION}");
            return Err(unreadable("version", reason));
        }
        let rule: Rule = read("rule", &self.rule)?;
        let size = BoardSize::try_from(self.size)
            .map_err(|error| unreadable("size", error.to_string()))?;
        let mut board = Board::new(size);
        for (name, cells, color) in [
            ("black", &self.black, Color::Black),
            ("white", &self.white, Color::White),
        ] {
            for (index, NamedCell(cell)) in cells.iter().enumerate() {
                if !board.is_empty(*cell) {
                    let reason = format!("{cell} is not an empty cell of the board");
                    return Err(unreadable(format!("{name}[{index}]"), reason));
                }
                board.put(*cell, color);
            }
        }
        Ok(Root {
            rule,
            board,
            to_move: read("to_move", &self.to_move)?,
            attacker: read("attacker", &self.attacker)?,
        })
    }
}

fn read<T: std::str::FromStr<Err: fmt::Display>>(
    place: &str,
    text: &str,
) -> Result<T, CertificateError> {
    text.parse()
        .map_err(|error: T::Err| unreadable(place, error.to_string()))
}

/// The nodes of a text, or so many of them as show that there are too many.
struct RawNodes(Vec<Node>);

impl<'de> Deserialize<'de> for RawNodes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawNodes, D::Error> {
        deserializer.deserialize_seq(NodesVisitor)
    }
}

struct NodesVisitor;

impl<'de> Visitor<'de> for NodesVisitor {
    type Value = RawNodes;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of nodes")
    }

    fn visit_seq<S: SeqAccess<'de>>(self, mut seq: S) -> Result<RawNodes, S::Error> {
        let mut nodes = Vec::new();
        while nodes.len() <= Certificate::MOST_NODES {
            match seq.next_element::<RawNode>()? {
                Some(RawNode(node)) => nodes.push(node),
                None => return Ok(RawNodes(nodes)),
            }
        }
        while seq.next_element::<IgnoredAny>()?.is_some() {}
        Ok(RawNodes(nodes))
    }
}

struct RawNode(Node);

impl<'de> Deserialize<'de> for RawNode {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawNode, D::Error> {
        #[derive(serde::Deserialize)]
        #[serde(deny_unknown_fields, expecting = "a node")]
        struct Members {
            m: Option<NamedCell>,
            #[serde(default)]
            r: RawReplies,
            o: Option<usize>,
        }
        let members = Members::deserialize(deserializer)?;
        Ok(RawNode(Node {
            stone: members.m.map(|cell| cell.0),
            replies: members.r.0,
            otherwise: members.o,
        }))
    }
}

/// Replies in the order of the text, those that are named twice among them: a map would lose one.
#[derive(Default)]
struct RawReplies(Vec<(Reply, usize)>);

impl<'de> Deserialize<'de> for RawReplies {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<RawReplies, D::Error> {
        deserializer.deserialize_map(RepliesVisitor)
    }
}

struct RepliesVisitor;

impl<'de> Visitor<'de> for RepliesVisitor {
    type Value = RawReplies;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the numbers of nodes by replies")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<RawReplies, M::Error> {
        let mut replies = Vec::new();
        while let Some((name, next)) = map.next_entry::<String, usize>()? {
            let reply = if name == Reply::PASS {
                Reply::Pass
            } else {
                Reply::Stone(name.parse().map_err(de::Error::custom)?)
            };
            replies.push((reply, next));
        }
        Ok(RawReplies(replies))
    }
}
