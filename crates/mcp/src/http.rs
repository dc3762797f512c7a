//! The server over HTTP, on a loopback address and for who knows its token only.
//!
//! A web page can send requests to this machine, so three things are checked before anything is looked at: that the request was
//! meant for a loopback name (a page behind a rebound name is not), that it comes from no foreign origin, and that it
//! carries the token. Nothing here opens a connection; it is listened to, and only when that was asked for.

use std::convert::Infallible;
use std::fmt::Write as _;
use std::io;
use std::net::{SocketAddr, TcpListener as BoundListener};
use std::sync::Arc;

use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use tokio::net::TcpListener;

use crate::server::Server;
use crate::stdio::MAX_MESSAGE_BYTES;

/// The one path that is served.
pub const PATH: &str = "/mcp";
/// Origins of pages that may speak to the server: those of this machine.
const ORIGINS: [&str; 3] = ["http://localhost:*", "http://127.0.0.1:*", "http://[::1]:*"];
/// Bytes of chance in a token.
const TOKEN_BYTES: usize = 32;

type Body = http_body_util::combinators::BoxBody<Bytes, Infallible>;

/// A loopback address that is listened on.
#[derive(Debug)]
pub struct Listener {
    inner: BoundListener,
    /// The address, with its port.
    pub address: SocketAddr,
}

impl Listener {
    /// Listens on an address; 0 as the port lets the system choose one.
    ///
    /// # Errors
    ///
    /// `InvalidInput` for an address that others can reach, else what the system says.
    pub fn bind(address: SocketAddr) -> io::Result<Self> {
        if !address.ip().is_loopback() {
            let message = format!("{} is no loopback address", address.ip());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
        }
        let inner = BoundListener::bind(address)?;
        inner.set_nonblocking(true)?;
        let address = inner.local_addr()?;
        Ok(Self { inner, address })
    }
}

/// A token that nobody can guess.
pub fn new_token() -> io::Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes).map_err(|error| io::Error::other(error.to_string()))?;
    Ok(bytes.iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    }))
}

/// Answers everybody who comes, until the process ends.
pub(crate) async fn serve(
    listener: Listener,
    token: String,
    new_server: impl Fn() -> Server + Send + Sync + 'static,
) -> io::Result<()> {
    let mut config =
        StreamableHttpServerConfig::default().with_allowed_origins(ORIGINS.map(str::to_owned));
    config.max_request_body_bytes = MAX_MESSAGE_BYTES;
    let sessions = Arc::new(LocalSessionManager::default());
    let service = StreamableHttpService::new(move || Ok(new_server()), sessions, config);
    let token: Arc<str> = token.into();
    let listener = TcpListener::from_std(listener.inner)?;
    loop {
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                // One that went away before it was let in; or too many at once, which passes.
                tracing::debug!("a connection was not accepted: {error}");
                tokio::time::sleep(std::time::Duration::from_millis(10)).await;
                continue;
            }
        };
        let (service, token) = (service.clone(), Arc::clone(&token));
        tokio::spawn(async move {
            let answer = service_fn(move |request: Request<Incoming>| {
                let (service, token) = (service.clone(), Arc::clone(&token));
                async move {
                    match refusal(&request, &token) {
                        Some(refusal) => Ok::<_, Infallible>(refusal),
                        None => Ok(service.handle(request).await),
                    }
                }
            });
            let served = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .serve_connection(TokioIo::new(stream), answer)
                .await;
            if let Err(error) = served {
                tracing::debug!("a connection ended: {error}");
            }
        });
    }
}

/// The answer to a request that is not let in.
fn refusal(request: &Request<Incoming>, token: &str) -> Option<Response<Body>> {
    let given = request
        .headers()
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.strip_prefix("Bearer "));
    if !given.is_some_and(|given| is_same(given.trim(), token)) {
        let mut response =
            plain(StatusCode::UNAUTHORIZED, "the bearer token is missing or wrong\n");
        response.headers_mut().insert(WWW_AUTHENTICATE, "Bearer".parse().ok()?);
        return Some(response);
    }
    (request.uri().path() != PATH)
        .then(|| plain(StatusCode::NOT_FOUND, "there is nothing here; the server is at /mcp\n"))
}

/// Whether two texts are the same, in a time that does not tell where they differ.
fn is_same(a: &str, b: &str) -> bool {
    a.len() == b.len()
        && a.bytes().zip(b.bytes()).fold(0, |difference, (a, b)| difference | (a ^ b)) == 0
}

fn plain(status: StatusCode, text: &'static str) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from_static(text.as_bytes())).boxed());
    *response.status_mut() = status;
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_addresses_are_listened_on() {
        for address in ["0.0.0.0:0", "192.168.0.1:0", "[::]:0"] {
            let error = Listener::bind(address.parse().unwrap()).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidInput, "{address}");
        }
        assert_ne!(Listener::bind("127.0.0.1:0".parse().unwrap()).unwrap().address.port(), 0);
    }

    #[test]
    fn tokens_are_long_and_never_the_same() {
        let (one, other) = (new_token().unwrap(), new_token().unwrap());
        assert_eq!(one.len(), 2 * TOKEN_BYTES);
        assert_ne!(one, other);
        assert!(is_same(&one, &one.clone()) && !is_same(&one, &other) && !is_same(&one, "x"));
    }
}
