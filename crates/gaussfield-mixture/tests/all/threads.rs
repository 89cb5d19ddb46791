//! The number of threads changes no bit.

use crate::common::{blobs, first_labelled};
use gaussfield_core::Budget;
use gaussfield_graph::{Exponential, Metric, Pattern, Symmetry, WeightFamily};
use gaussfield_labels::Inductive as _;
use gaussfield_mixture::{Backbone, Covariance, Em, Family, KMeans, Keep};
use gaussfield_points::Points;
use sprs::CsMat;

/// Everything computed with a number of threads, as bits.
fn all(threads: usize) -> Vec<u64> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    pool.install(|| {
        let rows = blobs(3000, 3, 4, 6);
        let counts = rows.mapv(|x| x.abs().round() + 1.0);
        let points = Points::dense(rows).unwrap();
        let words = Points::sparse(CsMat::csr_from_dense(counts.view(), 0.0)).unwrap();
        let labels = first_labelled(3000, 8, 2);
        let mut bits = Vec::new();
        let mut put = |values: &mut dyn Iterator<Item = &f64>| {
            bits.extend(values.map(|x| x.to_bits()));
        };
        let clusters = KMeans::new(7).fit(&points).unwrap();
        put(&mut clusters.centres.iter());
        for family in [
            Family::gaussian(Covariance::Spherical),
            Family::gaussian(Covariance::Full),
            Family::gaussian(Covariance::Tied),
        ] {
            let em = Em { max_iterations: 4, ..Em::new(family, 6) };
            let fit = em.fit(&points, &labels).unwrap();
            put(&mut fit.facts.log_likelihoods.iter());
            put(&mut fit.mixture.predict(&points).unwrap().values().iter());
        }
        let em = Em { max_iterations: 4, ..Em::new(Family::multinomial(), 5) };
        let fit = em.fit(&words, &labels).unwrap();
        put(&mut fit.facts.log_likelihoods.iter());
        let pattern = Pattern::knn(&points, Metric::Euclidean, 5, Symmetry::Either).unwrap();
        let graph = Exponential { sigma: 0.5 }.graph(&pattern, Budget::default()).unwrap();
        for keep in [Keep::All, Keep::Largest(2)] {
            let resp = fit.mixture.responsibilities(&words, keep).unwrap();
            let backbone = Backbone::new(&graph, &labels, &resp).unwrap();
            put(&mut backbone.laplacian().iter());
        }
        bits
    })
}

#[test]
fn the_number_of_threads_changes_no_bit() {
    let one = all(1);
    assert_eq!(one, all(2));
    assert_eq!(one, all(5));
}
