//! Where EM starts: clusters turned into densities.

use super::Em;
use crate::components::{Context, Covariance, Statistics};
use crate::rows::{BLOCK, centred, for_each_entry, mean};
use crate::{
    Components, Covariances, Family, Gaussian, KMeans, Mixture, MixtureError, Multinomial,
};
use gaussfield_core::blocks::{blocks, parts};
use gaussfield_labels::Labels;
use gaussfield_points::{Points, Rows};
use ndarray::{Array1, Array2};
use rayon::prelude::*;
use sprs::TriMat;
use std::ops::Range;

/// Rounds of k-means before EM: enough to leave a bad draw.
const ROUNDS: usize = 20;

/// Points' worth of pooled variance blended into each cluster's.
const POOLED: f64 = 1.0;

/// The clusters of k-means: of Gaussians by distance, of documents by their words.
pub(super) fn clusters(em: &Em, points: &Points) -> Result<Vec<usize>, MixtureError> {
    let kmeans = KMeans { max_iterations: ROUNDS, seed: em.seed, ..KMeans::new(em.components) };
    Ok(match em.family {
        Family::Gaussian { .. } => kmeans.fit(points)?,
        Family::Multinomial { .. } => kmeans.fit(&directions(points)?)?,
    }
    .assignment)
}

/// γ and densities from the clusters that `assignment` puts the points in, λ even.
pub(super) fn from_clusters(
    em: &Em,
    points: &Points,
    labels: &Labels,
    assignment: &[usize],
) -> Result<Mixture, MixtureError> {
    let (m, d, n) = (em.components, points.dim(), points.len() as f64);
    let mut counts = vec![0_usize; m];
    assignment.iter().for_each(|&cluster| counts[cluster] += 1);
    let context = Context::new(points, em.family);
    // Any density of the right kind will do to add up the clusters' moments with.
    let (rough, context, pooled) = match em.family {
        Family::Gaussian { covariance, .. } => {
            let (centres, pooled) = moments(points, assignment, &counts);
            let floor = context.floor();
            let v = if pooled + floor > 0.0 { pooled + floor } else { 1.0 };
            let covariances = match covariance {
                Covariance::Full => Covariances::Full(vec![Array2::from_diag_elem(d, v); m]),
                Covariance::Diagonal => Covariances::Diagonal(Array2::from_elem((m, d), v)),
                Covariance::Spherical => Covariances::Spherical(Array1::from_elem(m, v)),
                Covariance::Tied => Covariances::Tied(Array2::from_diag_elem(d, v)),
            };
            let rough = Components::Gaussian(Gaussian::new(centres, covariances)?);
            // A cluster of one point has no variance of its own; blending gives it some.
            let floor = if floor > 0.0 { floor } else { 1e-6 * pooled };
            (rough, context.with_floor(floor), pooled + floor)
        }
        Family::Multinomial { .. } => {
            let even = Array2::from_elem((m, d), 1.0 / d as f64);
            (Components::Multinomial(Multinomial::new(even)?), context, 0.0)
        }
    };
    let gamma = counts.iter().map(|&count| count as f64 / n).collect::<Array1<f64>>();
    let prepared = rough.prepare(gamma.view(), context.centre.view())?;
    let add_up = |part: Range<usize>| -> Result<Statistics, MixtureError> {
        let mut sums = prepared.statistics();
        for block in blocks(part, BLOCK) {
            let mut out = Array2::zeros((block.len(), m));
            prepared.block(points, block.clone(), out.view_mut(), Some(&mut sums), |mut out| {
                out.fill(0.0);
                for (row, mut resp) in block.zip(out.rows_mut()) {
                    resp[assignment[row]] = 1.0;
                }
                Ok(())
            })?;
        }
        Ok(sums)
    };
    let sums: Vec<_> = parts(points.len(), BLOCK, prepared.statistics_bytes())
        .into_par_iter()
        .map(add_up)
        .collect();
    let mut total = prepared.statistics();
    for part in sums {
        total.merge(&part?);
    }
    let components = match total.estimate(&rough, &prepared, &context)? {
        Components::Gaussian(gaussian) => Components::Gaussian(blend(gaussian, &counts, pooled)?),
        multinomial => multinomial,
    };
    let classes = labels.classes();
    let lambda = Array2::from_elem((m, classes), 1.0 / classes as f64);
    Mixture::new(gamma, components, lambda, labels.names().to_vec())
}

/// Each covariance as if the cluster had one more point of the pooled variance.
fn blend(gaussian: Gaussian, counts: &[usize], pooled: f64) -> Result<Gaussian, MixtureError> {
    let share = |m: usize| POOLED / (counts[m] as f64 + POOLED);
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

/// The mean of each cluster (of all points for an empty one), and the mean variance within them.
fn moments(points: &Points, assignment: &[usize], counts: &[usize]) -> (Array2<f64>, f64) {
    let centre = mean(points);
    let mut centres = Array2::<f64>::zeros((counts.len(), points.dim()));
    let mut squares = 0.0;
    for block in blocks(0..points.len(), BLOCK) {
        let rows = centred(points, block.clone(), centre.view());
        for (row, values) in block.zip(rows.rows()) {
            centres.row_mut(assignment[row]).scaled_add(1.0, &values);
            squares += values.dot(&values);
        }
    }
    for (mut row, &count) in centres.rows_mut().into_iter().zip(counts) {
        row /= count.max(1) as f64;
        squares -= count as f64 * row.dot(&row);
        row += &centre;
    }
    let numbers = (points.len() * points.dim()).max(1) as f64;
    (centres, squares.max(0.0) / numbers)
}

/// Documents as tf-idf rows of length one: compared by their rarer words, not by their length nor
/// by the words that all of them have. Where only such words occur, all words count alike.
fn directions(points: &Points) -> Result<Points, MixtureError> {
    let n = points.len() as f64;
    let mut documents = Array1::<f64>::zeros(points.dim());
    for_each_count(points, |_, word, _| documents[word] += 1.0);
    let rarity = documents.mapv(|df| if df > 0.0 { (n / df).ln() } else { 0.0 });
    let mut lengths = Array1::<f64>::zeros(points.len());
    for_each_count(points, |row, word, count| lengths[row] += (count * rarity[word]).powi(2));
    let plain = points.squared_norms();
    let mut rows = TriMat::new((points.len(), points.dim()));
    for_each_count(points, |row, word, count| {
        let value = match lengths[row] {
            length if length > 0.0 => count * rarity[word] / length.sqrt(),
            _ => count / plain[row].sqrt(),
        };
        rows.add_triplet(row, word, value);
    });
    Ok(Points::sparse(rows.to_csr())?)
}

/// Calls `visit(row, word, count)` for every count that is not zero.
fn for_each_count(points: &Points, mut visit: impl FnMut(usize, usize, f64)) {
    match points.rows() {
        Rows::Dense(rows) => {
            for ((row, word), &count) in rows.indexed_iter().filter(|(_, count)| **count > 0.0) {
                visit(row, word, count);
            }
        }
        Rows::Sparse(rows) => {
            for row in 0..rows.rows() {
                for_each_entry(rows, row, |word, count| {
                    if count > 0.0 {
                        visit(row, word, count);
                    }
                });
            }
        }
    }
}
