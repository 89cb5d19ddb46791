//! Blocks of pairs against differences taken one by one.

use super::*;
use ndarray::array;
use sprs::CsMat;
use std::convert::Infallible;

#[test]
fn the_mirror_image_is_exact_for_every_size() {
    for n in [0, 1, 2, 63, 64, 65, 127, 128, 129, 300] {
        let value = |i: usize, j: usize| (i * 1000 + j) as f64;
        let matrix = symmetric(n, |rows, mut out| {
            for (i, mut row) in rows.zip(out.rows_mut()) {
                for j in 0..=i {
                    row[j] = value(i, j);
                }
            }
            Ok::<(), Infallible>(())
        });
        for ((i, j), &entry) in matrix.unwrap().indexed_iter() {
            let want = value(i.max(j), i.min(j));
            assert!((entry - want).abs() < 0.5, "n = {n}, ({i}, {j})");
        }
    }
}

#[test]
fn the_first_error_wins_whatever_the_threads() {
    let refuse = |rows: Range<usize>, _: ArrayViewMut2<'_, f64>| {
        if rows.start >= BLOCK { Err(rows.start) } else { Ok(()) }
    };
    assert_eq!(blockwise((4 * BLOCK, 1), refuse).unwrap_err(), BLOCK);
    assert_eq!(symmetric(4 * BLOCK, refuse).unwrap_err(), BLOCK);
}

#[test]
fn close_points_far_from_the_mean_do_not_cancel() {
    let mut rows = Array2::from_elem((4, 3), 1e8);
    rows[[0, 0]] += 1e-3;
    rows[[3, 1]] = -1e8;
    let side = Side::alone(&Points::dense(rows.clone()).unwrap(), Scale::One);
    let mut squared = Array2::zeros((4, 4));
    side.squared(0..4, &side, squared.view_mut(), cancelled);
    let want = rows[[0, 0]] - 1e8;
    assert!((squared[[0, 1]] / (want * want) - 1.0).abs() < 1e-14);
    assert!(squared[[1, 2]].abs() < f64::MIN_POSITIVE);
}

#[test]
fn every_storage_and_scale_gives_the_same_distances() {
    let (x, z) = (array![[1.0, 0.0, 2.0], [0.5, -1.0, 0.0]], array![[0.0, 3.0, 2.0]]);
    let dense = |rows: &Array2<f64>| Points::dense(rows.clone()).unwrap();
    let sparse =
        |rows: &Array2<f64>| Points::sparse(CsMat::csr_from_dense(rows.view(), 0.0)).unwrap();
    let factors = vec![2.0, 0.5, 3.0];
    for scale in [Scale::One, Scale::All(0.25), Scale::Each(factors)] {
        for (a, b) in [
            (dense(&x), dense(&z)),
            (dense(&x), sparse(&z)),
            (sparse(&x), dense(&z)),
            (sparse(&x), sparse(&z)),
        ] {
            let (left, right) = Side::pair(&a, &b, scale.clone());
            let mut got = Array2::zeros((2, 1));
            left.squared(0..2, &right, got.view_mut(), |_, _| false);
            for i in 0..2 {
                let want: f64 =
                    (0..3).map(|d| ((x[[i, d]] - z[[0, d]]) * scale.at(d)).powi(2)).sum();
                assert!((got[[i, 0]] - want).abs() < 1e-13 * (1.0 + want));
                assert!((left.exact(i, &right, 0) - want).abs() < 1e-13 * (1.0 + want));
            }
        }
    }
}

#[test]
fn rows_of_any_length_have_products() {
    let far = (1 << 31) - 1;
    let rows = CsMat::new((2, 1 << 31), vec![0, 2, 3], vec![0, far, far], vec![1.0, 2.0, 4.0]);
    let side = Side::plain(&Points::sparse(rows).unwrap());
    let mut products = Array2::zeros((2, 2));
    side.products(0..2, &side, products.view_mut());
    assert_eq!(products, array![[5.0, 8.0], [8.0, 16.0]]);
}
