//! The server's side over HTTP/2: what may go wrong with one request, and with a connection.

use std::{
    sync::{Arc, atomic::Ordering},
    time::Duration,
};

use super::world::World;
use crate::{
    dice::Dice,
    fault::{HINTS, STATUSES},
    server::{Frames, Served, pause},
};

/// Codes of RFC 9113 §7 that say nothing of what became of the request.
const VAGUE: [u32; 4] = [1, 2, 8, 11];

/// The code that says that it was not acted on.
const REFUSED_STREAM: u32 = 7;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fault {
    /// Answers with a body of so many bytes.
    Answer(usize),
    /// Sends the answer piece by piece.
    Drip,
    /// A refusal whose body never ends.
    Endless,
    /// Ends the connection without acting on the request.
    GoAway,
    /// Pings before it answers.
    Pings(u64),
    /// Refuses to act on the request.
    Refuse,
    /// Resets the request before the answer.
    ResetEarly(u32),
    /// Resets the request after a part of the answer.
    ResetLate(u32),
    Stall,
    /// Answers with this status, and a wait of this number.
    Status(u16, usize),
}

impl Fault {
    /// Nine of ten requests are answered well.
    fn draw(dice: &mut Dice) -> Self {
        let code = dice.pick(&VAGUE).copied().unwrap_or(2);
        match dice.below(1_000) {
            0..880 => Self::Answer(dice.size(0, 2_000)),
            880..920 => {
                let status = dice.pick(&STATUSES).copied().unwrap_or(503);
                Self::Status(status, dice.size(0, 7))
            }
            920..930 => Self::Status(401, 0),
            930..945 => Self::Refuse,
            945..955 => Self::GoAway,
            955..965 => Self::ResetEarly(code),
            965..980 => Self::ResetLate(code),
            980..990 => Self::Pings(dice.between(1, 50)),
            990..994 => Self::Drip,
            994..997 => Self::Endless,
            _ => Self::Stall,
        }
    }
}

/// Serves the requests of one connection.
pub(super) async fn serve(world: Arc<World>, mut frames: Frames) -> Served {
    let mut dice = Dice::new(world.seed, "connection", world.next_connection());
    let at_once = u32::try_from(dice.between(1, 100)).unwrap_or(1);
    frames.greet(at_once).await?;
    loop {
        let stream = frames.request().await?;
        let fault = if world.calm.load(Ordering::SeqCst) {
            Fault::Answer(2)
        } else if world.outage.load(Ordering::SeqCst) {
            Fault::Status(503, 0)
        } else {
            Fault::draw(&mut dice)
        };
        match fault {
            Fault::GoAway => return frames.go_away(stream.saturating_sub(2)).await,
            Fault::Refuse => frames.reset(stream, REFUSED_STREAM).await?,
            _ => {
                frames.count();
                act(fault, &mut frames, stream).await?;
            }
        }
        if frames.is_worn() {
            return frames.finish().await;
        }
    }
}

async fn act(fault: Fault, frames: &mut Frames, stream: u32) -> Served {
    match fault {
        Fault::Answer(size) => {
            frames.head(stream, 200, "").await?;
            frames.part(stream, &vec![b' '; size]).await?;
        }
        Fault::Drip => {
            frames.head(stream, 200, "").await?;
            for _ in 0..8 {
                pause(Duration::from_millis(1)).await;
                frames.part(stream, b"[]").await?;
            }
        }
        Fault::Endless => {
            frames.head(stream, 503, "").await?;
            return frames.part(stream, &[b'x'; 40_000]).await;
        }
        Fault::Pings(count) => {
            for _ in 0..count {
                frames.ping().await?;
            }
            frames.head(stream, 200, "").await?;
        }
        Fault::ResetEarly(code) => return frames.reset(stream, code).await,
        Fault::ResetLate(code) => {
            frames.head(stream, 200, "").await?;
            frames.part(stream, b"[").await?;
            return frames.reset(stream, code).await;
        }
        Fault::Status(status, hint) => {
            frames.head(stream, status, HINTS.get(hint).copied().unwrap_or_default()).await?;
        }
        Fault::GoAway | Fault::Refuse | Fault::Stall => return Ok(()),
    }
    frames.end(stream).await
}
