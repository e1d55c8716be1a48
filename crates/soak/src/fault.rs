//! What may go wrong with one request: drawn by the caller, and told to the server in the path.

use std::time::Duration;

use test_support::{answer, head};

use crate::{
    dice::Dice,
    server::{Connection, Part, Served, pause},
};

/// What the server does with one request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// Answers with a body of so many bytes.
    Answer(usize),
    /// Answers in chunks.
    Chunked,
    /// Sends so many bytes of the answer, then FIN.
    Cut(usize),
    /// Sends the answer byte by byte.
    Drip,
    /// A refusal whose body never ends.
    Endless,
    /// Sends something that is not HTTP.
    Garbage,
    /// Sends a great many header lines.
    Headers(usize),
    /// Answers as HTTP/1.0 and closes.
    Http10,
    /// Sends informational answers before the real one.
    Informational(usize),
    /// Reads so many bytes of the request, then RST.
    ResetEarly(usize),
    /// Sends so many bytes of the answer, then RST.
    ResetLate(usize),
    /// Answers with this status, and a wait of this number.
    Status(u16, usize),
    /// Reads the request and says nothing.
    Stall,
    /// Reads no byte of the request, then FIN.
    Turn,
}

/// Waits that servers have been seen to ask for.
pub(crate) const HINTS: [&str; 8] =
    ["0", "1", "soon", "-5", "99999999999999999999999", "1.5", "Fri, 31 Dec 1999 23:59:59 GMT", ""];

pub(crate) const STATUSES: [u16; 12] = [400, 403, 404, 408, 409, 425, 429, 500, 502, 503, 504, 599];

/// The body of an ordinary answer.
const BODY: &[u8] = b"{\"data\":[{\"id\":1,\"name\":\"Riga\"},{\"id\":2,\"name\":\"Oslo\"}]}";

impl Fault {
    /// Nine of ten requests are answered well.
    pub(crate) fn draw(dice: &mut Dice) -> Self {
        match dice.below(1_000) {
            0..840 => Self::Answer(dice.size(0, 2_000)),
            840..880 => Self::Chunked,
            880..920 => {
                let status = dice.pick(&STATUSES).copied().unwrap_or(503);
                Self::Status(status, dice.size(0, 7))
            }
            920..932 => Self::Cut(dice.size(0, 150)),
            932..944 => Self::ResetLate(dice.size(0, 90)),
            944..954 => Self::ResetEarly(dice.size(0, 200)),
            954..960 => Self::Turn,
            960..964 => Self::Garbage,
            964..972 => Self::Http10,
            972..980 => Self::Informational(dice.size(1, 50)),
            980..985 => Self::Headers(dice.size(1, 3_000)),
            985..990 => Self::Endless,
            990..993 => Self::Answer(200_000),
            993..998 => Self::Drip,
            _ => Self::Stall,
        }
    }

    /// As a segment of a path.
    pub(crate) fn segment(self) -> String {
        match self {
            Self::Answer(size) => format!("answer-{size}"),
            Self::Chunked => "chunked-0".to_owned(),
            Self::Cut(at) => format!("cut-{at}"),
            Self::Drip => "drip-0".to_owned(),
            Self::Endless => "endless-0".to_owned(),
            Self::Garbage => "garbage-0".to_owned(),
            Self::Headers(lines) => format!("headers-{lines}"),
            Self::Http10 => "http10-0".to_owned(),
            Self::Informational(answers) => format!("informational-{answers}"),
            Self::ResetEarly(at) => format!("early-{at}"),
            Self::ResetLate(at) => format!("late-{at}"),
            Self::Status(status, hint) => format!("status{status}-{hint}"),
            Self::Stall => "stall-0".to_owned(),
            Self::Turn => "turn-0".to_owned(),
        }
    }

    /// The fault that the last segment of a path names; a good answer if it names none.
    pub(crate) fn of_path(path: &str) -> Self {
        let named = || {
            let (name, number) = path.rsplit('/').next()?.split_once('-')?;
            let number: usize = number.parse().ok()?;
            Some(match name {
                "answer" => Self::Answer(number),
                "chunked" => Self::Chunked,
                "cut" => Self::Cut(number),
                "drip" => Self::Drip,
                "endless" => Self::Endless,
                "garbage" => Self::Garbage,
                "headers" => Self::Headers(number),
                "http10" => Self::Http10,
                "informational" => Self::Informational(number),
                "early" => Self::ResetEarly(number),
                "late" => Self::ResetLate(number),
                "stall" => Self::Stall,
                "turn" => Self::Turn,
                _ => Self::Status(name.strip_prefix("status")?.parse().ok()?, number),
            })
        };
        named().unwrap_or(Self::Answer(BODY.len()))
    }

    /// Does it. Returns the connection if it may go on.
    pub(crate) async fn act(self, mut connection: Connection) -> Result<Connection, Served> {
        let good = answer(200, &[("content-type", "application/json")], BODY);
        if let Self::ResetEarly(at) = self {
            return match connection.read_some(at).await {
                Ok(Part::Some | Part::All) => Err(connection.reset()),
                Err(left) => Err(Err(left)),
            };
        }
        if self == Self::Turn {
            return Err(connection.finish().await);
        }
        connection.request().await.map_err(Err)?;
        let bytes = match self {
            Self::Answer(size) => answer(200, &[], vec![b' '; size]),
            Self::Chunked => chunked(BODY),
            Self::Cut(at) => {
                let part = good.get(..at).unwrap_or(&good);
                connection.send(part).await.map_err(Err)?;
                return Err(connection.finish().await);
            }
            Self::ResetLate(at) => {
                // Never all of it: whoever has it all may send the next request at once.
                let part = good.get(..at.min(good.len() - 1)).unwrap_or_default();
                connection.send(part).await.map_err(Err)?;
                return Err(connection.reset());
            }
            Self::Drip => {
                for byte in good.chunks(8) {
                    pause(Duration::from_millis(1)).await;
                    connection.send(byte).await.map_err(Err)?;
                }
                return Ok(connection);
            }
            Self::Endless => {
                connection.send(&head(503, &[], usize::MAX >> 12)).await.map_err(Err)?;
                loop {
                    connection.send(&[b'x'; 4_096]).await.map_err(Err)?;
                }
            }
            Self::Garbage => {
                let sent = connection.send(b"\x00\xff\x16\x03 not HTTP\r\n\r\n").await;
                sent.map_err(Err)?;
                return Err(connection.finish().await);
            }
            Self::Headers(lines) => {
                let names: Vec<_> = (0..lines).map(|line| format!("x-{line}")).collect();
                let lines: Vec<_> = names.iter().map(|name| (name.as_str(), "filler")).collect();
                answer(200, &lines, BODY)
            }
            Self::Http10 => {
                connection.send(b"HTTP/1.0 200 X\r\n\r\n[]").await.map_err(Err)?;
                return Err(connection.finish().await);
            }
            Self::Informational(answers) => {
                let mut bytes = b"HTTP/1.1 103 X\r\nlink: <a>\r\n\r\n".repeat(answers);
                bytes.extend_from_slice(&good);
                bytes
            }
            Self::Status(status, hint) => {
                let hint = HINTS.get(hint).copied().unwrap_or_default();
                answer(status, &[("retry-after", hint)], "no")
            }
            Self::Stall => return Err(connection.stall().await),
            Self::ResetEarly(_) | Self::Turn => good,
        };
        connection.send(&bytes).await.map_err(Err)?;
        Ok(connection)
    }
}

fn chunked(body: &[u8]) -> Vec<u8> {
    let mut bytes = b"HTTP/1.1 200 X\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    for chunk in body.chunks(7) {
        bytes.extend_from_slice(format!("{:x}\r\n", chunk.len()).as_bytes());
        bytes.extend_from_slice(chunk);
        bytes.extend_from_slice(b"\r\n");
    }
    bytes.extend_from_slice(b"0\r\n\r\n");
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_reads_what_the_caller_drew() {
        for index in 0..5_000 {
            let fault = Fault::draw(&mut Dice::new(1, "fault", index));
            assert_eq!(Fault::of_path(&format!("/7/{}", fault.segment())), fault);
        }
    }
}
