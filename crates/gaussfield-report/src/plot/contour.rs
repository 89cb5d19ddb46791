//! Level lines of a grid of numbers (marching squares).

use ndarray::ArrayView2;

/// The pieces of the line on which a grid takes the value `level`, in grid coordinates
/// (column, row), interpolated linearly along the grid's edges. Cells with a number that is not
/// finite have no line.
pub(super) fn level_lines(grid: ArrayView2<'_, f64>, level: f64) -> Vec<[(f64, f64); 2]> {
    let (rows, columns) = grid.dim();
    let mut pieces = Vec::new();
    for row in 0..rows.saturating_sub(1) {
        for column in 0..columns.saturating_sub(1) {
            let corner = |dc: usize, dr: usize| grid[[row + dr, column + dc]] - level;
            // Around the cell: bottom left, bottom right, top right, top left.
            let heights = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
            if heights.iter().any(|height| !height.is_finite()) {
                continue;
            }
            let (x, y) = (column as f64, row as f64);
            let places = [(x, y), (x + 1.0, y), (x + 1.0, y + 1.0), (x, y + 1.0)];
            let mut crossings = (0..4).filter_map(|a| {
                let b = (a + 1) % 4;
                ((heights[a] < 0.0) != (heights[b] < 0.0)).then(|| {
                    let share = heights[a] / (heights[a] - heights[b]);
                    let (from, to) = (places[a], places[b]);
                    (from.0 + share * (to.0 - from.0), from.1 + share * (to.1 - from.1))
                })
            });
            // Two crossings, or four in a saddle; joined in their order around the cell.
            while let (Some(from), Some(to)) = (crossings.next(), crossings.next()) {
                pieces.push([from, to]);
            }
        }
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::Array2;

    #[test]
    fn the_level_of_a_cone_is_a_circle() {
        let cone = Array2::from_shape_fn((41, 41), |(row, column)| {
            (row as f64 - 20.0).hypot(column as f64 - 20.0)
        });
        let pieces = level_lines(cone.view(), 12.0);
        assert!(pieces.len() > 60);
        for (x, y) in pieces.into_iter().flatten() {
            let radius = (x - 20.0).hypot(y - 20.0);
            assert!((radius - 12.0).abs() < 0.05, "{radius}");
        }
    }

    #[test]
    fn flat_or_broken_grids_have_no_lines() {
        assert!(level_lines(Array2::zeros((5, 5)).view(), 1.0).is_empty());
        assert!(level_lines(Array2::from_elem((5, 5), f64::NAN).view(), 1.0).is_empty());
        assert!(level_lines(Array2::zeros((1, 0)).view(), 0.0).is_empty());
    }
}
