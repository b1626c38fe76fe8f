//! The faults found in a request so far.

use crate::api::code::Code;
use crate::api::error::{ApiError, InputError};
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
            });
        }
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
