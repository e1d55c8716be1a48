//! The scope of a refresh: calls made in it through the same client carry no credentials.

use std::future::Future;

tokio::task_local! {
    /// The clients for which the current task is fetching a token, the outermost first.
    static REFRESHING: Vec<usize>;
}

/// Whether the current task is fetching a token for `client`.
pub(super) fn is_inside(client: usize) -> bool {
    REFRESHING.try_with(|clients| clients.contains(&client)).unwrap_or(false)
}

/// Runs `refresh` as fetching a token for `client`, in whichever task it is polled.
///
/// The scopes that surround this call stay in force: a refresh that needs a call of a second
/// client, whose own refresh needs a call of the first, does not wait for itself.
pub(super) fn enter<F: Future>(client: usize, refresh: F) -> impl Future<Output = F::Output> {
    let mut clients = REFRESHING.try_with(Clone::clone).unwrap_or_default();
    clients.push(client);
    REFRESHING.scope(clients, refresh)
}
