use time::format_description::well_known::Rfc3339;
use time::{Date, Month, OffsetDateTime, Time, UtcOffset};

/// Reads a moment as RFC 3339 writes it, in UTC.
pub(super) fn read_moment(text: &str) -> Option<OffsetDateTime> {
    OffsetDateTime::parse(text, &Rfc3339)
        .ok()
        .and_then(|at| at.checked_to_offset(UtcOffset::UTC))
        .filter(|at| (0..=9999).contains(&at.year()))
}

/// Reads a day, with or without a time: `2026-11-30`, `2021.11.07 07:55:59`, or a moment. A day alone
/// begins at midnight; UTC is taken where no offset is told.
pub(super) fn read_date(text: &str) -> Option<OffsetDateTime> {
    let text = text.trim();
    if let Some(moment) = read_moment(text) {
        return Some(moment);
    }
    let is_plain = |c: char| c.is_ascii_digit() || matches!(c, '-' | '.' | '/' | ':' | ' ' | 'T');
    if text.len() > 19 || !text.chars().all(is_plain) {
        return None;
    }
    let numbers: Vec<&str> = text.split(|c: char| !c.is_ascii_digit()).collect();
    let number = |index: usize| numbers.get(index)?.parse::<u8>().ok();
    let (year, time) = match numbers.as_slice() {
        [year, _, _] => (year, Time::MIDNIGHT),
        [year, _, _, _, _] => (year, Time::from_hms(number(3)?, number(4)?, 0).ok()?),
        [year, ..] if numbers.len() == 6 => (
            year,
            Time::from_hms(number(3)?, number(4)?, number(5)?).ok()?,
        ),
        _ => return None,
    };
    if year.len() != 4 {
        return None;
    }
    let month = Month::try_from(number(1)?).ok()?;
    let date = Date::from_calendar_date(year.parse().ok()?, month, number(2)?).ok()?;
    Some(date.with_time(time).assume_utc())
}

/// Writes the day, as `2026-11-30`.
pub(super) fn written_day(at: OffsetDateTime) -> String {
    let date = at.to_offset(UtcOffset::UTC).date();
    format!(
        "{:04}-{:02}-{:02}",
        date.year(),
        u8::from(date.month()),
        date.day()
    )
}

/// Writes the moment as RFC 3339 has it; absent in a year that it cannot write.
pub(super) fn written_moment(at: OffsetDateTime) -> Option<String> {
    at.to_offset(UtcOffset::UTC).format(&Rfc3339).ok()
}

#[cfg(test)]
mod tests {
    use time::macros::datetime;

    use super::*;

    #[test]
    fn dates_are_read_in_the_usual_spellings() {
        let midnight = datetime!(2026-11-30 00:00 UTC);
        for text in [
            "2026-11-30",
            "2026.11.30",
            "2026/11/30",
            " 2026-11-30T00:00:00Z ",
        ] {
            assert_eq!(read_date(text), Some(midnight), "{text:?}");
        }
        let morning = datetime!(2021-11-07 07:55:59 UTC);
        assert_eq!(read_date("2021.11.07 07:55:59"), Some(morning));
        assert_eq!(read_date("2021-11-07T08:55:59+01:00"), Some(morning));
        for text in [
            "",
            "2026",
            "2026-11",
            "26-11-30",
            "2026-13-01",
            "2026-02-30",
            "30.11.2026",
            "2026-11-30,12-01",
            "????.??.??",
            "2026-11-30 25:00",
        ] {
            assert_eq!(read_date(text), None, "{text:?}");
        }
    }

    #[test]
    fn a_day_reads_back_as_it_is_written() {
        let at = datetime!(0007-01-02 00:00 UTC);
        assert_eq!(written_day(at), "0007-01-02");
        assert_eq!(read_date(&written_day(at)), Some(at));
    }
}
