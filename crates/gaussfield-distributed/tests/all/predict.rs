//! New points get what one machine gives them.

use crate::support::{clouds, own};
use gaussfield_core::Budget;
use gaussfield_distributed::{
    DistributedError, Method, OwnPoints, Placed, Search, SolveOptions, World, together,
};
use gaussfield_graph::{Metric, Neighbours};
use gaussfield_points::Points;
use ndarray::{Array2, s};

const ROWS: usize = 500;
const K: usize = 5;
const SCALE: f64 = 0.8;

fn halves() -> (Array2<f64>, Array2<f64>) {
    let all = clouds(ROWS + 60, 3);
    (all.slice(s![..ROWS, ..]).to_owned(), all.slice(s![ROWS.., ..]).to_owned())
}

/// Rows and their scores: those of the graph, then new ones.
type Scored = (Vec<u64>, Array2<f64>);

fn predicted(members: usize, new: &Array2<f64>) -> Vec<Result<(Scored, Scored), DistributedError>> {
    let (rows, _) = halves();
    let search = Search { k: K, probes: 10_000, ..Search::default() };
    together(members, |world| {
        let placed = Placed::new(world, own(world, &rows), Budget::default())?;
        let bytes = placed.to_bytes()?;
        let part = search.link(world, placed)?.part.weighted(world, SCALE)?;
        let labels = [(0, 0), (1, 1), (2, 2), (3, 0), (4, 1)];
        let fit = Method::Harmonic.fit(world, &part, &labels, 3, &SolveOptions::default())?;
        let placed = Placed::from_bytes(world, &bytes)?;
        assert_eq!(placed.to_bytes()?, bytes);
        let new = own(world, new);
        let scores = search.predict(world, &placed, (&fit.scores, SCALE), &new)?;
        let of_new = (new.first..new.first + scores.nrows() as u64).collect();
        Ok(((part.rows().to_vec(), fit.scores), (of_new, scores)))
    })
}

#[test]
fn the_weighted_mean_of_the_nearest_points() {
    let (rows, new) = halves();
    // Far away from everything, where every weight is zero.
    let far = Array2::from_elem((1, 3), 1e3);
    let new = ndarray::concatenate![ndarray::Axis(0), new, far];
    let (old, queries) = (Points::dense(rows).unwrap(), Points::dense(new.clone()).unwrap());
    let auto = gaussfield_graph::Search::Auto;
    let near = Neighbours::query(&old, &queries, Metric::Euclidean, K, auto).unwrap();
    for members in [1, 2, 4] {
        let mut known = Array2::zeros((ROWS, 3));
        let mut found = Array2::zeros((new.nrows(), 3));
        for own in predicted(members, &new) {
            let (of_graph, of_new) = own.unwrap();
            for (&row, scores) in of_graph.0.iter().zip(of_graph.1.rows()) {
                known.row_mut(row as usize).assign(&scores);
            }
            for (&row, scores) in of_new.0.iter().zip(of_new.1.rows()) {
                found.row_mut(row as usize).assign(&scores);
            }
        }
        for i in 0..new.nrows() {
            let least = near.distances(i)[0];
            let (mut sum, mut mean) = (0.0, ndarray::Array1::<f64>::zeros(3));
            for (&j, &d) in near.indices(i).iter().zip(near.distances(i)) {
                let share = ((least / SCALE).powi(2) - (d / SCALE).powi(2)).exp();
                sum += share;
                mean.scaled_add(share, &known.row(j as usize));
            }
            mean /= sum;
            let off = (&mean - &found.row(i)).fold(0.0, |most: f64, x| most.max(x.abs()));
            assert!(off < 1e-12, "{members} members, point {i}: off by {off:e}");
        }
    }
}

#[test]
fn fewer_new_points_than_members() {
    let (_, new) = halves();
    let one = new.slice(s![..1, ..]).to_owned();
    let scores: usize = predicted(4, &one).into_iter().map(|own| own.unwrap().1.1.nrows()).sum();
    assert_eq!(scores, 1);
}

#[test]
fn wrong_points_and_bytes_are_refused() {
    for own in predicted(3, &Array2::zeros((9, 2))) {
        let error = own.unwrap_err().to_string();
        assert!(error.contains("columns of the new points"), "{error}");
    }
    let (rows, _) = halves();
    let errors = together(2, |world| {
        let mut bytes =
            Placed::new(world, own(world, &rows), Budget::default()).unwrap().to_bytes().unwrap();
        bytes.truncate(bytes.len() - 8 * (1 - world.rank()));
        Placed::from_bytes(world, &bytes).unwrap_err().to_string()
    });
    assert!(errors.iter().all(|error| error.contains("member 0 of 2")), "{errors:?}");
    let few = OwnPoints { rows: Array2::zeros((1, 2)), first: 0, total: 1 };
    let error = together(1, |world| {
        let placed = Placed::new(world, own(world, &rows), Budget::default()).unwrap();
        let scores = Array2::zeros((3, 2));
        let search = Search::default();
        search.predict(world, &placed, (&scores, 1.0), &few).unwrap_err().to_string()
    });
    assert!(error[0].contains("columns of the new points"), "{error:?}");
}
