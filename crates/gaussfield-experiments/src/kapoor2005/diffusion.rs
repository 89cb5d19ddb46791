//! Priors by eigenvectors: the paper's Δ + δI with its rough end cut off, and diffusion,
//! r(Δ) = e^(σ²Δ/2), in its place.

use super::model::{Noise, ascent, process};
use anyhow::{Context as _, Result};
use gaussfield_gp::{EpFit, Flip, Posterior, SpectralPrior, Transform};
use gaussfield_graph::Graph;
use gaussfield_labels::Labels;
use gaussfield_laplacian::{LanczosOptions, Laplacian, Spectrum};
use gaussfield_tune::{Evidence, learn_on};

/// Where learning the spread σ of diffusion starts.
const SPREADS: [f64; 3] = [2.0, 5.0, 10.0];
/// Where learning δ = 1/σ² of Δ + δI starts.
const SHIFTS: [f64; 2] = [0.1, 0.01];

pub(super) type BySpectrum = Posterior<SpectralPrior, Flip, EpFit>;

/// Diffusion on a graph, its spread learned, and ε if wanted.
pub(super) fn diffusion(
    graph: &Graph,
    labels: &Labels,
    noise: Noise,
    steps: u64,
) -> Result<BySpectrum> {
    let spectrum = smoothest(graph, graph.nodes())?;
    let starts = SPREADS.map(|sigma| Transform::Diffusion { sigma });
    learned(graph, &spectrum, &starts, labels, noise, steps)
}

/// Δ + δI on so many of the smoothest eigenvectors, δ learned, and ε.
pub(super) fn shifted(
    graph: &Graph,
    eigenvectors: usize,
    labels: &Labels,
    steps: u64,
) -> Result<BySpectrum> {
    let spectrum = smoothest(graph, eigenvectors)?;
    let starts = SHIFTS.map(|delta: f64| Transform::Regularised { sigma: delta.sqrt().recip() });
    learned(graph, &spectrum, &starts, labels, Noise::Learned, steps)
}

fn smoothest(graph: &Graph, eigenvectors: usize) -> Result<Spectrum> {
    Ok(Laplacian::Symmetric.smallest(graph, eigenvectors, &LanczosOptions::default())?)
}

/// The transform and ε of the largest evidence from all starts.
fn learned(
    graph: &Graph,
    spectrum: &Spectrum,
    starts: &[Transform],
    labels: &Labels,
    noise: Noise,
    steps: u64,
) -> Result<BySpectrum> {
    let (epsilons, stages) = noise.starts("sigma");
    let mut best: Option<BySpectrum> = None;
    let mut refused = None;
    for &transform in starts {
        // The sign of the field alone counts: its scale is free, and is set to the number of nodes
        // so that the variance of a node is about one.
        let scale = graph.nodes() as f64;
        let prior = SpectralPrior::new(spectrum, transform, scale)?;
        for &epsilon in &epsilons {
            let evidence = Evidence::new(process(epsilon), prior.clone(), labels)?;
            let found = stages
                .iter()
                .try_fold(evidence, |evidence, names| {
                    let evidence = evidence.learning(names)?;
                    anyhow::Ok(learn_on(graph, &evidence, &ascent(steps))?.objective)
                })
                .and_then(|found| Ok(found.posterior(graph)?));
            match found {
                Ok(found) => {
                    let better = |best: &BySpectrum| found.log_evidence() > best.log_evidence();
                    if best.as_ref().is_none_or(better) {
                        best = Some(found);
                    }
                }
                Err(error) => refused = Some(error),
            }
        }
    }
    match (best, refused) {
        (Some(best), _) => Ok(best),
        (None, Some(error)) => Err(error).context("learning failed from every start"),
        (None, None) => anyhow::bail!("learning needs a start"),
    }
}
