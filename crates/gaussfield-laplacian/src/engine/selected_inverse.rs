//! The entries of an inverse at the places of its sparse factor (Takahashi, Fagan, Chin 1973;
//! Erisman, Tinney 1975), by supernodes.
//!
//! Let a supernode have the columns J, eliminated together, and the rows I below. With
//! S = L_IJ L_JJ⁻¹ the inverse Z satisfies
//!
//! Z_IJ = −Z_II S,  Z_JJ = (L_JJ L_JJᵀ)⁻¹ − Sᵀ Z_IJ,
//!
//! and every entry of Z_II stands in the factor's places of later supernodes. So one pass from the
//! last to the first, as much work as the factorisation, gives the diagonal of the inverse. For
//! an elimination without subtraction S ≤ 0, and this pass subtracts nothing either.

use faer::linalg::matmul::matmul;
use faer::{Accum, MatMut, MatRef, Par};

/// The places of a factor.
#[derive(Debug)]
pub(crate) struct Supernodes {
    /// First column of each, and the number of columns.
    begins: Vec<usize>,
    /// Where the rows of each start in `rows`, and the number of rows.
    starts: Vec<usize>,
    rows: Vec<u32>,
}

impl Supernodes {
    pub(crate) fn with_columns(columns: usize) -> Self {
        let (mut begins, mut starts) =
            (Vec::with_capacity(columns + 1), Vec::with_capacity(columns + 1));
        begins.push(0);
        starts.push(0);
        Self { begins, starts, rows: Vec::new() }
    }

    /// Appends a supernode of `width` columns and these rows below them, increasing.
    pub(crate) fn push(&mut self, width: usize, rows: impl IntoIterator<Item = u32>) {
        self.begins.push(self.begins[self.begins.len() - 1] + width);
        self.rows.extend(rows);
        let start = self.starts[self.starts.len() - 1];
        debug_assert!(self.rows[start..].is_sorted(), "the rows of a supernode are increasing");
        self.starts.push(self.rows.len());
    }

    fn count(&self) -> usize {
        self.begins.len() - 1
    }

    fn width(&self, s: usize) -> usize {
        self.begins[s + 1] - self.begins[s]
    }

    fn rows(&self, s: usize) -> &[u32] {
        &self.rows[self.starts[s]..self.starts[s + 1]]
    }
}

/// What a factor knows of one supernode, column-major; to be filled in.
#[derive(Debug, Default)]
pub(crate) struct Pivot {
    /// S = L_IJ L_JJ⁻¹.
    pub(crate) ratios: Vec<f64>,
    /// (L_JJ L_JJᵀ)⁻¹.
    pub(crate) inverse: Vec<f64>,
}

/// The diagonal of the inverse, in the order of the factor's columns. `fill(s, pivot)` gives the
/// pivot of supernode s, its vectors of the right length and zero.
pub(crate) fn selected_diagonal(
    supernodes: &Supernodes,
    mut fill: impl FnMut(usize, &mut Pivot),
) -> Vec<f64> {
    let n = supernodes.begins[supernodes.count()];
    let mut owner = vec![0; n];
    let mut offsets = vec![0];
    for s in 0..supernodes.count() {
        owner[supernodes.begins[s]..supernodes.begins[s + 1]].fill(s);
        let width = supernodes.width(s);
        offsets.push(offsets[s] + width * (width + supernodes.rows(s).len()));
    }
    // Z in the layout of the factor: for each supernode Z_JJ above Z_IJ, column-major.
    let mut z = vec![0.0; offsets[supernodes.count()]];
    let mut place = vec![0; n];
    let mut pivot = Pivot::default();
    let (mut corner, mut below) = (Vec::new(), Vec::new());
    let mut diagonal = vec![0.0; n];
    for s in (0..supernodes.count()).rev() {
        let (width, rows) = (supernodes.width(s), supernodes.rows(s));
        let depth = rows.len();
        resize(&mut pivot.ratios, depth * width);
        resize(&mut pivot.inverse, width * width);
        fill(s, &mut pivot);
        if depth > 0 {
            resize(&mut corner, depth * depth);
            gather(supernodes, &owner, &offsets, &z, rows, &mut place, &mut corner);
            resize(&mut below, depth * width);
            let ratios = MatRef::from_column_major_slice(&pivot.ratios, depth, width);
            matmul(
                MatMut::from_column_major_slice_mut(&mut below, depth, width),
                Accum::Replace,
                MatRef::from_column_major_slice(&corner, depth, depth),
                ratios,
                -1.0,
                Par::Seq,
            );
            matmul(
                MatMut::from_column_major_slice_mut(&mut pivot.inverse, width, width),
                Accum::Add,
                ratios.transpose(),
                MatRef::from_column_major_slice(&below, depth, width),
                -1.0,
                Par::Seq,
            );
        }
        let target = &mut z[offsets[s]..offsets[s + 1]];
        for (c, column) in target.chunks_exact_mut(width + depth).enumerate() {
            column[..width].copy_from_slice(&pivot.inverse[c * width..(c + 1) * width]);
            if depth > 0 {
                column[width..].copy_from_slice(&below[c * depth..(c + 1) * depth]);
            }
            diagonal[supernodes.begins[s] + c] = column[c];
        }
    }
    diagonal
}

/// Z_II, both triangles, from the supernodes that own the rows I.
fn gather(
    supernodes: &Supernodes,
    owner: &[usize],
    offsets: &[usize],
    z: &[f64],
    rows: &[u32],
    place: &mut [usize],
    corner: &mut [f64],
) {
    let depth = rows.len();
    let mut known = usize::MAX;
    for (a, &row) in rows.iter().enumerate() {
        let t = owner[row as usize];
        let (begin, width) = (supernodes.begins[t], supernodes.width(t));
        let height = width + supernodes.rows(t).len();
        if t != known {
            known = t;
            for at in 0..width {
                place[begin + at] = at;
            }
            for (at, &i) in supernodes.rows(t).iter().enumerate() {
                place[i as usize] = width + at;
            }
        }
        let column = &z[offsets[t] + (row as usize - begin) * height..][..height];
        // Rows are increasing, so those from a on stand in this column.
        for (b, &i) in rows.iter().enumerate().skip(a) {
            let value = column[place[i as usize]];
            corner[a * depth + b] = value;
            corner[b * depth + a] = value;
        }
    }
}

fn resize(values: &mut Vec<f64>, length: usize) {
    values.clear();
    values.resize(length, 0.0);
}
