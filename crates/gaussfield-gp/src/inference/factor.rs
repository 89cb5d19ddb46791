use ndarray::{Array1, Array2, ArrayView1, ArrayView2, Axis, Zip, s};

/// B = L Lᵀ of an l × l matrix, l the number of labels.
#[derive(Debug)]
pub(crate) struct Factor {
    lower: Array2<f64>,
}

impl Factor {
    /// `None` where a pivot is not positive (or not a number). O(l³/3).
    pub(crate) fn new(matrix: &Array2<f64>) -> Option<Self> {
        let size = matrix.nrows();
        let mut lower = Array2::<f64>::zeros((size, size));
        for i in 0..size {
            for j in 0..i {
                let inner = lower.slice(s![i, ..j]).dot(&lower.slice(s![j, ..j]));
                lower[[i, j]] = (matrix[[i, j]] - inner) / lower[[j, j]];
            }
            let row = lower.slice(s![i, ..i]);
            let pivot = matrix[[i, i]] - row.dot(&row);
            if !(pivot > 0.0 && pivot.is_finite()) {
                return None;
            }
            lower[[i, i]] = pivot.sqrt();
        }
        Some(Self { lower })
    }

    /// L.
    pub(crate) fn into_lower(self) -> Array2<f64> {
        self.lower
    }

    /// The squared diagonal of L: what of each row the rows before it do not explain.
    pub(crate) fn pivots(&self) -> Vec<f64> {
        self.lower.diag().iter().map(|pivot| pivot * pivot).collect()
    }

    /// ln |B|.
    pub(crate) fn log_det(&self) -> f64 {
        self.lower.diag().iter().map(|pivot| 2.0 * pivot.ln()).sum()
    }

    /// L⁻¹ X, all columns in one sweep over the rows of L.
    pub(crate) fn forward(&self, mut x: Array2<f64>) -> Array2<f64> {
        for i in 0..self.lower.nrows() {
            let (done, mut rest) = x.view_mut().split_at(Axis(0), i);
            let mut row = rest.row_mut(0);
            for (above, &entry) in done.rows().into_iter().zip(self.lower.row(i)) {
                row.scaled_add(-entry, &above);
            }
            row /= self.lower[[i, i]];
        }
        x
    }

    /// B⁻¹ x.
    pub(crate) fn solve(&self, x: Array1<f64>) -> Array1<f64> {
        let mut x = self.forward(x.insert_axis(Axis(1))).remove_axis(Axis(1));
        for i in (0..x.len()).rev() {
            x[i] /= self.lower[[i, i]];
            let value = x[i];
            x.slice_mut(s![..i]).scaled_add(-value, &self.lower.slice(s![i, ..i]));
        }
        x
    }
}

/// I + T½ K T½, from T½.
pub(crate) fn shifted_identity(
    gram: ArrayView2<'_, f64>,
    root: ArrayView1<'_, f64>,
) -> Array2<f64> {
    let mut matrix = gram.to_owned();
    Zip::indexed(&mut matrix).for_each(|(i, j), entry| {
        *entry = *entry * root[i] * root[j] + if i == j { 1.0 } else { 0.0 };
    });
    matrix
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::array;

    #[test]
    fn solves_and_determinant_of_a_small_matrix() {
        let matrix = array![[4.0, 2.0, 0.0], [2.0, 5.0, 1.0], [0.0, 1.0, 3.0]];
        let factor = Factor::new(&matrix).unwrap();
        // Expanding by the first row: 4·14 − 2·6.
        assert!((factor.log_det() - 44_f64.ln()).abs() < 1e-14);
        let x = array![1.0, -2.0, 0.5];
        let solved = factor.solve(matrix.dot(&x));
        assert!((&solved - &x).iter().all(|gap| gap.abs() < 1e-14), "{solved}");
    }

    #[test]
    fn indefinite_and_undefined_matrices_have_no_factor() {
        assert!(Factor::new(&array![[1.0, 2.0], [2.0, 1.0]]).is_none());
        assert!(Factor::new(&array![[1.0, f64::NAN], [f64::NAN, 1.0]]).is_none());
        assert!(Factor::new(&array![[f64::INFINITY]]).is_none());
    }
}
