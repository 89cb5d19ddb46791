//! What every kernel matrix obeys, whatever the points.

use crate::support::{dense, entries, kernels, rows_of, sparse};
use gaussfield_core::{Budget, Parameters as _};
use gaussfield_kernel::Kernel;
use ndarray::{Array2, ArrayView2};
use proptest::prelude::*;

/// k(x, z) by its definition, one pair at a time.
fn by_definition(kernel: Kernel, x: &[f64], z: &[f64]) -> f64 {
    let dot = |x: &[f64], z: &[f64]| x.iter().zip(z).map(|(x, z)| x * z).sum::<f64>();
    match kernel {
        Kernel::Rbf { width } => {
            let squared: f64 = x.iter().zip(z).map(|(x, z)| (x - z).powi(2)).sum();
            (-squared / (2.0 * width * width)).exp()
        }
        Kernel::Linear => dot(x, z),
        Kernel::Polynomial { degree, scale, offset } => {
            let base = scale * dot(x, z) + offset;
            (0..degree).map(|_| base).product()
        }
        Kernel::Cosine => dot(x, z) / (dot(x, x) * dot(z, z)).sqrt(),
    }
}

fn definition_matrix(kernel: Kernel, a: &Array2<f64>, b: &Array2<f64>) -> Array2<f64> {
    Array2::from_shape_fn((a.nrows(), b.nrows()), |(i, j)| {
        by_definition(kernel, &a.row(i).to_vec(), &b.row(j).to_vec())
    })
}

fn assert_close(got: ArrayView2<'_, f64>, want: ArrayView2<'_, f64>, what: &str) {
    assert_eq!(got.dim(), want.dim(), "{what}");
    let largest = want.iter().fold(1.0_f64, |largest, x| largest.max(x.abs()));
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() <= 1e-12 * largest, "{what}: {got} against {want}");
    }
}

/// Whether LDLᵀ leaves nothing but rounding once no pivot is clearly positive. The largest pivot is
/// taken first: small ones would magnify the rounding of the others.
fn is_semidefinite(gram: &Array2<f64>) -> bool {
    let mut a = gram.clone();
    let scale = a.diag().iter().fold(0.0_f64, |most, &x| most.max(x)).max(1.0);
    let slack = 1e-11 * scale;
    let mut left: Vec<usize> = (0..a.nrows()).collect();
    while let Some(at) =
        (0..left.len()).max_by(|&i, &j| a[[left[i], left[i]]].total_cmp(&a[[left[j], left[j]]]))
    {
        let k = left[at];
        if a[[k, k]] <= slack {
            return left.iter().all(|&i| left.iter().all(|&j| a[[i, j]].abs() <= 10.0 * slack));
        }
        left.swap_remove(at);
        for &i in &left {
            for &j in &left {
                a[[i, j]] -= gram_update(&a, (i, j), k);
            }
        }
    }
    true
}

fn gram_update(a: &Array2<f64>, (i, j): (usize, usize), k: usize) -> f64 {
    a[[i, k]] * a[[k, j]] / a[[k, k]]
}

#[test]
fn the_check_tells_semidefinite_matrices_from_others() {
    use ndarray::array;
    assert!(is_semidefinite(&array![[1.0, 1.0], [1.0, 1.0]]));
    assert!(!is_semidefinite(&array![[1.0, 1.0 + 1e-6], [1.0 + 1e-6, 1.0]]));
    assert!(!is_semidefinite(&array![[0.0, 1e-3], [1e-3, 0.0]]));
    assert!(!is_semidefinite(&array![[1.0, 0.0], [0.0, -1e-6]]));
}

fn moved(mut kernel: Kernel, values: &[f64]) -> Kernel {
    kernel.set_parameters(values).unwrap();
    kernel
}

/// The gradient of Σ S_ij K_ij by central differences, one parameter at a time.
fn differences(kernel: Kernel, value: impl Fn(Kernel) -> f64) -> Vec<f64> {
    let at = kernel.values();
    (0..at.len())
        .map(|p| {
            let step = 1e-5 * at[p].max(0.1);
            let shifted = |by: f64| {
                let mut parameters = at.clone();
                parameters[p] += by;
                value(moved(kernel, &parameters))
            };
            (shifted(step) - shifted(-step)) / (2.0 * step)
        })
        .collect()
}

fn assert_gradient(got: &[f64], want: &[f64], scale: f64, what: &str) {
    assert_eq!(got.len(), want.len(), "{what}");
    for (got, want) in got.iter().zip(want) {
        assert!((got - want).abs() < 1e-6 * scale, "{what}: {got} against {want}");
    }
}

proptest! {
    #[test]
    fn matrices_follow_the_definition_in_any_storage(a in rows_of(7, 4), b in rows_of(5, 4)) {
        for kernel in kernels() {
            let gram = definition_matrix(kernel, &a, &a);
            let cross = definition_matrix(kernel, &a, &b);
            for a in [dense(&a), sparse(&a)] {
                assert_close(kernel.gram(&a, Budget::default()).unwrap().view(), gram.view(), kernel.name());
                for b in [dense(&b), sparse(&b)] {
                    assert_close(kernel.cross(&a, &b, Budget::default()).unwrap().view(), cross.view(), kernel.name());
                    let part = kernel.cross_rows(&a, 2..6, &b, Budget::default()).unwrap();
                    assert_close(part.view(), cross.slice(ndarray::s![2..6, ..]), kernel.name());
                }
            }
        }
    }

    #[test]
    fn gram_matrices_are_symmetric_and_semidefinite(rows in rows_of(9, 3), copies in 0_usize..4) {
        // Some duplicates, so that the matrix is singular.
        let mut rows = rows;
        for copy in 0..copies {
            let row = rows.row(copy).to_owned();
            rows.row_mut(8 - copy).assign(&row);
        }
        for kernel in kernels() {
            for points in [dense(&rows), sparse(&rows)] {
                let gram = kernel.gram(&points, Budget::default()).unwrap();
                prop_assert_eq!(&gram, &gram.t());
                prop_assert_eq!(gram.diag().to_owned(), kernel.diagonal(&points).unwrap());
                prop_assert!(is_semidefinite(&gram), "{kernel:?}: {gram}");
                if matches!(kernel, Kernel::Rbf { .. } | Kernel::Cosine) {
                    prop_assert!(gram.iter().all(|value| value.abs() <= 1.0));
                }
                if let Kernel::Rbf { .. } = kernel {
                    for copy in 0..copies {
                        prop_assert_eq!(gram[[copy, 8 - copy]].to_bits(), 1.0_f64.to_bits());
                    }
                }
            }
        }
    }

    #[test]
    fn pullbacks_are_the_gradients(
        a in rows_of(6, 3),
        b in rows_of(4, 3),
        square in entries(36),
        oblong in entries(24),
    ) {
        let square = Array2::from_shape_vec((6, 6), square).unwrap();
        let oblong = Array2::from_shape_vec((6, 4), oblong).unwrap();
        for kernel in kernels() {
            for (a, b) in [(dense(&a), sparse(&b)), (sparse(&a), dense(&b))] {
                let gram = |kernel: Kernel| (kernel.gram(&a, Budget::default()).unwrap() * &square).sum();
                let cross = |kernel: Kernel| (kernel.cross(&a, &b, Budget::default()).unwrap() * &oblong).sum();
                let scale = 1e2 + kernel.gram(&a, Budget::default()).unwrap().iter().map(|x| x.abs()).sum::<f64>();
                assert_gradient(
                    &kernel.pullback(&a, square.view()).unwrap(),
                    &differences(kernel, gram), scale, "gram",
                );
                assert_gradient(
                    &kernel.pullback_cross(&a, &b, oblong.view()).unwrap(),
                    &differences(kernel, cross), scale, "cross",
                );
            }
        }
    }

    #[test]
    fn parameters_go_round(width in 1e-3..1e3_f64, offset in 0.0..10.0_f64) {
        prop_assert_eq!(moved(Kernel::Rbf { width: 1.0 }, &[width]), Kernel::Rbf { width });
        let polynomial = Kernel::Polynomial { degree: 3, scale: 1.0, offset: 0.0 };
        prop_assert_eq!(moved(polynomial, &[width, offset]).values(), vec![width, offset]);
        for kernel in kernels() {
            prop_assert_eq!(moved(kernel, &kernel.values()), kernel);
            let text = serde_json::to_string(&kernel).unwrap();
            prop_assert_eq!(serde_json::from_str::<Kernel>(&text).unwrap(), kernel);
        }
    }
}
