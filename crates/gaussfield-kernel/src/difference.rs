//! Squared distances from differences, for close points.

use gaussfield_points::{Points, Rows};

/// Σ_d ((x_d − z_d)/width)², exactly zero for equal points in any storage, and the same for (x, z)
/// as for (z, x). O(d), or O(non-zeros) where both rows are sparse.
pub(crate) fn squared_distance(
    (left, i): (&Points, usize),
    (right, j): (&Points, usize),
    width: f64,
) -> f64 {
    let square = |difference: f64| (difference / width) * (difference / width);
    match (left.rows(), right.rows()) {
        (Rows::Dense(x), Rows::Dense(z)) => {
            x.row(i).iter().zip(z.row(j)).map(|(x, z)| square(x - z)).sum()
        }
        (Rows::Sparse(x), Rows::Sparse(z)) => match (x.outer_view(i), z.outer_view(j)) {
            (Some(x), Some(z)) => merged((x.indices(), x.data()), (z.indices(), z.data()), square),
            _ => unreachable!("rows {i} and {j} are within the points"),
        },
        (Rows::Dense(x), Rows::Sparse(z)) => {
            let mut differences = x.row(i).to_vec();
            for (d, value) in z.outer_view(j).iter().flat_map(|row| row.iter()) {
                differences[d] -= value;
            }
            differences.into_iter().map(square).sum()
        }
        (Rows::Sparse(_), Rows::Dense(_)) => squared_distance((right, j), (left, i), width),
    }
}

/// The sum over the features that one of two sparse rows has, in increasing order.
fn merged(
    (d, x): (&[usize], &[f64]),
    (e, z): (&[usize], &[f64]),
    square: impl Fn(f64) -> f64,
) -> f64 {
    let (mut a, mut b, mut sum) = (0, 0, 0.0);
    while a < d.len() || b < e.len() {
        let at = |list: &[usize], k: usize| list.get(k).copied().unwrap_or(usize::MAX);
        let feature = at(d, a).min(at(e, b));
        let mut difference = 0.0;
        if at(d, a) == feature {
            difference += x[a];
            a += 1;
        }
        if at(e, b) == feature {
            difference -= z[b];
            b += 1;
        }
        sum += square(difference);
    }
    sum
}
