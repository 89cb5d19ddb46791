//! From scores to classes.

use crate::{
    ClassPrior, LabelsError, Scores, above_median, balance_counts, class_mass_normalise,
    proportions,
};
use gaussfield_core::{Facts, check};
use ndarray::ArrayView1;
use serde::{Deserialize, Serialize};

/// How scores become classes. The crate's page explains when each is apt.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Decision {
    /// The largest score; the lowest class wins a tie. For two classes: class 1 if and only if
    /// f > 1/2 ("thresh").
    #[default]
    Argmax,
    /// The largest share after class mass normalisation, [zhu2003 (9)] for any number of classes.
    /// A class without mass gets no node; ask [`class_mass_normalise`] to know.
    ClassMass(ClassPrior),
    /// Exactly the known class proportions ("tuned").
    ///
    /// Two classes: the ⌊q₁·u + ½⌋ nodes of largest score for class 1 are of class 1; ties go to
    /// the lower node. More classes: among all assignments with the counts of
    /// [`crate::class_counts`], one of largest total score Σ_i F_{i,c(i)}, the expected number of
    /// nodes that are right; for two classes this is the same rule. O(u log u) for two classes;
    /// otherwise O(s·(C³ + C log u) + uC log u) when s nodes have to leave the class of their
    /// largest score.
    Proportions(ClassPrior),
    /// Exactly the known class proportions too, by numbers that multiply whole classes
    /// ([`crate::balance_counts`]): for scores whose size differs from class to class, as those of
    /// harmonic functions with few labels do.
    Counts(ClassPrior),
    /// Class 1 if and only if f lies above the median of the given nodes: Zhu and Lafferty 2005,
    /// for two classes of about equal size.
    Median,
    /// Class 1 if and only if f lies above this number, in [0, 1]: a cut found on other nodes, such
    /// as their [`median`](crate::median). For two classes.
    Above(f64),
}

impl Decision {
    /// The scores that the decision compares: multiplied class by class where masses or counts
    /// decide, as they are otherwise. A program shows them beside a class, which then is as a rule
    /// the one of the largest share. Give the unlabelled nodes only, as for [`Decision::decide`].
    ///
    /// # Errors
    /// A prior of another number of classes.
    pub fn shares(&self, scores: &Scores) -> Result<Scores, LabelsError> {
        match self {
            Self::ClassMass(prior) => Ok(class_mass_normalise(scores, prior)?.scores),
            Self::Counts(prior) => Ok(balance_counts(scores, prior)?.scores),
            _ => Ok(scores.clone()),
        }
    }

    /// The class of each of the given nodes. Except for [`Decision::Argmax`] and
    /// [`Decision::Above`] a decision looks at all nodes together, so give the scores of the *unlabelled* nodes only
    /// ([`Scores::select`]). No node gives no class.
    ///
    /// # Errors
    /// A prior of another number of classes, a median or a cut for other than two classes, a cut
    /// that is no probability.
    pub fn decide(&self, scores: &Scores) -> Result<Vec<usize>, LabelsError> {
        match self {
            Self::Argmax => Ok(scores.argmax()),
            Self::ClassMass(_) | Self::Counts(_) => Ok(self.shares(scores)?.argmax()),
            Self::Proportions(prior) => proportions::decide(scores, prior),
            Self::Median => {
                let f = binary(scores, "median")?;
                Ok(above_median(f)?.into_iter().map(usize::from).collect())
            }
            Self::Above(cut) => {
                let f = binary(scores, "cut")?;
                check::range("the cut", *cut, (0.0..=1.0).contains(cut), "between 0 and 1")?;
                Ok(f.iter().map(|f| usize::from(f > cut)).collect())
            }
        }
    }
}

impl Decision {
    /// The class proportions that it was told, if it uses any.
    pub fn prior(&self) -> Option<&ClassPrior> {
        match self {
            Self::ClassMass(prior) | Self::Proportions(prior) | Self::Counts(prior) => Some(prior),
            Self::Argmax | Self::Median | Self::Above(_) => None,
        }
    }

    /// By which rule classes were decided, and which proportions it was told.
    pub fn facts(&self) -> Facts {
        let rule = match self {
            Self::Argmax => "the largest score",
            Self::ClassMass(_) => "class mass normalisation",
            Self::Proportions(_) => "known proportions",
            Self::Counts(_) => "multipliers by counts",
            Self::Median => "the median",
            Self::Above(_) => "a cut",
        };
        let prior = self.prior().map_or_else(|| "none".to_owned(), ClassPrior::to_string);
        Facts::default().with("decision", rule).with("class prior of the decision", prior)
    }
}

/// The scores of class 1 of two.
fn binary<'a>(scores: &'a Scores, rule: &'static str) -> Result<ArrayView1<'a, f64>, LabelsError> {
    match scores.classes() {
        2 => Ok(scores.class(1)),
        classes => Err(LabelsError::NotBinary { rule, classes }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn the_six_rules_on_skewed_scores() {
        let scores = Scores::binary(array![0.70, 0.95, 0.80, 0.99].view()).unwrap();
        let even = ClassPrior::uniform(2).unwrap();
        let few = ClassPrior::given(vec![0.75, 0.25]).unwrap();
        for (decision, want) in [
            (Decision::Argmax, [1, 1, 1, 1]),
            (Decision::ClassMass(even.clone()), [0, 1, 0, 1]),
            (Decision::Proportions(even.clone()), [0, 1, 0, 1]),
            (Decision::Proportions(few.clone()), [0, 0, 0, 1]),
            (Decision::Counts(even), [0, 1, 0, 1]),
            (Decision::Counts(few), [0, 0, 0, 1]),
            (Decision::Median, [0, 1, 0, 1]),
            (Decision::Above(0.80), [0, 1, 0, 1]),
        ] {
            assert_eq!(decision.decide(&scores).unwrap(), want, "{decision:?}");
        }
    }

    #[test]
    fn no_node_gives_no_class() {
        let none = Scores::binary(array![].view()).unwrap();
        let prior = ClassPrior::uniform(2).unwrap();
        for decision in [
            Decision::Argmax,
            Decision::ClassMass(prior.clone()),
            Decision::Proportions(prior.clone()),
            Decision::Counts(prior),
            Decision::Median,
            Decision::Above(0.5),
        ] {
            assert!(decision.decide(&none).unwrap().is_empty(), "{decision:?}");
        }
    }

    #[test]
    fn a_decision_says_which_prior_it_was_told() {
        let prior = ClassPrior::given(vec![0.25, 0.75]).unwrap();
        let told = Decision::Counts(prior.clone()).facts().to_string();
        let want =
            "decision: multipliers by counts; class prior of the decision: uneven, 0.250 0.750";
        assert_eq!(told, want);
        assert_eq!(Decision::ClassMass(prior.clone()).prior(), Some(&prior));
        let told = Decision::Argmax.facts().to_string();
        assert_eq!(told, "decision: the largest score; class prior of the decision: none");
    }
}
