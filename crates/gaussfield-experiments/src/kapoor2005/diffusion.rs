//! Beyond the paper: r(Δ) = e^(σ²Δ/2) in the place of Δ + δI.

use super::model::{Noise, ascent, process};
use anyhow::{Context as _, Result};
use gaussfield_gp::{EpFit, Flip, Posterior, SpectralPrior, Transform};
use gaussfield_graph::Graph;
use gaussfield_labels::Labels;
use gaussfield_laplacian::{LanczosOptions, Laplacian};
use gaussfield_tune::{Evidence, learn_on};

/// Where learning σ starts.
const SPREADS: [f64; 3] = [2.0, 5.0, 10.0];

/// Diffusion on a graph, its spread learned, and ε if wanted.
pub(super) fn diffusion(
    graph: &Graph,
    labels: &Labels,
    noise: Noise,
    steps: u64,
) -> Result<Posterior<SpectralPrior, Flip, EpFit>> {
    let options = LanczosOptions::default();
    let spectrum = Laplacian::Symmetric.smallest(graph, graph.nodes(), &options)?;
    let (epsilons, stages) = noise.starts("sigma");
    let mut best: Option<Posterior<SpectralPrior, Flip, EpFit>> = None;
    let mut refused = None;
    for sigma in SPREADS {
        // The sign of the field alone counts: its scale is free, and is set to the number of nodes
        // so that the variance of a node is about one.
        let scale = graph.nodes() as f64;
        let prior = SpectralPrior::new(&spectrum, Transform::Diffusion { sigma }, scale)?;
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
                    let better =
                        |best: &Posterior<_, _, _>| found.log_evidence() > best.log_evidence();
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
