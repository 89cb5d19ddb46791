//! Which parameters of a family and an objective a search moves.

use crate::{Objective, TuneError};
use gaussfield_core::{Domain, Parameter, SizeMismatch};
use gaussfield_graph::WeightFamily;

/// The parameters of a weight family followed by those of an objective, and which of them move.
#[derive(Debug, Clone)]
pub(crate) struct Free {
    all: Vec<Parameter>,
    /// How many are the family's.
    own: usize,
    /// Those that move.
    at: Vec<usize>,
}

impl Free {
    /// All but those held by name, in their own domains or in others given by name.
    pub(crate) fn new<F: WeightFamily, O: Objective>(
        family: &F,
        objective: &O,
        held: &[String],
        domains: &[(String, Domain)],
    ) -> Result<Self, TuneError> {
        let mut all = family.parameters();
        let own = all.len();
        all.extend(objective.parameters());
        let mut free = Self { all, own, at: Vec::new() };
        for (name, domain) in domains {
            let at = free.find(name)?;
            free.all[at].domain = *domain;
        }
        let held: Vec<usize> = held.iter().map(|name| free.find(name)).collect::<Result<_, _>>()?;
        free.at = (0..free.all.len()).filter(|at| !held.contains(at)).collect();
        Ok(free)
    }

    /// The place of a parameter among all.
    pub(crate) fn find(&self, name: &str) -> Result<usize, TuneError> {
        self.all.iter().position(|own| own.name == name).ok_or_else(|| {
            let known: Vec<&str> = self.all.iter().map(|own| &*own.name).collect();
            TuneError::NoSuchParameter { name: name.to_owned(), known: known.join(", ") }
        })
    }

    fn moving(&self) -> impl Iterator<Item = &Parameter> {
        self.at.iter().map(|&at| &self.all[at])
    }

    /// Where those that move stand now.
    pub(crate) fn values(&self) -> Vec<f64> {
        self.moving().map(|parameter| parameter.value).collect()
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.moving().map(|parameter| parameter.name.clone().into_owned()).collect()
    }

    pub(crate) fn domains(&self) -> Vec<Domain> {
        self.moving().map(|parameter| parameter.domain).collect()
    }

    /// Which parameters of the family move.
    pub(crate) fn of_family(&self) -> Vec<usize> {
        self.at.iter().copied().filter(|&at| at < self.own).collect()
    }

    /// The names of the objective's parameters that move.
    pub(crate) fn of_objective(&self) -> Vec<&str> {
        self.at.iter().filter(|&&at| at >= self.own).map(|&at| &*self.all[at].name).collect()
    }

    /// All parameters, where those that move have these values.
    pub(crate) fn filled(&self, moving: &[f64]) -> Result<Vec<f64>, TuneError> {
        SizeMismatch::check("values of parameters that move", self.at.len(), moving.len())?;
        let mut all: Vec<f64> = self.all.iter().map(|parameter| parameter.value).collect();
        for (&at, &value) in self.at.iter().zip(moving) {
            all[at] = value;
        }
        Ok(all)
    }

    /// Family and objective where those that move have these values.
    pub(crate) fn place<F: WeightFamily + Clone, O: Objective + Clone>(
        &self,
        family: &F,
        objective: &O,
        moving: &[f64],
    ) -> Result<(F, O), TuneError> {
        let all = self.filled(moving)?;
        let (of_family, of_objective) = all.split_at(self.own);
        let (mut family, mut objective) = (family.clone(), objective.clone());
        family.set_parameters(of_family)?;
        objective.set_parameters(of_objective)?;
        Ok((family, objective))
    }

    /// The part of a list, one entry for each of all parameters, of those that move.
    pub(crate) fn part(&self, all: &[f64]) -> Vec<f64> {
        self.at.iter().map(|&at| all[at]).collect()
    }
}
