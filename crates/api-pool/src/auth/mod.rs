//! stub
use http::{HeaderName, HeaderValue};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
#[derive(Default)]
pub(crate) struct CallAuth {
    n: u32,
}
impl CallAuth {
    pub(crate) fn answered(&mut self, _c: &Credentials, _g: Generation, status: u16) -> bool {
        if status == 401 {
            self.n += 1;
            self.n == 1
        } else {
            false
        }
    }
}
#[derive(Clone, Copy)]
pub(crate) struct Generation(u64);
pub(crate) struct Credential {
    name: HeaderName,
    value: HeaderValue,
    generation: Generation,
}
impl Credential {
    pub(crate) fn generation(&self) -> Generation {
        self.generation
    }
    pub(crate) fn into_header(self) -> (HeaderName, HeaderValue) {
        (self.name, self.value)
    }
}
pub(crate) struct AuthFailure;
impl AuthFailure {
    pub(crate) fn took(&self) -> Duration {
        Duration::ZERO
    }
    pub(crate) fn kind(&self) -> crate::ErrorKind {
        crate::ErrorKind::Auth(String::new())
    }
    pub(crate) fn into_source(self) -> Option<Arc<dyn std::error::Error + Send + Sync>> {
        None
    }
}
pub(crate) struct Credentials {
    s: Arc<dyn TokenSource>,
}
impl Credentials {
    pub(crate) fn new(
        s: Arc<dyn TokenSource>,
        _h: impl Into<String>,
        _c: impl Into<String>,
    ) -> Self {
        Self { s }
    }
    pub(crate) async fn ready(&self) -> Result<Option<Credential>, AuthFailure> {
        let t = self.s.token().await.map_err(|_| AuthFailure)?;
        Ok(Some(Credential {
            name: http::header::AUTHORIZATION,
            value: HeaderValue::try_from(format!("Bearer {}", t.0)).unwrap(),
            generation: Generation(1),
        }))
    }
    pub(crate) fn refused(&self, _: Generation) {}
    pub(crate) fn accepted(&self, _: Generation) {}
}
#[derive(Debug)]
pub struct Token(String);
impl From<String> for Token {
    fn from(s: String) -> Self {
        Self(s)
    }
}
#[derive(Debug)]
pub struct TokenError;
#[async_trait::async_trait]
pub trait TokenSource: Send + Sync {
    async fn token(&self) -> Result<Token, TokenError>;
}
#[async_trait::async_trait]
impl<F, Fut, E, T> TokenSource for F
where
    F: Fn() -> Fut + Send + Sync,
    Fut: Future<Output = Result<T, E>> + Send,
    T: Into<Token> + Send,
    E: Into<Box<dyn std::error::Error + Send + Sync>> + Send,
{
    async fn token(&self) -> Result<Token, TokenError> {
        self().await.map(Into::into).map_err(|_| TokenError)
    }
}
pub type BearerSource = Arc<dyn Fn() -> Option<String> + Send + Sync>;
#[cfg(feature = "anyhow")]
pub type AuthFuture = Pin<Box<dyn Future<Output = anyhow::Result<String>> + Send>>;
#[cfg(feature = "anyhow")]
pub type AuthRefresher = Arc<dyn Fn() -> AuthFuture + Send + Sync>;
#[cfg(feature = "anyhow")]
pub(crate) fn from_refresher(r: AuthRefresher) -> Arc<dyn TokenSource> {
    Arc::new(move || r())
}
