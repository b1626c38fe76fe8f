use std::collections::{HashMap, HashSet};

use crate::board::{Board, Cell, Color, Direction};
use crate::proof::{Certificate, Node, Reason, Refuted, Reply, Verified};
use crate::rules::{Position, Rule, Run, Status, wins};

/// A bound on the positions of [`verify`] that sound certificates of games stay far below.
pub const MOST_POSITIONS: u64 = 100_000_000;

/// Plays a certificate out by the rules alone: each named reply, and every other legal one, passes among them
/// where the rule has them. Every line has to end in a win of the attacker.
///
/// The root has no history: a pass there is taken for the first of two.
///
/// # Errors
///
/// [`Refuted`] tells the first node that fails, and why; also when more than so many positions would have to be
/// looked at.
pub fn verify(certificate: &Certificate, most_positions: u64) -> Result<Verified, Box<Refuted>> {
    let root = certificate.root();
    let nodes = certificate.nodes();
    let mut walk = Walk {
        nodes,
        attacker: root.attacker,
        rule: root.rule,
        most_positions,
        positions: 0,
        line: Vec::new(),
        known: HashMap::new(),
        known_stones: 0,
        is_shared: shared(nodes),
        idle_nodes: (0..nodes.len()).collect(),
        idle_replies: named(nodes),
        others: 0,
    };
    let position = Position::from_board(root.rule, root.board.clone(), root.to_move)
        .map_err(|error| walk.refuted(0, Reason::IllegalRoot(error)))?;
    if position.status() != Status::Ongoing {
        return Err(walk.refuted(0, Reason::EndedRoot));
    }
    let fives = walk.all_fives(position.board());
    let plies = if root.to_move == root.attacker {
        walk.attack(0, &position, &fives)?
    } else {
        walk.idle_nodes.remove(&0);
        walk.defend(0, &position, &fives)?
    };
    // What no line needs could say anything.
    if let Some((node, reply)) = walk.idle_replies.iter().min() {
        return Err(walk.refuted(*node, Reason::IdleReply(*reply)));
    }
    if let Some(node) = walk.idle_nodes.iter().min() {
        return Err(walk.refuted(*node, Reason::IdleNode));
    }
    Ok(Verified {
        plies,
        nodes: nodes.len(),
        positions: walk.positions,
    })
}

/// The nodes that several others lead to.
fn shared(nodes: &[Node]) -> Vec<bool> {
    let mut ways = vec![0_u32; nodes.len()];
    for node in nodes {
        let named = node.replies.iter().map(|(_, next)| *next);
        named.chain(node.otherwise).for_each(|next| ways[next] += 1);
    }
    ways.into_iter().map(|ways| ways > 1).collect()
}

/// All named replies with their nodes.
fn named(nodes: &[Node]) -> HashSet<(usize, Reply)> {
    let replies = |node: &Node| node.replies.iter().map(|(reply, _)| *reply).collect();
    let all = nodes.iter().map(replies).enumerate();
    all.flat_map(|(number, replies): (usize, Vec<Reply>)| {
        replies.into_iter().map(move |reply| (number, reply))
    })
    .collect()
}

/// The stones of a line in order of their cells, each with whether it is the defender's: from one root, equal
/// keys are equal positions.
type Stones = Vec<(Cell, bool)>;

/// The most stones in all positions that are remembered: some tens of mebibytes, whatever a certificate makes of it.
const MOST_KNOWN: usize = 1 << 23;

struct Walk<'a> {
    nodes: &'a [Node],
    attacker: Color,
    rule: Rule,
    most_positions: u64,
    positions: u64,
    /// The plies from the root, the attacker's stones among them.
    line: Vec<Reply>,
    /// The plies from shared nodes at positions where they have been played out.
    known: HashMap<(usize, Stones), usize>,
    /// The stones in all of them.
    known_stones: usize,
    is_shared: Vec<bool>,
    idle_nodes: HashSet<usize>,
    idle_replies: HashSet<(usize, Reply)>,
    /// How many plies of the line were met by `otherwise`.
    others: usize,
}

impl Walk<'_> {
    /// Plays the stone of a node, and all that follows. Gives the plies of the longest line. The defender's
    /// fives are the cells where he would win now.
    fn attack(
        &mut self,
        number: usize,
        position: &Position,
        fives: &[Cell],
    ) -> Result<usize, Box<Refuted>> {
        self.idle_nodes.remove(&number);
        // Positions after other replies are too many to be remembered, and seldom come again.
        let key = (self.is_shared[number] && self.others == 0).then(|| (number, self.stones()));
        if let Some(plies) = key.as_ref().and_then(|key| self.known.get(key)) {
            return Ok(*plies);
        }
        let Some(stone) = self.nodes[number].stone else {
            return Err(self.refuted(number, Reason::NoReply));
        };
        self.count(number)?;
        self.line.push(Reply::Stone(stone));
        // On the heap: lines may be long, and the stack of a thread is short.
        let mut after = Box::new(position.clone());
        let played = after.play(stone);
        played.map_err(|error| self.refuted(number, Reason::IllegalStone(stone, error)))?;
        let plies = match after.status() {
            Status::Won { winner, .. } if winner == self.attacker => 1,
            Status::Won { .. } => return Err(self.refuted(number, Reason::NoWin(stone))),
            Status::Drawn { .. } => return Err(self.refuted(number, Reason::Drawn)),
            Status::Ongoing => {
                let node = &self.nodes[number];
                if node.replies.is_empty() && node.otherwise.is_none() {
                    return Err(self.refuted(number, Reason::NoWin(stone)));
                }
                // A stone of the attacker takes fives from the defender and gives him none.
                let fives: Vec<Cell> = fives
                    .iter()
                    .copied()
                    .filter(|cell| self.is_five(after.board(), *cell))
                    .collect();
                1 + self.defend(number, &after, &fives)?
            }
        };
        self.line.pop();
        if let Some(key) = key.filter(|_| self.known_stones < MOST_KNOWN) {
            self.known_stones += key.1.len();
            self.known.insert(key, plies);
        }
        Ok(plies)
    }

    /// Plays every legal reply to the stone of a node.
    fn defend(
        &mut self,
        number: usize,
        position: &Position,
        fives: &[Cell],
    ) -> Result<usize, Box<Refuted>> {
        let nodes = self.nodes;
        let node = &nodes[number];
        let mut longest = None;
        for (reply, next) in &node.replies {
            // Counted before it is known to be legal: where much is forbidden, that is most of the work.
            self.count(number)?;
            // A node that comes up in several positions may name what can be played only in some.
            if let Some(after) = self.reply(position, *reply) {
                self.idle_replies.remove(&(number, *reply));
                let plies = self.answer(number, *next, *reply, &after, fives)?;
                longest = longest.max(Some(plies));
            }
        }
        self.others += 1;
        let others = self.answer_others(number, position, fives)?;
        self.others -= 1;
        longest
            .max(others)
            .ok_or_else(|| self.refuted(number, Reason::NoReply))
    }

    /// Plays every legal reply that a node does not name; nothing where there is none.
    fn answer_others(
        &mut self,
        number: usize,
        position: &Position,
        fives: &[Cell],
    ) -> Result<Option<usize>, Box<Refuted>> {
        let node = &self.nodes[number];
        let is_other = |reply: &Reply| node.replies.iter().all(|(named, _)| named != reply);
        let cells = position.board().size().cells().map(Reply::Stone);
        let others = cells.chain([Reply::Pass]).filter(is_other);
        let at_once = node
            .otherwise
            .and_then(|next| self.wins_at_once(next, position));
        let mut longest = None;
        for reply in others {
            if let Some(five) = at_once
                && !is_trouble(reply, five, fives)
            {
                // Cannot fail: the five is still there, and the reply was none. Whether the reply is legal does
                // not matter then.
                if self.is_free(position, reply) {
                    self.count(number)?;
                    longest = longest.max(Some(2));
                }
                continue;
            }
            self.count(number)?;
            let Some(after) = self.reply(position, reply) else {
                continue;
            };
            let Some(next) = node.otherwise else {
                self.line.push(reply);
                return Err(self.refuted(number, Reason::Unanswered(reply)));
            };
            let plies = self.answer(number, next, reply, &after, fives)?;
            longest = longest.max(Some(plies));
        }
        if at_once.is_some()
            && let Some(next) = node.otherwise
            && longest.is_some()
        {
            self.idle_nodes.remove(&next);
        }
        Ok(longest)
    }

    /// The cell of a node's stone, if the attacker wins there now and would after any reply that is neither on
    /// that cell nor a five itself.
    ///
    /// That is so where a row wins by its own stones: freestyle's, standard's and renju's rows are judged by
    /// their length, which a stone of the other colour elsewhere does not change, and a five of Black is never
    /// forbidden. In caro a stone at the end of a row can shut it in, so nothing is taken for granted there.
    fn wins_at_once(&self, next: usize, position: &Position) -> Option<Cell> {
        let board = position.board();
        let stone = self.nodes[next].stone?;
        let is_sure = self.rule != Rule::Caro
            && board.is_empty(stone)
            && wins(board, stone, self.attacker, self.rule);
        is_sure.then_some(stone)
    }

    /// Goes on after a legal reply.
    fn answer(
        &mut self,
        number: usize,
        next: usize,
        reply: Reply,
        after: &Position,
        fives: &[Cell],
    ) -> Result<usize, Box<Refuted>> {
        self.line.push(reply);
        let plies = match after.status() {
            Status::Ongoing => {
                let fives = self.fives_after(after.board(), fives, reply);
                self.attack(next, after, &fives)?
            }
            Status::Won { .. } => return Err(self.refuted(number, Reason::DefenderWins(reply))),
            Status::Drawn { .. } => return Err(self.refuted(number, Reason::Drawn)),
        };
        self.line.pop();
        Ok(plies + 1)
    }

    /// The position after a reply, if it is legal.
    fn reply(&self, position: &Position, reply: Reply) -> Option<Box<Position>> {
        match reply {
            Reply::Stone(cell) => {
                position.check(cell).ok()?;
                let mut after = Box::new(position.clone());
                after.play(cell).ok()?;
                Some(after)
            }
            Reply::Pass => {
                let stones = position.board().stones();
                // Where there are passes, they come after the third ply, and so after the third stone.
                let ply = usize::from(stones.black) + usize::from(stones.white) + 1;
                let mut after = Box::new(position.clone());
                after.pass(ply).ok()?;
                Some(after)
            }
        }
    }

    /// Is there room for a reply, whether a stone of the defender may be put there or not?
    fn is_free(&self, position: &Position, reply: Reply) -> bool {
        match reply {
            Reply::Stone(cell) => position.board().is_empty(cell),
            Reply::Pass => self.reply(position, reply).is_some(),
        }
    }

    /// All cells where the defender wins.
    fn all_fives(&self, board: &Board) -> Vec<Cell> {
        let cells = board.size().cells();
        cells.filter(|cell| self.is_five(board, *cell)).collect()
    }

    fn is_five(&self, board: &Board, cell: Cell) -> bool {
        board.is_empty(cell) && wins(board, cell, !self.attacker, self.rule)
    }

    /// The cells where the defender wins after a reply. A row that was none before runs through the new stone,
    /// and reaches from it to the cell over stones that, were they five, would have won before: four steps at most.
    fn fives_after(&self, board: &Board, before: &[Cell], reply: Reply) -> Vec<Cell> {
        let still = before.iter().copied();
        let mut fives: Vec<Cell> = still.filter(|cell| self.is_five(board, *cell)).collect();
        let Reply::Stone(stone) = reply else {
            return fives;
        };
        let defender = !self.attacker;
        let five = self.rule.five(defender);
        for direction in Direction::ALL {
            for cell in (-4..=4).filter_map(|step| direction.walk(stone, step)) {
                if board.size().contains(cell)
                    && board.is_empty(cell)
                    && Run::through(board, cell, defender, direction).is(five, defender)
                    && !fives.contains(&cell)
                {
                    fives.push(cell);
                }
            }
        }
        fives
    }

    fn stones(&self) -> Stones {
        let begins = usize::from(self.nodes[0].stone.is_none());
        let plies = self.line.iter().enumerate();
        let mut stones: Stones = plies
            .filter_map(|(index, ply)| match ply {
                Reply::Stone(cell) => Some((*cell, (index + begins) % 2 == 1)),
                Reply::Pass => None,
            })
            .collect();
        stones.sort_unstable();
        stones
    }

    fn count(&mut self, number: usize) -> Result<(), Box<Refuted>> {
        if self.positions == self.most_positions {
            return Err(self.refuted(number, Reason::TooLong(self.most_positions)));
        }
        self.positions += 1;
        Ok(())
    }

    fn refuted(&self, node: usize, reason: Reason) -> Box<Refuted> {
        Box::new(Refuted {
            node,
            ply: self.line.len(),
            line: self.line.clone(),
            reason,
        })
    }
}

/// Does a reply take a cell where the attacker would win, or win itself?
fn is_trouble(reply: Reply, five: Cell, fives: &[Cell]) -> bool {
    match reply {
        Reply::Stone(cell) => cell == five || fives.contains(&cell),
        Reply::Pass => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::board::BoardSize;

    proptest! {
        #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

        /// What the walk keeps up to date is what a look at the whole board gives.
        #[test]
        fn the_defenders_fives_are_all_there_are(
            rule in prop::sample::select(Rule::ALL.to_vec()),
            picks in prop::collection::vec((0..9_u8, 0..6_u8, any::<bool>()), 1..50),
        ) {
            let size = BoardSize::try_from(9).expect("the size is supported");
            let mut walk = Walk {
                nodes: &[],
                attacker: Color::Black,
                rule,
                most_positions: 0,
                positions: 0,
                line: Vec::new(),
                known: HashMap::new(),
                known_stones: 0,
                is_shared: Vec::new(),
                idle_nodes: HashSet::new(),
                idle_replies: HashSet::new(),
                others: 0,
            };
            for attacker in Color::ALL {
                let mut board = Board::new(size);
                walk.attacker = attacker;
                let mut fives = walk.all_fives(&board);
                for (column, height, is_black) in &picks {
                    let color = if *is_black { Color::Black } else { Color::White };
                    let Some(cell) = Cell::new(*column, *height) else { continue };
                    if !board.is_empty(cell) || wins(&board, cell, color, rule) {
                        continue;
                    }
                    board.put(cell, color);
                    if color == attacker {
                        fives.retain(|five| walk.is_five(&board, *five));
                    } else {
                        fives = walk.fives_after(&board, &fives, Reply::Stone(cell));
                    }
                    let mut all = walk.all_fives(&board);
                    all.sort_unstable();
                    fives.sort_unstable();
                    prop_assert_eq!(&fives, &all, "on\n{}", board);
                }
            }
        }
    }
}
