//! Curved sheets that cross: the hard data set of the comparison with other programs, at any size.

use anyhow::Context;
use gaussfield_data::Dataset;
use gaussfield_labels::Labels;
use gaussfield_points::Points;
use ndarray::{Array1, Array2};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use rand_distr::StandardNormal;
use std::f64::consts::TAU;

const CLASSES: usize = 10;
const DIM: usize = 32;
/// Waves by which a sheet is bent.
const WAVES: usize = 8;
/// Standard deviation of the noise in every dimension.
const NOISE: f64 = 0.18;
/// Standard deviation of a sheet's place in every dimension.
const OFFSET: f64 = 0.04;

/// One sheet: z ↦ sin(z B + φ) A + μ for z in [−1.5, 1.5]³.
struct Sheet {
    bend: Array2<f64>,
    phase: Array1<f64>,
    centre: Array1<f64>,
}

/// n points on ten three-dimensional sheets that cross in 32 dimensions, with noise, in random order.
/// The sheets are the same for every n.
///
/// # Errors
/// None for the numbers drawn here.
pub fn crossing_sheets(n: usize) -> anyhow::Result<Dataset> {
    let mut shape = ChaCha8Rng::seed_from_u64(super::SEED);
    let spread = normal(&mut shape, WAVES, DIM) / (WAVES as f64).sqrt();
    let sheets: Vec<Sheet> = (0..CLASSES)
        .map(|_| Sheet {
            bend: normal(&mut shape, 3, WAVES),
            phase: Array1::from_shape_fn(WAVES, |_| TAU * shape.random::<f64>()),
            centre: normal(&mut shape, 1, DIM).row(0).to_owned() * OFFSET,
        })
        .collect();
    let mut random = ChaCha8Rng::seed_from_u64(super::SEED + 1);
    let mut classes: Vec<usize> = (0..n).map(|row| row % CLASSES).collect();
    classes.shuffle(&mut random);
    let mut points = Array2::zeros((n, DIM));
    for (mut row, &class) in points.rows_mut().into_iter().zip(&classes) {
        let Sheet { bend, phase, centre } = &sheets[class];
        let place = Array1::from_shape_fn(3, |_| 3.0 * random.random::<f64>() - 1.5);
        let waves = (place.dot(bend) + phase).mapv(f64::sin);
        let noise = normal(&mut random, 1, DIM);
        row.assign(&(waves.dot(&spread) + centre + &noise.row(0) * NOISE));
    }
    let names = classes.iter().map(|class| Some(class.to_string()));
    Ok(Dataset {
        name: format!("crossing sheets, {n} points"),
        feature_names: None,
        points: Points::dense(points).context("crossing sheets")?,
        labels: Labels::from_names(names),
        ids: None,
        kept: Vec::new(),
    })
}

fn normal(random: &mut ChaCha8Rng, rows: usize, columns: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows, columns), |_| random.sample(StandardNormal))
}
