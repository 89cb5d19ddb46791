//! What `gaussfield-mpi` keeps of a fit, for a restart and for new points.

use gaussfield_distributed::{
    DistributedError, LearnScale, LearnedScale, Mpi, Part, Search, SolveOptions, SolvedFacts,
    Stage, Stages, agree,
};
use ndarray::Array2;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Scores of the nodes of this member, and what they came of.
pub(crate) struct Kept {
    pub(crate) scores: Array2<f64>,
    pub(crate) names: Vec<String>,
    /// Labels of each class.
    pub(crate) counts: Vec<u64>,
    pub(crate) scale: f64,
    /// The key of the graph.
    pub(crate) graph: String,
    pub(crate) solve: SolvedFacts,
    pub(crate) rounds: usize,
}

/// All but the scores.
#[derive(Serialize, Deserialize)]
struct Facts {
    classes: Vec<String>,
    labels: Vec<u64>,
    scale: f64,
    graph: String,
    solve: SolvedFacts,
    rounds: usize,
}

impl Kept {
    pub(crate) fn facts(&self) -> serde_json::Value {
        serde_json::json!(Facts {
            classes: self.names.clone(),
            labels: self.counts.clone(),
            scale: self.scale,
            graph: self.graph.clone(),
            solve: self.solve,
            rounds: self.rounds,
        })
    }

    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        self.scores.iter().flat_map(|score| score.to_le_bytes()).collect()
    }

    pub(crate) fn from_stage(
        world: &Mpi,
        stage: Stage,
        bytes: &[u8],
    ) -> Result<Self, DistributedError> {
        let numbers: Vec<f64> =
            bytes.as_chunks::<8>().0.iter().map(|bytes| f64::from_le_bytes(*bytes)).collect();
        let whole = serde_json::from_value::<Facts>(stage.facts).ok().and_then(|facts| {
            let classes = facts.classes.len();
            let rows = numbers.len().checked_div(classes)?;
            Some((Array2::from_shape_vec((rows, classes), numbers).ok()?, facts))
        });
        let (scores, facts) = agree(
            world,
            whole.ok_or("the scores of an earlier run are not whole: take scores.manifest away"),
        )?;
        let Facts { classes: names, labels: counts, scale, graph, solve, rounds } = facts;
        Ok(Self { scores, names, counts, scale, graph, solve, rounds })
    }
}

/// The length scale that was learned, or is now: a stage of its own.
pub(crate) fn learned(
    world: &Mpi,
    (stages, key): (&Stages, &str),
    learn: &LearnScale,
    (part, labels, classes): (&mut Part, &[(u64, u32)], usize),
    start: f64,
    solve: &SolveOptions,
) -> Result<LearnedScale, DistributedError> {
    if let Some((stage, _)) = stages.kept(world, "scale")?
        && stage.key == key
        && let Ok(learned) = serde_json::from_value(stage.facts)
    {
        return Ok(learned);
    }
    let learned = learn.run(world, part, labels, classes, start, solve)?;
    stages.keep(world, "scale", (key, serde_json::json!(learned)), &[])?;
    Ok(learned)
}

/// How the neighbours of a graph were looked for.
pub(crate) fn search(stage: &Stage, folder: &Path) -> Result<Search, DistributedError> {
    serde_json::from_value(stage.facts["search"].clone()).map_err(|error| DistributedError::File {
        path: folder.into(),
        problem: format!("does not tell how its neighbours were looked for: {error}"),
        remedy: "make the graph again",
    })
}
