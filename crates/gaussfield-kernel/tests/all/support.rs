//! Points and kernels for the tests.

use gaussfield_kernel::Kernel;
use gaussfield_points::Points;
use ndarray::Array2;
use proptest::prelude::*;
use sprs::CsMat;

pub(crate) fn dense(rows: &Array2<f64>) -> Points {
    Points::dense(rows.clone()).unwrap()
}

pub(crate) fn sparse(rows: &Array2<f64>) -> Points {
    Points::sparse(CsMat::csr_from_dense(rows.view(), 0.0)).unwrap()
}

/// One of each kind.
pub(crate) fn kernels() -> [Kernel; 5] {
    [
        Kernel::Rbf { width: 1.5 },
        Kernel::Linear,
        Kernel::Polynomial { degree: 2, scale: 0.5, offset: 1.0 },
        Kernel::Polynomial { degree: 3, scale: 0.7, offset: 0.3 },
        Kernel::Cosine,
    ]
}

/// Numbers between −3 and 3, half of them zero.
pub(crate) fn entries(count: usize) -> impl Strategy<Value = Vec<f64>> {
    prop::collection::vec(prop_oneof![Just(0.0), -3.0..3.0_f64], count)
}

/// Rows of such numbers; the first one keeps every row from being zero.
pub(crate) fn rows_of(n: usize, d: usize) -> impl Strategy<Value = Array2<f64>> {
    entries(n * d).prop_map(move |entries| {
        let mut rows = Array2::from_shape_vec((n, d), entries).unwrap();
        rows.column_mut(0).mapv_inplace(|x| x + if x < 0.0 { -0.25 } else { 0.25 });
        rows
    })
}
