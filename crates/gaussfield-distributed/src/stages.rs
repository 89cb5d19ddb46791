//! What a job has done so far, on disk: a restart goes on from there.
//!
//! Each member writes a sealed file of its own; when all are on the disk, member 0 writes the manifest,
//! which names them with their checksums. A stage without a manifest was never finished.

use crate::world::{agree, same};
use crate::{DistributedError, Part, World};
use gaussfield_core::Budget;
use gaussfield_core::files::{Format, read_whole, sha256, write_atomically};
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};

const SHARD: Format = Format { name: "distributed-shard", oldest: 1, newest: 1 };
const MANIFEST: Format = Format { name: "distributed-stage", oldest: 1, newest: 1 };

/// A folder with the stages of a job.
#[derive(Debug, Clone)]
pub struct Stages {
    folder: PathBuf,
}

/// A finished stage: what it was made from, and what is known of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Stage {
    /// Inputs and options: another key, another stage.
    pub key: String,
    /// What people want to know of it.
    pub facts: serde_json::Value,
    /// Members that made it.
    members: usize,
    /// The checksum of the file of each.
    sums: Vec<String>,
}

impl Stages {
    /// In this folder, which is made when something is kept.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into() }
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    fn shard(&self, name: &str, rank: usize, size: usize) -> PathBuf {
        self.folder.join(format!("{name}-{rank:05}-of-{size:05}.shard"))
    }

    fn manifest(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.manifest"))
    }

    /// Keeps what this member has made of a stage.
    ///
    /// # Errors
    /// A file that cannot be written.
    pub fn keep(
        &self,
        world: &impl World,
        name: &str,
        (key, facts): (&str, serde_json::Value),
        own: &[u8],
    ) -> Result<(), DistributedError> {
        let path = self.shard(name, world.rank(), world.size());
        let sealed = SHARD.seal(own);
        let sum = sum_of(&path, &sealed).and_then(|sum| {
            write_atomically(&path, &sealed)?;
            Ok(sum)
        });
        let sum = agree(world, sum)?;
        let sums = world.swap(vec![sum.into_bytes(); world.size()]);
        let sums = sums.iter().map(|sum| String::from_utf8_lossy(sum).into_owned()).collect();
        let stage = Stage { key: key.to_owned(), facts, members: world.size(), sums };
        let written = match world.rank() {
            0 => serde_json::to_vec_pretty(&stage)
                .map_err(|error| self.broken(name, error.to_string()))
                .and_then(|text| {
                    Ok(write_atomically(&self.manifest(name), &MANIFEST.seal(&text))?)
                }),
            _ => Ok(()),
        };
        agree(world, written)
    }

    /// A stage that was kept, and what this member had made of it; none if it was never finished.
    ///
    /// # Errors
    /// Files that were changed or are gone, another number of members.
    pub fn kept(
        &self,
        world: &impl World,
        name: &str,
    ) -> Result<Option<(Stage, Vec<u8>)>, DistributedError> {
        let read = || -> Result<Option<Vec<u8>>, DistributedError> {
            let path = self.manifest(name);
            Ok(if path.is_file() { Some(read_whole(&path, Budget::default())?) } else { None })
        };
        let manifest = agree(world, read())?;
        same(world, "manifest of the stage", manifest.as_deref().unwrap_or_default())?;
        let Some(manifest) = manifest else { return Ok(None) };
        let stage: Stage = MANIFEST
            .open(&manifest)
            .map_err(|error| error.to_string())
            .and_then(|opened| {
                serde_json::from_slice(opened.content).map_err(|error| error.to_string())
            })
            .map_err(|problem| self.broken(name, problem))?;
        if stage.members != world.size() {
            let problem = format!("was made by {} members, not {}", stage.members, world.size());
            return Err(DistributedError::File {
                path: self.manifest(name),
                problem,
                remedy: "start as many members as before, or make the stage again in another folder",
            });
        }
        let own = || -> Result<Vec<u8>, DistributedError> {
            let path = self.shard(name, world.rank(), world.size());
            let sealed = read_whole(&path, Budget { bytes: u64::MAX })?;
            if stage.sums.get(world.rank()) != Some(&sum_of(&path, &sealed)?) {
                return Err(DistributedError::File {
                    path,
                    problem: "is not the file that the manifest names".into(),
                    remedy: "take the manifest away, so that the stage is made again",
                });
            }
            let opened =
                SHARD.open(&sealed).map_err(|error| self.broken(name, error.to_string()))?;
            Ok(opened.content.to_vec())
        };
        let own = agree(world, own())?;
        Ok(Some((stage, own)))
    }

    fn broken(&self, name: &str, problem: String) -> DistributedError {
        let remedy = "take the manifest away, so that the stage is made again";
        DistributedError::File { path: self.manifest(name), problem, remedy }
    }
}

/// Offsets, rows, starts, columns and numbers of a part.
type Pieces = (Vec<u64>, Vec<u64>, Vec<usize>, Vec<u64>, Vec<f64>);

fn sum_of(path: &Path, bytes: &[u8]) -> Result<String, DistributedError> {
    sha256(bytes).map_err(|error| DistributedError::File {
        path: path.to_owned(),
        problem: error.to_string(),
        remedy: "try again",
    })
}

impl Part {
    /// As bytes, for [`Stages::keep`].
    pub fn to_bytes(&self) -> Vec<u8> {
        let own = self.rows.len();
        let global = |&place: &u32| match (place as usize).checked_sub(own) {
            Some(ghost) => self.halo.ghosts[ghost],
            None => self.first + u64::from(place),
        };
        let mut words = vec![self.offsets.len() as u64, own as u64, self.columns.len() as u64];
        words.extend(&self.offsets);
        words.extend(&self.rows);
        words.extend(self.starts.iter().map(|&start| start as u64));
        words.extend(self.columns.iter().map(global));
        words.extend(self.numbers.iter().map(|number| number.to_bits()));
        crate::world::packed(&words)
    }

    /// From such bytes, on as many members as had made them.
    ///
    /// # Errors
    /// Bytes that are none of a part.
    pub fn from_bytes(world: &impl World, bytes: &[u8]) -> Result<Self, DistributedError> {
        let words: Vec<u64> = crate::world::unpacked(bytes);
        let cut = || -> Option<Pieces> {
            let counts = words.get(..3)?;
            let mut at = 3_usize;
            let mut next = |count: u64| {
                let found = words.get(at..at.checked_add(usize::try_from(count).ok()?)?)?.to_vec();
                at += found.len();
                Some(found)
            };
            let (offsets, rows) = (next(counts[0])?, next(counts[1])?);
            let starts: Vec<usize> =
                next(counts[1].checked_add(1)?)?.into_iter().map(|start| start as usize).collect();
            let columns = next(counts[2])?;
            let numbers: Vec<f64> = next(counts[2])?.into_iter().map(f64::from_bits).collect();
            let own = offsets.get(world.rank() + 1)?.checked_sub(*offsets.get(world.rank())?)?;
            let all = *offsets.last()?;
            let sound = offsets.len() == world.size() + 1
                && offsets.is_sorted()
                && own == rows.len() as u64
                && starts.is_sorted()
                && starts.last() == Some(&columns.len())
                && columns.iter().all(|&column| column < all);
            sound.then_some((offsets, rows, starts, columns, numbers))
        };
        let remedy = "make the graph again";
        let wrong = || DistributedError::File {
            path: "the graph".into(),
            problem: "is not what a graph is kept as".into(),
            remedy,
        };
        let (offsets, rows, starts, columns, numbers) = agree(world, cut().ok_or_else(wrong))?;
        Ok(Self::new(world, offsets, rows, starts, &columns, numbers))
    }
}
