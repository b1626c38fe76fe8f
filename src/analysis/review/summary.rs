use crate::analysis::review::{JudgedPly, PlayerReport, Review, Tag};
use crate::board::{ByColor, Color};
use crate::rules::{DrawReason, Position, Status, WinReason};

/// A game in two to five sentences.
pub(super) fn summary(
    review: &Review,
    players: &ByColor<PlayerReport>,
    turning_points: &[&JudgedPly],
) -> String {
    let plies = review.judged();
    let sentences = [
        Some(ending(review)),
        Some(accuracies(players)),
        Some(turn(turning_points)).filter(|_| !plies.is_empty()),
        missed(plies, turning_points.first().copied()),
        lost(plies),
    ];
    let told: Vec<String> = sentences.into_iter().flatten().collect();
    told.join(" ")
}

/// How the game has ended, or how it stands.
fn ending(review: &Review) -> String {
    let plies = review.judged().len();
    let position = review.last_position();
    match position.status() {
        Status::Won {
            winner,
            by: WinReason::Forbidden(kind),
        } => format!(
            "{} won with ply {plies}, for which Black made a forbidden {}.",
            named(winner),
            kind.name().replace('_', " ")
        ),
        Status::Won { winner, .. } => format!("{} won with ply {plies}.", named(winner)),
        Status::Drawn {
            by: DrawReason::BoardFull,
        } => "The board was full, and nobody won.".to_owned(),
        Status::Drawn {
            by: DrawReason::Passes,
        } => "Both sides passed, and nobody won.".to_owned(),
        Status::Ongoing => standing(review, position, plies),
    }
}

fn standing(review: &Review, position: &Position, plies: usize) -> String {
    let turn = named(position.to_move());
    let chance = review.chances().last().copied().unwrap_or(0.5);
    let stands = match chance {
        black if black > 0.55 => format!("Black stands better ({})", percent(black)),
        black if black < 0.45 => format!("White stands better ({})", percent(1.0 - black)),
        _ => "the game is even".to_owned(),
    };
    if plies == 0 {
        format!("No ply has been played, and {stands}.")
    } else {
        format!("After {} it is {turn}'s turn, and {stands}.", count(plies))
    }
}

fn accuracies(players: &ByColor<PlayerReport>) -> String {
    let told = |color: Color| {
        let accuracy = players[color].accuracy?;
        Some(format!("{accuracy:.0} for {}", named(color)))
    };
    let told: Vec<String> = Color::ALL.into_iter().filter_map(told).collect();
    if told.is_empty() {
        return "There is no move to be judged.".to_owned();
    }
    format!("The accuracy, of 100, is {}.", told.join(" and "))
}

/// The ply that cost most.
fn turn(turning_points: &[&JudgedPly]) -> String {
    let Some(dearest) = turning_points.first() else {
        return "No move gave away much.".to_owned();
    };
    let better = dearest
        .better
        .as_ref()
        .and_then(|better| better.line.first());
    let better = better.map_or(String::new(), |cell| format!("; {cell} was better"));
    format!(
        "The game turned most with {}'s {} at ply {}, which took the chances from {} to {}{better}.",
        named(dearest.color),
        dearest.played,
        dearest.number,
        percent(dearest.before.win_probability()),
        percent(dearest.after.win_probability()),
    )
}

/// The first proven win that was missed, unless the dearest ply tells of it.
fn missed(plies: &[JudgedPly], dearest: Option<&JudgedPly>) -> Option<String> {
    let told = dearest.map(|ply| ply.number);
    let is_untold = |ply: &&JudgedPly| ply.has(Tag::MissedWin) && Some(ply.number) != told;
    let mut missed = plies.iter().filter(is_untold);
    let first = missed.next()?;
    let side = named(first.color);
    Some(match missed.count() {
        0 => format!("{side} missed a proven win at ply {}.", first.number),
        more => format!(
            "{side} missed a proven win at ply {}, and {more} more {} missed later.",
            first.number,
            if more == 1 { "was" } else { "were" },
        ),
    })
}

/// From where on a side could do nothing any more, where the record ends so.
fn lost(plies: &[JudgedPly]) -> Option<String> {
    let loser = plies.iter().rev().find(|ply| ply.before.is_lost())?.color;
    let own = || plies.iter().rev().filter(|ply| ply.color == loser);
    let first = own().take_while(|ply| ply.has(Tag::ForcedLoss)).last()?;
    Some(format!(
        "From ply {} on every move of {}'s lost.",
        first.number,
        named(loser),
    ))
}

const fn named(color: Color) -> &'static str {
    match color {
        Color::Black => "Black",
        Color::White => "White",
    }
}

fn count(plies: usize) -> String {
    if plies == 1 {
        "one ply".to_owned()
    } else {
        format!("{plies} plies")
    }
}

/// A chance in hundredths; 0 and 100 only where it is certain.
fn percent(chance: f64) -> String {
    let rounded = (100.0 * chance).round();
    let told = if chance > 0.0 && chance < 1.0 {
        rounded.clamp(1.0, 99.0)
    } else {
        rounded
    };
    format!("{told} %")
}
