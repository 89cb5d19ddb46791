//! Responsibilities by logistic regression on clusters.

use crate::common::{blobs, close};
use gaussfield_mixture::{KMeans, Keep, LogisticRegression};
use gaussfield_points::Points;
use ndarray::{Array1, Array2, Axis};
use proptest::prelude::*;
use sprs::CsMat;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(16))]

    /// The slopes of the objective vanish: by the offsets, so that the shares of a component add up to
    /// the size of its cluster, and by the weights, computed here for every point.
    #[test]
    fn the_slopes_vanish(components in 2..6_usize, penalty in 1e-3..0.1_f64, seed in 0..1000_u64) {
        let rows = blobs(80, 3, components, seed);
        let points = Points::dense(rows.clone()).unwrap();
        let clusters = KMeans::new(components).fit(&points).unwrap();
        let logistic = LogisticRegression { penalty, ..LogisticRegression::default() };
        let model = logistic.fit(&points, &clusters.assignment, components).unwrap();
        let shares = model.responsibilities(&points, Keep::All).unwrap().to_dense();
        let sums = shares.sum_axis(Axis(0));
        let counts = Array1::from_iter(clusters.counts.iter().map(|&count| count as f64));
        prop_assert!((&sums - &counts).iter().all(|gap| gap.abs() < 1e-3), "{sums} {counts}");
        // The log odds of two components are linear in x; their slope is that of the data.
        let centre = rows.mean_axis(Axis(0)).unwrap();
        let spread = rows.var_axis(Axis(0), 0.0).mean().unwrap();
        let centred = &rows - &centre;
        let mut apart = shares.clone();
        for (mut row, &cluster) in apart.rows_mut().into_iter().zip(&clusters.assignment) {
            row[cluster] -= 1.0;
        }
        let data = centred.t().dot(&apart) / 80.0;
        let unit = Points::dense(Array2::from_shape_fn((4, 3), |(i, k)| {
            centre[k] + if i == k + 1 { 1.0 } else { 0.0 }
        })).unwrap();
        let at = model.responsibilities(&unit, Keep::All).unwrap().to_dense().mapv(f64::ln);
        for k in 0..3 {
            for m in 1..components {
                let odds = (at[[k + 1, m]] - at[[k + 1, 0]]) - (at[[0, m]] - at[[0, 0]]);
                let slope = data[[k, m]] - data[[k, 0]] + penalty * spread * odds;
                prop_assert!(slope.abs() < 1e-5 * (1.0 + spread), "{slope}");
            }
        }
        let sparse = Points::sparse(CsMat::csr_from_dense(rows.view(), 0.0)).unwrap();
        let again = logistic.fit(&sparse, &clusters.assignment, components).unwrap();
        let again = again.responsibilities(&sparse, Keep::All).unwrap().to_dense();
        prop_assert!(close(&again, &shares, 1e-5));
    }
}

#[test]
fn wrong_settings_and_clusters_are_named() {
    let points = Points::dense(blobs(20, 2, 2, 1)).unwrap();
    let clusters: Vec<usize> = (0..20).map(|i| i % 2).collect();
    let told = |logistic: LogisticRegression, clusters: &[usize], components: usize| {
        logistic.fit(&points, clusters, components).unwrap_err().to_string()
    };
    let good = LogisticRegression::default();
    let none = told(LogisticRegression { penalty: 0.0, ..good }, &clusters, 2);
    assert!(none.contains("the penalty is 0"), "{none}");
    let past = told(good, &clusters, 1);
    assert!(past.contains("the cluster of row 1 is 1"), "{past}");
    let short = told(good, &clusters[..3], 2);
    assert!(short.contains("clusters, one for each point"), "{short}");
    let hasty = told(LogisticRegression { max_iterations: 1, ..good }, &clusters, 2);
    assert!(hasty.contains("allow more steps"), "{hasty}");
    let model = good.fit(&points, &clusters, 2).unwrap();
    let other = Points::dense(Array2::zeros((1, 3))).unwrap();
    assert!(model.responsibilities(&other, Keep::All).is_err());
}
