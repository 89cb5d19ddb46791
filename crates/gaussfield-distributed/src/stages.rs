//! What a job has done so far, on disk: a restart goes on from there.
//!
//! Each member writes a sealed file of its own; when all are on the disk, member 0 writes the manifest,
//! which names them with their checksums. A stage without a manifest was never finished.

use crate::world::{agree, same};
use crate::{DistributedError, World};
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
    memory: Budget,
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
    /// In this folder, which is made when something is kept. What a member reads of a stage may take
    /// 4 GiB.
    pub fn new(folder: impl Into<PathBuf>) -> Self {
        Self { folder: folder.into(), memory: Budget::default() }
    }

    /// The same, where what a member reads of a stage may take so much.
    pub fn within(self, memory: Budget) -> Self {
        Self { memory, ..self }
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

    /// Keeps what this member has made of a stage, in place of what was kept under its name.
    ///
    /// # Errors
    /// A file that cannot be written; then there is no such stage.
    pub fn keep(
        &self,
        world: &impl World,
        name: &str,
        (key, facts): (&str, serde_json::Value),
        own: &[u8],
    ) -> Result<(), DistributedError> {
        // What the manifest of before names is about to change.
        agree(world, if world.rank() == 0 { gone(&self.manifest(name)) } else { Ok(()) })?;
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
            Ok(if path.is_file() { Some(read_whole(&path, self.memory)?) } else { None })
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
            let mut sealed = read_whole(&path, self.memory)?;
            if stage.sums.get(world.rank()) != Some(&sum_of(&path, &sealed)?) {
                return Err(DistributedError::File {
                    path,
                    problem: "is not the file that the manifest names".into(),
                    remedy: "take the manifest away, so that the stage is made again",
                });
            }
            let opened =
                SHARD.open(&sealed).map_err(|error| self.broken(name, error.to_string()))?;
            let head = sealed.len() - opened.content.len();
            sealed.drain(..head);
            Ok(sealed)
        };
        let own = agree(world, own())?;
        Ok(Some((stage, own)))
    }

    /// Takes away the stages whose names begin so; one that cannot be is left.
    pub(crate) fn forget(&self, world: &impl World, names: &str) -> Result<(), DistributedError> {
        let rank = format!("-{:05}-of-{:05}.shard", world.rank(), world.size());
        let remove = |ending: &str| {
            for entry in std::fs::read_dir(&self.folder).into_iter().flatten().flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                if name.starts_with(names) && name.ends_with(ending) {
                    // A later run overwrites it.
                    let _ = std::fs::remove_file(entry.path());
                }
            }
        };
        if world.rank() == 0 {
            remove(".manifest");
        }
        // No shard goes before its manifest.
        agree(world, Ok::<_, DistributedError>(()))?;
        remove(&rank);
        Ok(())
    }

    fn broken(&self, name: &str, problem: String) -> DistributedError {
        let remedy = "take the manifest away, so that the stage is made again";
        DistributedError::File { path: self.manifest(name), problem, remedy }
    }
}

/// Takes a file away, if there is one.
fn gone(path: &Path) -> Result<(), DistributedError> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(DistributedError::File {
            path: path.to_owned(),
            problem: format!("cannot be taken away: {error}"),
            remedy: "give the job a folder that it may change",
        }),
        _ => Ok(()),
    }
}

fn sum_of(path: &Path, bytes: &[u8]) -> Result<String, DistributedError> {
    sha256(bytes).map_err(|error| DistributedError::File {
        path: path.to_owned(),
        problem: error.to_string(),
        remedy: "try again",
    })
}
