//! A mutator that makes the same changes from the same seed.

use flate2::Compression;
use flate2::read::MultiGzDecoder;
use flate2::write::GzEncoder;
use rand::{RngExt as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use std::io::{Read as _, Write as _};

/// Words that formats know, and numbers at the ends of their ranges.
const WORDS: &[&str] = &[
    "0",
    "1",
    "-1",
    "255",
    "65536",
    "2147483647",
    "4294967295",
    "18446744073709551616",
    "1e308",
    "1e-320",
    "1e999",
    "nan",
    "inf",
    "-0",
    ",",
    "\t",
    " ",
    "\n",
    "\r\n",
    "\"",
    "'",
    ":",
    ";",
    "#",
    "%",
    "{",
    "}",
    "[",
    "]",
    "(",
    ")",
    "<",
    ">",
    "=",
    "@data\n",
    "@attribute a real\n",
    "@outputs",
    "class",
    "qid:1",
    "1:1",
    "%%MatrixMarket matrix coordinate real general\n",
    "<REUTERS",
    "</REUTERS>",
    "<TEXT",
    "</TEXT>",
    "TOPICS=\"YES\"",
    "&#0;",
    "é",
    "\u{feff}",
    "\0",
    "'shape': (",
    "'descr': '<f8'",
    "True",
    "method",
    "harmonic",
    "true",
    "null",
];

/// Numbers that lengths are replaced by.
const EXTREMES: [u64; 8] = [0, 1, 0x7f, 0xff, 0x7fff_ffff, 0xffff_ffff, u64::MAX / 2, u64::MAX];

/// A source of mutated inputs.
#[derive(Debug)]
pub struct Mutator {
    rng: ChaCha8Rng,
}

impl Mutator {
    /// From a seed.
    pub fn new(seed: u64) -> Self {
        Self { rng: ChaCha8Rng::seed_from_u64(seed) }
    }

    /// One of the seeds, changed in one to four places. A gzip file is sometimes changed inside.
    pub fn mutated(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = self.any(seeds);
        let inside = bytes.starts_with(&[0x1f, 0x8b]) && self.rng.random_bool(0.7);
        if inside && let Some(unpacked) = unpacked(&bytes) {
            bytes = unpacked;
        }
        for _ in 0..self.rng.random_range(1..5) {
            self.change(&mut bytes, seeds);
        }
        if inside || self.rng.random_bool(0.02) { packed(&bytes) } else { bytes }
    }

    fn any(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let at = self.below(seeds.len());
        seeds.get(at).cloned().unwrap_or_default()
    }

    fn below(&mut self, end: usize) -> usize {
        if end == 0 { 0 } else { self.rng.random_range(0..end) }
    }

    fn change(&mut self, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let at = self.below(bytes.len());
        let length = self.below(bytes.len() - at.min(bytes.len())).min(64);
        match self.rng.random_range(0..9) {
            0 => {
                let bit = self.rng.random_range(0..8);
                bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte ^= 1 << bit);
            }
            1 => {
                let new = self.rng.random();
                bytes.iter_mut().skip(at).take(1).for_each(|byte| *byte = new);
            }
            2 => bytes.truncate(at),
            3 => {
                let word = WORDS[self.rng.random_range(0..WORDS.len())];
                bytes.splice(at..at, word.bytes());
            }
            4 => {
                let number = EXTREMES[self.rng.random_range(0..EXTREMES.len())];
                let big = self.rng.random_bool(0.5);
                let width = [1, 2, 4, 8][self.rng.random_range(0..4)];
                let all = if big { number.to_be_bytes() } else { number.to_le_bytes() };
                let part = if big { &all[8 - width..] } else { &all[..width] };
                bytes.iter_mut().skip(at).zip(part).for_each(|(byte, new)| *byte = *new);
            }
            5 => drop(bytes.drain(at..at + length)),
            6 => {
                let part = bytes[at..at + length].to_vec();
                let times = self.rng.random_range(1..20);
                bytes.splice(at..at, part.repeat(times));
            }
            7 => {
                let other = self.any(seeds);
                let from = self.below(other.len());
                bytes.truncate(at);
                bytes.extend_from_slice(&other[from..]);
            }
            _ => {
                let digits = bytes.iter().skip(at).position(u8::is_ascii_digit);
                let word = WORDS[self.rng.random_range(0..14)];
                if let Some(place) = digits.map(|digit| at + digit) {
                    bytes.splice(place..place + 1, word.bytes());
                }
            }
        }
    }
}

fn unpacked(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut unpacked = Vec::new();
    MultiGzDecoder::new(bytes).take(1 << 20).read_to_end(&mut unpacked).ok()?;
    Some(unpacked)
}

fn packed(bytes: &[u8]) -> Vec<u8> {
    let mut to = GzEncoder::new(Vec::new(), Compression::fast());
    let written = to.write_all(bytes);
    written.and_then(|()| to.finish()).unwrap_or_default()
}
