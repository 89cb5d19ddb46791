//! The methods of section 4 on one set of labels, for one number of components after another.

use super::task::Task;
use anyhow::{Context as _, Result};
use gaussfield_baselines::SampleBaseline;
use gaussfield_harmonic::Harmonic;
use gaussfield_labels::{
    ClassPrior, Decision, Inductive as _, Islands, Labels, Scores, Transductive as _, median,
};
use gaussfield_mixture::{
    Assignment, Em, Encoder, Family, HarmonicMixture, KMeans, KMeansFit, MembershipSearch,
    Prototypes, Undetermined,
};
use gaussfield_points::Points;
use ndarray::{Array1, ArrayView1, Axis};
use std::collections::BTreeMap;
use std::time::Instant;

/// How many prototypes share a point.
pub(super) const NEAREST: usize = 5;

/// f = p(y = 1) on the unlabelled and on the unseen points.
pub(super) struct Predicted {
    pub(super) unlabelled: Array1<f64>,
    pub(super) unseen: Option<Array1<f64>>,
}

/// Where f is cut into two classes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Cut {
    /// At ½.
    Half,
    /// At the median of f on the unlabelled points, for unseen points too.
    Median,
}

/// Quantities by name, one number for each M.
pub(super) type Measured = BTreeMap<String, Vec<f64>>;

/// One trial: the labels it shows, and the methods on them.
pub(super) struct Bench<'a> {
    task: &'a Task,
    visible: &'a Labels,
    seed: u64,
    unlabelled: Vec<usize>,
    truth: Vec<usize>,
    measured: Measured,
}

impl<'a> Bench<'a> {
    pub(super) fn new(task: &'a Task, visible: &'a Labels, seed: u64) -> Result<Self> {
        let unlabelled = visible.unlabelled();
        let truth = unlabelled
            .iter()
            .map(|&node| task.truth.get(node).context("a point has no true class"))
            .collect::<Result<_>>()?;
        Ok(Self { task, visible, seed, unlabelled, truth, measured: Measured::new() })
    }

    /// Every method for every M of the grid.
    pub(super) fn run(mut self, grid: &[usize]) -> Result<Measured> {
        let start = Instant::now();
        let field = self.graph()?;
        let seconds = start.elapsed().as_secs_f64();
        for &count in grid {
            self.note("seconds of graph", seconds);
            self.judge("graph", &field, Cut::Median)?;
            self.judge("graph at ½", &field, Cut::Half)?;
            let sample = self.sample(count)?;
            self.judge("sample", &sample, Cut::Median)?;
            let start = Instant::now();
            let clusters = KMeans { seed: self.seed, ..KMeans::new(count) };
            let clusters = clusters.fit(&self.task.points)?;
            let seconds = start.elapsed().as_secs_f64();
            self.note("seconds of k-means", seconds);
            self.mixture(&clusters, seconds, &field)?;
            self.prototypes(&clusters)?;
        }
        Ok(self.measured)
    }

    /// Only the sample, for sizes that mixtures do not need.
    pub(super) fn run_sample(mut self, grid: &[usize]) -> Result<Measured> {
        for &count in grid {
            let sample = self.sample(count)?;
            self.judge("sample", &sample, Cut::Median)?;
        }
        Ok(self.measured)
    }

    fn note(&mut self, name: &str, value: f64) {
        self.measured.entry(name.to_owned()).or_default().push(value);
    }

    /// Accuracies in per cent.
    fn judge(&mut self, name: &str, predicted: &Predicted, cut: Cut) -> Result<()> {
        let at = match cut {
            Cut::Half => 0.5,
            Cut::Median => median(predicted.unlabelled.view())?.unwrap_or(0.5),
        };
        let score = percent(predicted.unlabelled.view(), &self.truth, at)?;
        self.note(name, score);
        if let Some(unseen) = &predicted.unseen {
            let score = percent(unseen.view(), &self.task.unseen_truth, at)?;
            self.note(&format!("{name}, unseen"), score);
        }
        Ok(())
    }

    fn on_unlabelled(&self, f: ArrayView1<'_, f64>) -> Array1<f64> {
        f.select(Axis(0), &self.unlabelled)
    }

    /// 'graph': the harmonic function on L ∪ U. It says nothing of unseen points.
    pub(super) fn graph(&self) -> Result<Predicted> {
        let field = harmonic()?.fit(&self.task.graph, self.visible)?;
        Ok(Predicted { unlabelled: self.on_unlabelled(field.class(1)), unseen: None })
    }

    /// 'sample': a graph of the same kind on the labelled points and M others; weighted means
    /// elsewhere (Delalleau et al. 2005).
    fn sample(&self, count: usize) -> Result<Predicted> {
        let (task, visible) = (self.task, self.visible);
        let mut chosen = visible.labelled();
        chosen.extend(visible.draw_unlabelled(count.min(self.unlabelled.len()), self.seed)?);
        let small = task.points.select(&chosen)?;
        let given = visible.select(&chosen)?;
        let baseline = SampleBaseline { harmonic: harmonic()? };
        let fit = baseline.fit(&task.kernel.graph(&small)?, &given, &given.unlabelled())?;
        let averaged = |points: &Points| -> Result<Array1<f64>> {
            let scores = fit.predict(&task.kernel.weights(points, &small).view())?;
            Ok(scores.class(1).to_owned())
        };
        let mut all = averaged(&task.points)?;
        for (&node, &value) in chosen.iter().zip(fit.scores().class(1)) {
            all[node] = value;
        }
        Ok(Predicted {
            unlabelled: self.on_unlabelled(all.view()),
            unseen: Some(averaged(&task.unseen)?),
        })
    }

    /// 'EM' and, on the same components, 'HM'. Mixtures of words start from clusters by tf-idf,
    /// which are given with the seconds they took; others from k-means of their own.
    fn mixture(&mut self, clusters: &KMeansFit, clustering: f64, graph: &Predicted) -> Result<()> {
        let (task, points) = (self.task, self.task.mixture_points());
        let em = Em { components: clusters.counts.len(), seed: self.seed, ..task.em };
        let start = Instant::now();
        let (first, before) = match em.family {
            Family::Multinomial { .. } => {
                (em.start_from(points, self.visible, &clusters.assignment)?, clustering)
            }
            _ => (em.start(points, self.visible)?, 0.0),
        };
        let fitted = em.run(points, self.visible, first)?;
        self.note("seconds of EM", before + start.elapsed().as_secs_f64());
        self.note("steps of EM", fitted.facts.iterations as f64);
        self.note("BIC", fitted.mixture.bic(points)?);
        let plain = Predicted {
            unlabelled: self.on_unlabelled(fitted.mixture.predict(points)?.class(1)),
            unseen: Some(fitted.mixture.predict(task.mixture_unseen())?.class(1).to_owned()),
        };
        self.judge("EM", &plain, Cut::Half)?;
        self.judge("EM by median", &plain, Cut::Median)?;
        let start = Instant::now();
        let fit = harmonic_mixture().fit(points, &task.graph, self.visible, fitted.mixture)?;
        self.note("seconds of HM", start.elapsed().as_secs_f64());
        self.note("steps of HM", fit.memberships.iterations as f64);
        self.note("KKT residual", fit.memberships.kkt.residual);
        // The objective cannot be below zero: beside it, the gap is a relative error.
        let objective = fit.memberships.objective.max(f64::MIN_POSITIVE);
        self.note("gap beside the objective", fit.memberships.kkt.gap / objective);
        let weights = task.graph.degrees().sum().max(f64::MIN_POSITIVE);
        self.note("gap beside the weights", fit.memberships.kkt.gap / weights);
        self.note("at a bound", (fit.memberships.kkt.active > 0).into());
        let hm = Predicted {
            unlabelled: self.on_unlabelled(fit.scores().class(1)),
            unseen: Some(fit.model.predict(task.mixture_unseen())?.class(1).to_owned()),
        };
        let gap = &hm.unlabelled - &graph.unlabelled;
        self.note("backbone error", gap.mapv(|g| g * g).mean().unwrap_or(0.0).sqrt());
        self.judge("HM", &hm, Cut::Median)
    }

    /// Backbones without EM: clusters, centres that share points, points that share points.
    fn prototypes(&mut self, clusters: &KMeansFit) -> Result<()> {
        let (task, points) = (self.task, &self.task.points);
        let count = clusters.counts.len();
        let rows = self.visible.draw_unlabelled(count.min(self.unlabelled.len()), self.seed)?;
        let local = Assignment::Local { nearest: NEAREST };
        for (name, prototypes) in [
            ("k-means, hard", Prototypes::from_kmeans(clusters, Assignment::Hard)?),
            ("k-means, 5 nearest", Prototypes::from_kmeans(clusters, local)?),
            ("anchors, 5 nearest", Prototypes::anchors(points, &rows, NEAREST)?),
        ] {
            let encoder = Encoder::from(prototypes);
            let fit = harmonic_mixture().fit(points, &task.graph, self.visible, encoder)?;
            let predicted = Predicted {
                unlabelled: self.on_unlabelled(fit.scores().class(1)),
                unseen: Some(fit.model.predict(&task.unseen)?.class(1).to_owned()),
            };
            self.judge(name, &predicted, Cut::Median)?;
        }
        Ok(())
    }
}

/// Points that no label reaches are even.
pub(super) fn harmonic() -> Result<Harmonic> {
    Ok(Harmonic { islands: Islands::Prior(ClassPrior::uniform(2)?), ..Harmonic::default() })
}

/// α = 0; components that no label reaches are even.
pub(super) fn harmonic_mixture() -> HarmonicMixture {
    let search =
        MembershipSearch { undetermined: Undetermined::Even, ..MembershipSearch::default() };
    HarmonicMixture { search, ..HarmonicMixture::default() }
}

/// The per cent of points whose class is 1 exactly if f is above the cut.
pub(super) fn percent(f: ArrayView1<'_, f64>, truth: &[usize], cut: f64) -> Result<f64> {
    let classes = Decision::Above(cut).decide(&Scores::binary(f)?)?;
    let right = classes.iter().zip(truth).filter(|(class, truth)| class == truth).count();
    Ok(100.0 * right as f64 / truth.len().max(1) as f64)
}
