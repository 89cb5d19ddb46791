//! Distances that cancel, numbers that overflow, blocks, threads and the smallest inputs.

use crate::support::{dense, kernels, sparse};
use gaussfield_core::Budget;
use gaussfield_kernel::Kernel;
use ndarray::{Array2, array};

/// Two tight groups far from each other and from the origin.
fn tight_groups(n: usize) -> Array2<f64> {
    Array2::from_shape_fn((n, 3), |(i, d)| {
        let centre = if i % 2 == 0 { 1e8 } else { -1e8 };
        centre + 1e-3 * ((i * 7 + d * 3) % 11) as f64
    })
}

#[test]
fn close_points_far_from_the_origin_keep_their_digits() {
    let rows = tight_groups(300);
    let width = 2e-3;
    let want = |i: usize, j: usize| {
        let difference = &rows.row(i) - &rows.row(j);
        (-difference.dot(&difference) / (2.0 * width * width)).exp()
    };
    let kernel = Kernel::Rbf { width };
    for points in [dense(&rows), sparse(&rows)] {
        let gram = kernel.gram(&points, Budget::default()).unwrap();
        let cross = kernel.cross(&points, &sparse(&rows), Budget::default()).unwrap();
        for ((i, j), &got) in gram.indexed_iter() {
            assert!((got - want(i, j)).abs() < 1e-13, "({i}, {j}): {got} {}", want(i, j));
            assert!((cross[[i, j]] - got).abs() < 1e-13, "({i}, {j})");
        }
    }
}

#[test]
fn duplicates_give_exactly_one_in_every_mixture_of_storages() {
    let rows =
        Array2::from_shape_fn((200, 17), |(i, d)| ((i % 40 * 31 + d * 7) as f64 * 0.37).sin());
    let kernel = Kernel::Rbf { width: 0.8 };
    for a in [dense(&rows), sparse(&rows)] {
        for b in [dense(&rows), sparse(&rows)] {
            let cross = kernel.cross(&a, &b, Budget::default()).unwrap();
            for ((i, j), &value) in cross.indexed_iter().filter(|((i, j), _)| i % 40 == j % 40) {
                assert_eq!(value.to_bits(), 1.0_f64.to_bits(), "({i}, {j})");
            }
        }
    }
}

#[test]
fn huge_and_tiny_numbers_have_their_limits() {
    let rows = array![[1e200, 0.0], [-1e200, 1e200], [1e200, 1e185]];
    for points in [dense(&rows), sparse(&rows)] {
        let far = Kernel::Rbf { width: 1.0 }.gram(&points, Budget::default()).unwrap();
        assert_eq!(far, Array2::<f64>::eye(3));
        let near = Kernel::Rbf { width: 1e200 }.gram(&points, Budget::default()).unwrap();
        assert!((near[[0, 1]] - (-2.5_f64).exp()).abs() < 1e-14);
        assert!((near[[0, 2]] - 1.0).abs() < 1e-14);
        let slope = Kernel::Rbf { width: 1.0 }.pullback(&points, Array2::ones((3, 3)).view());
        assert_eq!(slope.unwrap(), [0.0]);
        let cosine = Kernel::Cosine.gram(&points, Budget::default()).unwrap();
        assert!((cosine[[0, 1]] + 0.5_f64.sqrt()).abs() < 1e-15);
    }
    let tiny = dense(&array![[0.0], [1e-200]]);
    let gram = Kernel::Rbf { width: 1e-200 }.gram(&tiny, Budget::default()).unwrap();
    assert!((gram[[0, 1]] - (-0.5_f64).exp()).abs() < 1e-14);
}

#[test]
fn blocks_and_threads_change_nothing() {
    let rows = Array2::from_shape_fn((301, 6), |(i, d)| ((i * 13 + d * 5) % 23) as f64 - 11.0);
    let points = dense(&rows);
    let sensitivity = Array2::from_shape_fn((301, 301), |(i, j)| ((i * 3 + j * 7) % 5) as f64);
    for kernel in kernels() {
        let all = || {
            let gram = kernel.gram(&points, Budget::default()).unwrap();
            let cross = kernel.cross(&points, &sparse(&rows), Budget::default()).unwrap();
            (gram, cross, kernel.pullback(&points, sensitivity.view()).unwrap())
        };
        let within = |threads| {
            rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap().install(all)
        };
        let (gram, cross, gradient) = within(1);
        assert_eq!((gram.clone(), cross.clone(), gradient), within(3));
        let scale = gram.iter().fold(1.0_f64, |m, x| m.max(x.abs()));
        assert!(gram.iter().zip(&cross).all(|(a, b)| (a - b).abs() < 1e-13 * scale), "{kernel:?}");
    }
}

#[test]
fn no_points_and_no_features() {
    let none = dense(&Array2::zeros((0, 3)));
    let flat = dense(&Array2::zeros((2, 0)));
    for kernel in kernels() {
        assert_eq!(kernel.gram(&none, Budget::default()).unwrap().dim(), (0, 0));
        let some = dense(&array![[1.0, 2.0, 3.0]]);
        assert_eq!(kernel.cross(&some, &none, Budget::default()).unwrap().dim(), (1, 0));
        assert_eq!(kernel.cross(&none, &some, Budget::default()).unwrap().dim(), (0, 1));
        assert!(kernel.diagonal(&none).unwrap().is_empty());
    }
    assert_eq!(
        Kernel::Rbf { width: 1.0 }.gram(&flat, Budget::default()).unwrap(),
        Array2::<f64>::ones((2, 2))
    );
    assert_eq!(
        Kernel::Linear.gram(&flat, Budget::default()).unwrap(),
        Array2::<f64>::zeros((2, 2))
    );
}
