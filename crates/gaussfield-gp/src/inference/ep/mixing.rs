use super::Sites;
use crate::inference::Factor;
use ndarray::{Array1, Array2, ArrayView1, s};

/// Sweeps that are remembered.
const DEPTH: usize = 6;
/// Keeps the small system solvable where remembered sweeps hardly differ.
const RIDGE: f64 = 1e-10;

/// Anderson mixing: from the last few sweeps x → G(x) the place where their linear model has its
/// fixed point. Where labels contradict each other, some directions converge only by heavy damping
/// and others crawl because of it; mixing tells them apart.
#[derive(Debug)]
pub(super) struct Mixing {
    /// Units of precisions and shifts: prior variances and their roots.
    units: Array1<f64>,
    /// Pairs of G(x) and G(x) − x, the newest last.
    past: Vec<(Array1<f64>, Array1<f64>)>,
}

impl Mixing {
    pub(super) fn new(variances: ArrayView1<'_, f64>) -> Self {
        let units = variances.iter().copied().chain(variances.iter().map(|v| v.sqrt()));
        Self { units: units.collect(), past: Vec::new() }
    }

    pub(super) fn forget(&mut self) {
        self.past.clear();
    }

    /// Remembers one sweep and says where to go on; `None` while there is nothing to mix.
    pub(super) fn next(&mut self, before: &Sites, after: &Sites) -> Option<Sites> {
        let after = self.joined(after);
        let residual = &after - &self.joined(before);
        if self.past.len() == DEPTH {
            self.past.remove(0);
        }
        let steps: Vec<Array1<f64>> = self.past.iter().map(|(_, old)| &residual - old).collect();
        let mut mixed = after.clone();
        let known = !steps.is_empty();
        if known {
            // min over γ of |f − Σ γⱼ (f − fⱼ)|, by its normal equations.
            let count = steps.len();
            let mut matrix =
                Array2::from_shape_fn((count, count), |(i, j)| steps[i].dot(&steps[j]));
            let largest = matrix.diag().iter().copied().fold(0.0, f64::max);
            matrix.diag_mut().mapv_inplace(|entry| entry + RIDGE * largest + f64::MIN_POSITIVE);
            let right = steps.iter().map(|step| step.dot(&residual)).collect();
            let shares = Factor::new(&matrix)?.solve(right);
            for ((old, _), &share) in self.past.iter().zip(&shares) {
                mixed.scaled_add(-share, &(&after - old));
            }
        }
        self.past.push((after, residual));
        (known && mixed.iter().all(|x| x.is_finite())).then(|| self.split(&mixed))
    }

    fn joined(&self, sites: &Sites) -> Array1<f64> {
        let both = sites.precision.iter().chain(&sites.shift);
        both.zip(&self.units).map(|(site, unit)| site * unit).collect()
    }

    fn split(&self, joined: &Array1<f64>) -> Sites {
        let both = joined / &self.units;
        let half = both.len() / 2;
        Sites {
            precision: both.slice(s![..half]).to_owned(),
            shift: both.slice(s![half..]).to_owned(),
        }
    }
}
