//! What can be asked of a fitted model, whatever its method: which labels are wrong, what to label
//! next. A field answers from its factorisation; for other methods the fit is repeated.

use super::{Description, DescriptionError, Fitted, MethodError};
use gaussfield_core::Progress;
use gaussfield_harmonic::{Audited, Criterion, HarmonicError, LeftOut, Query, Question, Reason};
use gaussfield_labels::{Labels, LabelsError, Scores, Transductive as _};
use ndarray::Array2;

/// Up to so many labels each is left out alone, beyond in so many parts.
const ALONE: usize = 100;
const PARTS: usize = 20;

impl Fitted {
    /// What the other labels say of every label, the likeliest mistakes first, if a share `noise` of
    /// labels is wrong; as [`Field::audit`](gaussfield_harmonic::Field::audit), for every method.
    ///
    /// A method whose answer is a field leaves labels out in closed form. Another one is fitted again
    /// without each label, and with more than 100 labels without one part in twenty of them at a
    /// time, spread over the classes.
    ///
    /// ```
    /// use gaussfield::data::generate::TwoMoons;
    /// use gaussfield::description::Description;
    ///
    /// let moons = TwoMoons { n: 60, noise: 0.05 }.generate(1)?;
    /// let known: Vec<usize> = (0..60).step_by(4).collect();
    /// let wrong = moons.labels.get(20).map(|class| 1 - class);
    /// let labels = moons.labels.keep(&known)?.with(20, wrong)?;
    /// let description = Description::from_toml(
    ///     "graph.knn.k = 6\nmethod.gaussian-process.prior.graph.regularisation.shifted.delta = 0.1\n\
    ///      method.gaussian-process.inference.ep.likelihood.flip.epsilon = 0.1",
    /// )?;
    /// let audit = description.fit(&moons.points, &labels)?.audit(0.05)?;
    /// assert_eq!(audit[0].node, 20);
    /// # Ok::<(), gaussfield::Error>(())
    /// ```
    ///
    /// # Errors
    /// A share outside (0, 1); a graph that was given and is not kept; what the method says.
    pub fn audit(&self, noise: f64) -> Result<Vec<Audited>, DescriptionError> {
        let method = self.description.method.name();
        let refused = |error| DescriptionError::Method { method, error: MethodError::from(error) };
        if let Some(field) = self.field() {
            return field.audit(noise).map_err(refused);
        }
        Audited::all(&self.leave_out()?, &self.labels, noise).map_err(refused)
    }

    /// The scores of every labelled point by fits that do not see its label.
    fn leave_out(&self) -> Result<LeftOut, DescriptionError> {
        let (nodes, counts) = (self.labels.labelled(), self.labels.counts());
        // A label that is alone in its class stays: without it there is no such class.
        let in_company = |&at: &usize| self.labels.get(nodes[at]).is_some_and(|c| counts[c] > 1);
        let mut places: Vec<usize> = (0..nodes.len()).filter(in_company).collect();
        let parts = if places.len() <= ALONE { places.len() } else { PARTS };
        // Class by class: a part takes no more of a class than another, and not all of it.
        places.sort_by_key(|&at| self.labels.get(nodes[at]));
        let even = 1.0 / self.labels.classes().max(1) as f64;
        let mut scores = Array2::from_elem((nodes.len(), self.labels.classes()), even);
        let mut islands = Vec::new();
        let stage = Progress::stage("leaving labels out", Some(parts as u64));
        for part in 0..parts {
            let out: Vec<usize> = places.iter().copied().skip(part).step_by(parts).collect();
            let hidden: Vec<usize> = out.iter().map(|&at| nodes[at]).collect();
            let mut known = nodes.clone();
            known.retain(|node| !hidden.contains(node));
            let again = self.again(&self.labels.keep(&known)?)?;
            for at in out {
                scores.row_mut(at).assign(&again.scores().values().row(nodes[at]));
                if again.islands().binary_search(&nodes[at]).is_ok() {
                    islands.push(nodes[at]);
                }
            }
            stage.step().map_err(LabelsError::from)?;
        }
        islands.sort_unstable();
        Ok(LeftOut { nodes, scores: Scores::new(scores)?, islands })
    }

    /// The same with other labels: on its graph where that is known and enough, else on its points.
    fn again(&self, labels: &Labels) -> Result<Self, DescriptionError> {
        let plain = Description { prepare: Vec::new(), tuning: None, ..self.description.clone() };
        match (&self.graph, &self.points) {
            (Some(graph), _) if !plain.method.needs_points() => {
                Description { graph: None, weights: None, ..plain }.fit_graph(graph.clone(), labels)
            }
            (_, Some(points)) => plain.fit(points, labels),
            _ => Err(DescriptionError::GraphNotKept { method: plain.method.name() }),
        }
    }

    /// Points to be labelled next, the most valuable first; as [`Query::next`], for every method on a
    /// graph.
    ///
    /// A method whose answer is a field has every criterion, from its factorisation. Another one has
    /// [`Criterion::Uncertainty`], and is fitted again after each of a batch as if that had come back
    /// with its most probable class.
    ///
    /// # Errors
    /// Another criterion, of a method that gives no field; a method without a graph; as
    /// [`Query::next`]; what the method says.
    pub fn next(&self, query: &Query) -> Result<Vec<Question>, DescriptionError> {
        let method = self.description.method.name();
        let refused = |error| DescriptionError::Method { method, error: MethodError::from(error) };
        let graph = match self.graph() {
            Some(graph) => graph,
            None if self.description.method.needs_graph() => {
                return Err(DescriptionError::GraphNotKept { method });
            }
            None => return Err(DescriptionError::NoGraph { method }),
        };
        if let Some(field) = self.field() {
            match query.next(field, graph) {
                // A field that takes no label more is fitted again below.
                Err(HarmonicError::NotOfThisMethod { .. })
                    if query.criterion == Criterion::Uncertainty => {}
                asked => return asked.map_err(refused),
            }
        }
        if query.criterion != Criterion::Uncertainty {
            return Err(DescriptionError::NoField { method });
        }
        let mut questions = query.doubts(self, graph).map_err(refused)?;
        let is_gain = |question: &Question| matches!(question.reason, Reason::Gain(_));
        questions.truncate(questions.iter().take_while(|question| !is_gain(question)).count());
        let stage = Progress::stage("choosing nodes to label", Some(query.batch as u64));
        let (mut labels, mut told): (Labels, Option<Self>) = (self.labels.clone(), None);
        while questions.len() < query.batch {
            stage.step().map_err(LabelsError::from)?;
            let known = told.as_ref().unwrap_or(self);
            let doubts = query.doubts(known, graph).map_err(refused)?;
            let Some(next) = doubts.into_iter().find(is_gain) else { break };
            questions.push(next);
            let likely = known.scores().argmax().get(next.node).copied();
            labels = labels.with(next.node, likely)?;
            if questions.len() < query.batch {
                told = Some(self.again(&labels)?);
            }
        }
        Ok(questions)
    }
}
