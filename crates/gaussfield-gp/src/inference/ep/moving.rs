//! The posterior of a block while its sites change one by one.

use super::gaussian::has_cavity;
use super::{BlockGaussian, Sites};
use ndarray::linalg::general_mat_mul;
use ndarray::{Array1, Array2, Axis};

/// Changes that are gathered before the covariance is brought up to date: one product of matrices
/// then takes the place of as many walks through all of it.
const WIDTH: usize = 32;

/// Sites on their way, and the posterior under them: Σ = `covariance` − Σₖ shareₖ uₖuₖᵀ.
#[derive(Debug)]
pub(super) struct Moving {
    sites: Sites,
    mean: Array1<f64>,
    /// The diagonal of Σ itself.
    variances: Array1<f64>,
    covariance: Array2<f64>,
    /// uₖ as rows, of which the first `shares.len()` count.
    columns: Array2<f64>,
    shares: Vec<f64>,
}

impl Moving {
    pub(super) fn from(posterior: &BlockGaussian) -> Self {
        let size = posterior.mean().len();
        Self {
            sites: posterior.sites().clone(),
            mean: posterior.mean().clone(),
            variances: posterior.covariance().diag().to_owned(),
            covariance: posterior.covariance().clone(),
            columns: Array2::zeros((WIDTH, size)),
            shares: Vec::with_capacity(WIDTH),
        }
    }

    pub(super) fn sites(&self) -> &Sites {
        &self.sites
    }

    pub(super) fn into_sites(self) -> Sites {
        self.sites
    }

    pub(super) fn mean(&self, i: usize) -> f64 {
        self.mean[i]
    }

    pub(super) fn variance(&self, i: usize) -> f64 {
        self.variances[i]
    }

    /// Changes one site by (Δτ, Δν), or by the half of it, the quarter and so on, `halvings` times at
    /// most, until that leaves a Gaussian, and a cavity to every other node. O(l) beside a share of the
    /// O(l²) of bringing the covariance up to date.
    pub(super) fn change_site(
        &mut self,
        i: usize,
        mut by_precision: f64,
        mut by_shift: f64,
        halvings: usize,
    ) {
        let column = self.column(i);
        for _ in 0..halvings {
            let denominator = 1.0 + by_precision * self.variances[i];
            if denominator > 1e-10 && denominator.is_finite() {
                let share = by_precision / denominator;
                if share >= 0.0 || self.leaves_cavities(i, share, &column) {
                    let along = (by_shift - by_precision * self.mean[i]) / denominator;
                    self.sites.precision[i] += by_precision;
                    self.sites.shift[i] += by_shift;
                    self.follow(along, share, &column);
                    return;
                }
            }
            by_precision *= 0.5;
            by_shift *= 0.5;
        }
    }

    /// Column i of Σ.
    fn column(&self, i: usize) -> Array1<f64> {
        let mut column = self.covariance.row(i).to_owned();
        for (past, &share) in self.columns.rows().into_iter().zip(&self.shares) {
            column.scaled_add(-share * past[i], &past);
        }
        column
    }

    /// Whether a negative share, which widens the others, leaves every one of them a cavity.
    fn leaves_cavities(&self, i: usize, share: f64, column: &Array1<f64>) -> bool {
        (0..column.len()).all(|j| {
            let wider = self.variances[j] - share * column[j] * column[j];
            j == i || has_cavity(self.sites.precision[j], wider)
        })
    }

    fn follow(&mut self, along: f64, share: f64, column: &Array1<f64>) {
        self.mean.scaled_add(along, column);
        self.variances.zip_mut_with(column, |variance, &entry| *variance -= share * entry * entry);
        self.columns.row_mut(self.shares.len()).assign(column);
        self.shares.push(share);
        if self.shares.len() == WIDTH {
            let shares = Array1::from(std::mem::take(&mut self.shares));
            let weighted = &self.columns * &shares.insert_axis(Axis(1));
            general_mat_mul(-1.0, &self.columns.t(), &weighted, 1.0, &mut self.covariance);
            self.shares.reserve(WIDTH);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More changes than are gathered at a time, of either sign: as a posterior made afresh.
    #[test]
    fn sites_changed_one_by_one_have_the_posterior_of_all_at_once() {
        let size = 2 * WIDTH + 7;
        let entry = |(i, j): (usize, usize)| {
            if j > i { 0.0 } else { (((7 * i + 3 * j) % 11) as f64 - 5.0) / 20.0 }
        };
        let mut root = Array2::from_shape_fn((size, size), entry);
        root.diag_mut().fill(1.0);
        let posterior = BlockGaussian::new(root.view(), Sites::flat(size)).unwrap();
        let mut moving = Moving::from(&posterior);
        for i in 0..size {
            let precision = if i % 5 == 4 { -0.01 } else { 0.3 + (i % 3) as f64 };
            moving.change_site(i, precision, (i % 4) as f64 - 1.5, 8);
        }
        assert!(moving.sites().precision.iter().any(|&tau| tau < 0.0));
        let afresh = BlockGaussian::new(root.view(), moving.sites().clone()).unwrap();
        for i in 0..size {
            let scale = afresh.variance(i).sqrt();
            assert!((moving.variance(i) / afresh.variance(i) - 1.0).abs() < 1e-10, "{i}");
            assert!((moving.mean(i) - afresh.mean()[i]).abs() < 1e-10 * scale.max(1.0), "{i}");
            let gap = &moving.column(i) - &afresh.covariance().row(i);
            assert!(gap.iter().all(|gap| gap.abs() < 1e-10), "{i}");
        }
    }

    /// A site that would leave no Gaussian is moved less, or not at all.
    #[test]
    fn a_change_that_leaves_no_gaussian_is_halved() {
        let root = ndarray::array![[1.0, 0.0], [0.6, 0.8]];
        let posterior = BlockGaussian::new(root.view(), Sites::flat(2)).unwrap();
        let mut moving = Moving::from(&posterior);
        moving.change_site(0, -3.0, 1.0, 2);
        assert_eq!(moving.sites(), posterior.sites(), "half of it is still too much");
        moving.change_site(0, -3.0, 1.0, 3);
        assert!((moving.sites().precision[0] + 0.75).abs() < 1e-15);
        assert!((moving.variance(0) - 4.0).abs() < 1e-12);
    }
}
