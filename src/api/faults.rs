//! The faults found in a request so far.

use std::ops::RangeInclusive;

use crate::api::code::Code;
use crate::api::error::{ApiError, InputError};
use crate::api::text::{Text, Whole};
use crate::board::BoardSize;
use crate::rules::Rule;
use crate::service::Limits;

/// The faults found so far, each place told once, at most [`Limits::ERRORS`].
#[derive(Debug, Default)]
pub struct Faults {
    errors: Vec<InputError>,
}

impl Faults {
    /// Notes a fault; a second one at the same place is passed over.
    pub fn note(&mut self, pointer: impl Into<String>, code: Code, detail: impl Into<String>) {
        let pointer = pointer.into();
        if self.has_room() && !self.has(&pointer) {
            self.errors.push(InputError {
                pointer,
                code,
                detail: detail.into(),
                evidence: None,
            });
        }
    }

    /// A value of a fixed list; a text that is none of them is noted under this code.
    pub fn choose<T>(
        &mut self,
        raw: Option<Text<T>>,
        pointer: &str,
        code: Code,
        choice: &str,
    ) -> Option<T> {
        match raw? {
            Text(Ok(value)) => Some(value),
            Text(Err(text)) => {
                let shown: String = text.chars().take(40).collect();
                self.note(pointer, code, format!("{shown:?} is not one of {choice}"));
                None
            }
        }
    }

    /// A rule.
    pub fn rule(&mut self, raw: Option<Text<Rule>>, pointer: &str) -> Option<Rule> {
        let choice = "freestyle, standard, renju, caro";
        self.choose(raw, pointer, Code::UnsupportedRule, choice)
    }

    /// A size of board; a number that is none is noted.
    pub fn size(&mut self, raw: Option<Whole>, pointer: &str) -> Option<BoardSize> {
        let Whole(lines) = raw?;
        BoardSize::try_from(lines)
            .map_err(|error| self.note(pointer, Code::UnsupportedSize, error.to_string()))
            .ok()
    }

    /// A number in a range; one outside is noted.
    pub fn within(
        &mut self,
        raw: Option<Whole>,
        pointer: &str,
        range: RangeInclusive<i64>,
    ) -> Option<i64> {
        let Whole(number) = raw?;
        let is_within = range.contains(&number);
        if !is_within {
            let detail = format!("{number} is not from {} to {}", range.start(), range.end());
            self.note(pointer, Code::LimitOutOfRange, detail);
        }
        is_within.then_some(number)
    }

    /// Names the places anew.
    pub fn rename(&mut self, name: impl Fn(&str) -> String) {
        for error in &mut self.errors {
            error.pointer = name(&error.pointer);
        }
    }

    /// Puts other faults before these; as many stay as there is room for.
    #[must_use]
    pub fn behind(self, mut first: Faults) -> Faults {
        first.errors.extend(self.errors);
        first.errors.truncate(Limits::ERRORS);
        first
    }

    /// Is there a fault at this place?
    pub fn has(&self, pointer: &str) -> bool {
        self.errors.iter().any(|error| error.pointer == pointer)
    }

    fn has_room(&self) -> bool {
        self.errors.len() < Limits::ERRORS
    }

    /// The value, unless there were faults or it is missing for one.
    ///
    /// # Errors
    ///
    /// [`ApiError::Input`] with the faults.
    pub fn settle<T>(self, value: Option<T>) -> Result<T, ApiError> {
        match value {
            Some(value) if self.errors.is_empty() => Ok(value),
            _ => Err(ApiError::Input(self.errors)),
        }
    }
}

/// Faults that leave nothing to be settled; there is at least one.
impl From<Faults> for ApiError {
    fn from(faults: Faults) -> ApiError {
        ApiError::Input(faults.errors)
    }
}
