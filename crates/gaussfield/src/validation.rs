//! How good a fitted model is, judged by labels that it is not shown.

use crate::Error;
use crate::description::{Description, DescriptionError, Fitted};
use gaussfield_core::Progress;
use gaussfield_labels::metrics::{
    Calibration, ConfusionMatrix, MeanStd, accuracy, brier, log_loss,
};
use gaussfield_labels::{HeldOut, HoldOut, Labels};
use serde::{Deserialize, Serialize};
use std::fmt;

/// Repeated hold-out of labels on the graph of a fitted model.
///
/// ```
/// use gaussfield::Validation;
/// use gaussfield::data::generate::TwoMoons;
/// use gaussfield::description::Description;
///
/// let moons = TwoMoons { n: 100, noise: 0.05 }.generate(1)?;
/// let labels = moons.labels.keep(&[0, 10, 20, 30, 60, 70, 80, 90])?;
/// let plan = Description::automatic(&moons.points, &labels)?;
/// let fitted = plan.fit(&moons.points, &labels)?;
/// println!("{}", Validation::default().run(&fitted, &labels)?);
/// # Ok::<(), gaussfield::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct Validation {
    /// Which labels are held out, and how often.
    pub hold_out: HoldOut,
    /// Bins of the calibration error. Default 10.
    pub bins: usize,
}

impl Default for Validation {
    fn default() -> Self {
        Self { hold_out: HoldOut::default(), bins: 10 }
    }
}

/// What [`Validation`] found: mean and spread over the repeats.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Validated {
    /// The share of held-out labels that were found again.
    pub accuracy: MeanStd,
    /// The mean over the classes of the harmonic mean of precision and recall: rare classes count as
    /// much as others.
    pub macro_f1: MeanStd,
    /// −ln of the probability of the true class, on average.
    pub log_loss: MeanStd,
    /// The squared gaps between the probabilities and the true class, summed over classes, on average.
    pub brier: MeanStd,
    /// The expected calibration error.
    pub calibration_error: MeanStd,
    /// Labels held out in each repeat.
    pub held_out: usize,
    /// Labels shown in each repeat.
    pub shown: usize,
}

impl fmt::Display for Validated {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |of: &MeanStd| match of.standard_error() {
            Some(error) => format!("{:.3} ± {error:.3}", of.mean),
            None => format!("{:.3}", of.mean),
        };
        write!(
            f,
            "{} labels held out, {} shown: accuracy {}, macro F1 {}, log loss {}, Brier score {}, \
             calibration error {}",
            self.held_out,
            self.shown,
            line(&self.accuracy),
            line(&self.macro_f1),
            line(&self.log_loss),
            line(&self.brier),
            line(&self.calibration_error)
        )
    }
}

impl Validation {
    /// Hides labels in turn and fits the method again on the same graph, with the same weights.
    ///
    /// # Errors
    /// A model without a graph, or whose method looks at points; labels too few to spare one; what
    /// the method says.
    pub fn run(&self, fitted: &Fitted, labels: &Labels) -> Result<Validated, Error> {
        let of = fitted.description();
        let (method, graph) = (of.method.name(), fitted.graph());
        let graph = graph.ok_or(DescriptionError::NoGraph { method })?;
        let description = Description {
            prepare: Vec::new(),
            graph: None,
            weights: None,
            tuning: None,
            ..of.clone()
        };
        let draws = self.hold_out.draw(labels)?;
        let stage = Progress::stage("held-out labels", Some(draws.len() as u64));
        let [mut right, mut f1, mut loss, mut squares, mut gap] = [const { Vec::new() }; 5];
        let (mut held_out, mut shown) = (0, 0);
        for draw in draws {
            stage.step().map_err(gaussfield_labels::LabelsError::from)?;
            let mut known = labels.labelled();
            known.retain(|node| draw.binary_search(node).is_err());
            (held_out, shown) = (draw.len(), known.len());
            let again = description.fit_graph(graph.clone(), &labels.keep(&known)?)?;
            let judged = HeldOut::of(labels, &draw)?;
            let scores = again.probabilities()?.select(&draw)?;
            let told = again.predictions();
            let class = |&node: &usize| told.get(node).map(|told| told.number);
            let classes: Vec<usize> = draw.iter().filter_map(class).collect();
            right.push(accuracy(&judged, &classes)?);
            f1.push(ConfusionMatrix::new(&judged, &classes)?.macro_f1());
            loss.push(log_loss(&judged, &scores)?);
            squares.push(brier(&judged, &scores)?);
            gap.push(Calibration::new(&judged, &scores, self.bins)?.expected_error());
        }
        Ok(Validated {
            accuracy: MeanStd::over(&right)?,
            macro_f1: MeanStd::over(&f1)?,
            log_loss: MeanStd::over(&loss)?,
            brier: MeanStd::over(&squares)?,
            calibration_error: MeanStd::over(&gap)?,
            held_out,
            shown,
        })
    }
}
