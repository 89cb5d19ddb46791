use super::Em;
use crate::blocks::{blocks, parts};
use crate::components::{Context, Covariance, Statistics};
use crate::{
    Components, Covariances, Family, Gaussian, KMeans, KMeansFit, Mixture, MixtureError,
    Multinomial,
};
use gaussfield_labels::Labels;
use gaussfield_points::{Points, Rows};
use ndarray::{Array1, Array2};
use rayon::prelude::*;
use std::ops::Range;

/// Rounds of k-means before EM: enough to leave a bad draw.
const ROUNDS: usize = 20;

/// Points' worth of pooled variance blended into each cluster's.
const POOLED: f64 = 1.0;

pub(super) fn by_kmeans(
    em: &Em,
    points: &Points,
    labels: &Labels,
) -> Result<Mixture, MixtureError> {
    let kmeans = KMeans { clusters: em.components, max_iterations: ROUNDS, seed: em.seed };
    let clusters = match em.family {
        Family::Gaussian { .. } => kmeans.fit(points)?,
        Family::Multinomial { .. } => kmeans.fit(&directions(points)?)?,
    };
    let (m, d, n) = (em.components, points.dim(), points.len() as f64);
    let pooled = clusters.inertia / (n * d as f64);
    let family = em.family;
    // Any density of the right kind will do to add up the clusters' moments with.
    let rough = match family {
        Family::Gaussian { covariance, reg } => {
            let v = if pooled + reg > 0.0 { pooled + reg } else { 1.0 };
            let covariances = match covariance {
                Covariance::Full => Covariances::Full(vec![Array2::from_diag_elem(d, v); m]),
                Covariance::Diagonal => Covariances::Diagonal(Array2::from_elem((m, d), v)),
                Covariance::Spherical => Covariances::Spherical(Array1::from_elem(m, v)),
                Covariance::Tied => Covariances::Tied(Array2::from_diag_elem(d, v)),
            };
            Components::Gaussian(Gaussian::new(clusters.centres.clone(), covariances)?)
        }
        Family::Multinomial { .. } => {
            let even = Array2::from_elem((m, d), 1.0 / d as f64);
            Components::Multinomial(Multinomial::new(even)?)
        }
    };
    // A cluster of one point has no variance of its own; blending gives it some.
    let (family, floor) = match family {
        Family::Gaussian { covariance, reg } => {
            let floor = if reg > 0.0 { reg } else { 1e-6 * pooled };
            (Family::Gaussian { covariance, reg: floor }, floor)
        }
        words => (words, 0.0),
    };
    let context = Context::new(points, family);
    let gamma = clusters.counts.iter().map(|&count| count as f64 / n).collect::<Array1<f64>>();
    let prepared = rough.prepare(gamma.view(), context.centre.view())?;
    let add_up = |part: Range<usize>| -> Result<Statistics, MixtureError> {
        let mut sums = prepared.statistics();
        for block in blocks(part) {
            let mut out = Array2::zeros((block.len(), m));
            prepared.block(points, block.clone(), out.view_mut(), Some(&mut sums), |mut out| {
                out.fill(0.0);
                for (row, mut resp) in block.zip(out.rows_mut()) {
                    resp[clusters.assignment[row]] = 1.0;
                }
                Ok(())
            })?;
        }
        Ok(sums)
    };
    let sums: Vec<_> =
        parts(points.len(), prepared.statistics_bytes()).into_par_iter().map(add_up).collect();
    let mut total = prepared.statistics();
    for part in sums {
        total.merge(&part?);
    }
    let components = match total.estimate(&rough, &prepared, &context)? {
        Components::Gaussian(gaussian) => {
            Components::Gaussian(blend(gaussian, &clusters, pooled + floor)?)
        }
        multinomial => multinomial,
    };
    let classes = labels.classes();
    let lambda = Array2::from_elem((m, classes), 1.0 / classes as f64);
    Mixture::new(gamma, components, lambda, labels.names().to_vec())
}

/// Each covariance as if the cluster had one more point of the pooled variance.
fn blend(gaussian: Gaussian, clusters: &KMeansFit, pooled: f64) -> Result<Gaussian, MixtureError> {
    let share = |m: usize| POOLED / (clusters.counts[m] as f64 + POOLED);
    let covariances = match gaussian.covariances().clone() {
        Covariances::Full(mut matrices) => {
            for (m, matrix) in matrices.iter_mut().enumerate() {
                *matrix *= 1.0 - share(m);
                matrix.diag_mut().mapv_inplace(|v| v + share(m) * pooled);
            }
            Covariances::Full(matrices)
        }
        Covariances::Diagonal(mut variances) => {
            for (m, mut row) in variances.rows_mut().into_iter().enumerate() {
                row.mapv_inplace(|v| (1.0 - share(m)) * v + share(m) * pooled);
            }
            Covariances::Diagonal(variances)
        }
        Covariances::Spherical(mut variances) => {
            for (m, v) in variances.iter_mut().enumerate() {
                *v = (1.0 - share(m)) * *v + share(m) * pooled;
            }
            Covariances::Spherical(variances)
        }
        tied => tied,
    };
    Gaussian::new(gaussian.means().to_owned(), covariances)
}

/// Rows of length one: documents are compared by their words, not by their length.
fn directions(points: &Points) -> Result<Points, MixtureError> {
    let norms = points.squared_norms().mapv(f64::sqrt);
    Ok(match points.rows() {
        Rows::Dense(rows) => Points::dense(rows / &norms.view().insert_axis(ndarray::Axis(1)))?,
        Rows::Sparse(rows) => {
            let mut rows = rows.clone();
            for (row, &norm) in norms.iter().enumerate() {
                let range = rows.indptr().outer_inds_sz(row);
                rows.data_mut()[range].iter_mut().for_each(|x| *x /= norm);
            }
            Points::sparse(rows)?
        }
    })
}
