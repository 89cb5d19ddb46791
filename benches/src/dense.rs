//! Appendix B of CMU-CS-03-175 word for word: n × n inverses and products, one hyperparameter at a
//! time. What the adjoint is compared with.

use anyhow::{Context, Result};
use ndarray::{Array1, Array2, Axis};
use ndarray_linalg::cholesky::{DeterminantC, FactorizeCInto, InverseCInto};
use ndarray_linalg::{Inverse, UPLO};

/// The hyperparameters of the report.
#[derive(Debug, Clone, Copy)]
pub struct Hyper {
    /// β.
    pub beta: f64,
    /// σ.
    pub sigma: f64,
    /// γ.
    pub gamma: f64,
}

/// The log evidence (45) and its derivatives (54) by β, σ, γ and one parameter of the weights,
/// from the weights W, their derivative ∂W, and labels t at nodes.
///
/// # Errors
/// A matrix that LAPACK cannot invert.
pub fn evidence(
    weights: &Array2<f64>,
    by_parameter: &Array2<f64>,
    nodes: &[usize],
    targets: &Array1<f64>,
    hyper: Hyper,
) -> Result<(f64, [f64; 4])> {
    let Hyper { beta, sigma, gamma } = hyper;
    let mut precision = laplacian(weights);
    precision.diag_mut().mapv_inplace(|entry| entry + sigma.powi(-2));
    precision *= beta;
    let covariance =
        precision.factorizec_into(UPLO::Lower).and_then(|f| f.invc_into()).context("G")?;
    let on_labels = |full: &Array2<f64>| full.select(Axis(0), nodes).select(Axis(1), nodes);
    let gram = on_labels(&covariance);
    let inverse_gram = gram.inv().context("the inverse of G_LL")?;

    // Newton–Raphson on y_L, [zhu2003gp (28)] to [zhu2003gp (31)].
    let l = nodes.len();
    let sigmoid = |y: f64| 1.0 / (1.0 + (-2.0 * gamma * y).exp());
    let mut latent = Array1::<f64>::zeros(l);
    for _ in 0..50 {
        let pi = latent.mapv(sigmoid);
        let slope = (targets + 1.0 - &pi * 2.0) * gamma - inverse_gram.dot(&latent);
        let mut hessian = inverse_gram.clone();
        for i in 0..l {
            hessian[[i, i]] += 4.0 * gamma * gamma * pi[i] * (1.0 - pi[i]);
        }
        latent += &hessian.inv().context("the Hessian")?.dot(&slope);
    }
    let pi = latent.mapv(sigmoid);
    let noise = pi.mapv(|p| 4.0 * gamma * gamma * p * (1.0 - p));
    let dual = inverse_gram.dot(&latent);
    // I + P½ G P½ has the determinant of G P + I.
    let root = noise.mapv(f64::sqrt);
    let mut inner = Array2::from_shape_fn((l, l), |(i, j)| root[i] * gram[[i, j]] * root[j]);
    inner.diag_mut().mapv_inplace(|entry| entry + 1.0);
    let log_det = inner.ln_detc().context("|GP + I|")?;
    let fit: f64 =
        latent.iter().zip(targets).map(|(y, t)| -(-2.0 * gamma * y * t).exp().ln_1p()).sum();
    let value = fit - 0.5 * latent.dot(&dual) - 0.5 * log_det;

    let mut grown = gram.dot(&Array2::from_diag(&noise));
    grown.diag_mut().mapv_inplace(|entry| entry + 1.0);
    let inverse = grown.inv().context("the inverse of GP + I")?;
    // [zhu2003gp (53)] and [zhu2003gp (54)] for one hyperparameter: ∂G_LL and ∂γ given.
    let slope = |by_gram: &Array2<f64>, by_gamma: f64| -> f64 {
        let rest = targets + 1.0 - &pi * 2.0;
        let pulled = by_gram.dot(&rest) * gamma + gram.dot(&rest) * by_gamma
            - gram.dot(&(&noise * &latent)) * (by_gamma / gamma);
        let by_latent = inverse.dot(&pulled);
        let moved = &latent * by_gamma + &by_latent * gamma;
        let by_pi = (&pi * &(1.0 - &pi)) * 2.0 * &moved;
        let by_noise = &pi * &(1.0 - &pi) * (8.0 * gamma * by_gamma)
            + (1.0 - &pi * 2.0) * &by_pi * (4.0 * gamma * gamma);
        let mut sum = 0.0;
        for i in 0..l {
            let odds = (-2.0 * gamma * latent[i] * targets[i]).exp();
            sum += 2.0 * targets[i] * odds / (1.0 + odds) * moved[i];
        }
        sum -= dual.dot(&by_latent) - 0.5 * dual.dot(&by_gram.dot(&dual));
        let by_product =
            by_gram.dot(&Array2::from_diag(&noise)) + gram.dot(&Array2::from_diag(&by_noise));
        sum - 0.5 * inverse.dot(&by_product).diag().sum()
    };
    let none = Array2::zeros((l, l));
    let by_beta = &gram * (-1.0 / beta);
    let by_sigma = on_labels(&(covariance.dot(&covariance) * (2.0 * beta / sigma.powi(3))));
    let change = laplacian(by_parameter) * beta;
    let by_weights = on_labels(&(covariance.dot(&change).dot(&covariance) * -1.0));
    let gradient =
        [slope(&by_beta, 0.0), slope(&by_sigma, 0.0), slope(&none, 1.0), slope(&by_weights, 0.0)];
    Ok((value, gradient))
}

/// D − W.
fn laplacian(weights: &Array2<f64>) -> Array2<f64> {
    let mut laplacian = weights * -1.0;
    let degrees = weights.sum_axis(Axis(1)) - weights.diag();
    laplacian.diag_mut().assign(&degrees);
    laplacian
}
