use std::io::{self, BufRead, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread;
use std::time::Instant;

use crate::gomocup::command::Command;

/// A line from the manager.
pub(super) struct Line {
    pub(super) text: String,
    pub(super) read_at: Instant,
    /// Tells whether something that came later cuts short what this line asks for.
    pub(super) cut: Arc<Cut>,
}

/// What has come after a line that ends the search it asked for.
#[derive(Debug, Default)]
pub(super) struct Cut {
    search: AtomicBool,
    end: AtomicBool,
}

/// No line of use is longer; of a longer one the rest is dropped.
const LONGEST_LINE: u64 = 8192;

impl Cut {
    /// True once the search is to stop.
    pub(super) fn search(&self) -> &AtomicBool {
        &self.search
    }

    /// Has `END` come?
    pub(super) fn is_end(&self) -> bool {
        self.end.load(Ordering::Acquire)
    }

    fn stop(&self) {
        self.search.store(true, Ordering::Release);
    }

    fn end(&self) {
        self.end.store(true, Ordering::Release);
        self.stop();
    }
}

/// Reads lines on a thread of its own, so that a search need not wait to hear that it should stop. The
/// channel closes after `END` and at the end of the input.
pub(super) fn listen(
    input: impl BufRead + Send + 'static,
) -> io::Result<Receiver<io::Result<Line>>> {
    let (sender, receiver) = mpsc::channel();
    thread::Builder::new()
        .name("gomocup-input".into())
        .spawn(move || read(input, &sender))?;
    Ok(receiver)
}

fn read(mut input: impl BufRead, lines: &Sender<io::Result<Line>>) {
    // Shared by all lines up to the next STOP, which stops what any of them asks for and nothing later.
    let mut cut = Arc::new(Cut::default());
    loop {
        let text = match read_line(&mut input) {
            Ok(Some(text)) => text,
            Ok(None) => break,
            Err(error) => {
                // The other side may be gone; then nobody needs to know.
                let _ = lines.send(Err(error));
                break;
            }
        };
        let command = Command::read(&text);
        let line = Line {
            text,
            read_at: Instant::now(),
            cut: Arc::clone(&cut),
        };
        let is_heard = lines.send(Ok(line)).is_ok();
        match command {
            Ok(Command::End) => return cut.end(),
            Ok(Command::Stop) => std::mem::take(&mut cut).stop(),
            _ => {}
        }
        if !is_heard {
            return;
        }
    }
    cut.stop();
}

fn read_line(input: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut line = Vec::new();
    if input
        .by_ref()
        .take(LONGEST_LINE)
        .read_until(b'\n', &mut line)?
        == 0
    {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') {
        input.skip_until(b'\n')?;
    }
    // A line in no known encoding is an unknown command, not the end.
    Ok(Some(String::from_utf8_lossy(&line).into_owned()))
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn lines(text: &str) -> Vec<Line> {
        let lines = listen(Cursor::new(text.to_owned())).unwrap();
        lines.into_iter().map(|line| line.unwrap()).collect()
    }

    fn is_cut(line: &Line) -> bool {
        line.cut.search().load(Ordering::Acquire)
    }

    #[test]
    fn stop_cuts_what_came_before_it_and_end_all_that_is_left() {
        let lines = lines("BEGIN\nyxstop\r\nTURN 1,1\nEND\nABOUT\n");
        assert_eq!(lines.len(), 4, "nothing is read after END");
        // The channel closes when the reader is done, so all flags are set by now.
        assert!(is_cut(&lines[0]) && !lines[0].cut.is_end());
        assert!(is_cut(&lines[2]) && lines[2].cut.is_end());
    }

    #[test]
    fn the_end_of_the_input_cuts_without_an_end() {
        let lines = lines("BEGIN\nSTOP\nTURN 1,1");
        assert_eq!(lines[2].text, "TURN 1,1");
        assert!(is_cut(&lines[2]) && !lines[2].cut.is_end());
    }

    #[test]
    fn of_an_endless_line_only_the_beginning_is_kept() {
        let lines = lines(&format!("INFO folder {}\nABOUT\n", "x".repeat(100_000)));
        assert_eq!(lines.len(), 2);
        assert_eq!(lines[0].text.len(), 8192);
        assert_eq!(lines[1].text, "ABOUT\n");
    }
}
