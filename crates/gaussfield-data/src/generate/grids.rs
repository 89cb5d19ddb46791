//! Two grids with a bridge.

use super::{Demonstration, Gathered, normal, params, rng};
use crate::DataError;

/// Two grids, the upper one slightly tighter, joined by a few points (zhu2003, Figure 5).
///
/// On this layout the tighter grid "invades" the other as σ → 0, and learning σ by entropy
/// minimisation mends it. Class 1 is the upper grid, class 0 the lower; a point of the bridge
/// belongs to the grid on whose side of the horizontal axis it lies (on the axis: the lower). One
/// node of each grid is labelled, in its second row: the leftmost of the upper, the rightmost of
/// the lower. The order is upper grid, lower grid, bridge; grid rows go outwards. O(n).
#[derive(Debug, Clone, PartialEq)]
pub struct TwoGrids {
    /// Columns of both grids, at least 2; default 7.
    pub columns: usize,
    /// Rows of both grids, at least 2; default 4.
    pub rows: usize,
    /// Spacing of the upper grid, above 0; default 0.45.
    pub upper_spacing: f64,
    /// Spacing of the lower grid, above 0; default 0.5.
    pub lower_spacing: f64,
    /// Distance between the two grids, above 0; default 1.2.
    pub gap: f64,
    /// Points of the bridge, equally spaced between the grids; default 3.
    pub bridge: usize,
    /// Horizontal place of the bridge; default 1.4, near the right edges.
    pub bridge_at: f64,
    /// Standard deviation of the noise on each coordinate, 0 or more; default 0.
    pub noise: f64,
}

impl Default for TwoGrids {
    fn default() -> Self {
        Self {
            columns: 7,
            rows: 4,
            upper_spacing: 0.45,
            lower_spacing: 0.5,
            gap: 1.2,
            bridge: 3,
            bridge_at: 1.4,
            noise: 0.0,
        }
    }
}

impl TwoGrids {
    /// Lays the points out; the seed matters only if there is noise.
    ///
    /// # Errors
    /// [`DataError::Argument`] for a parameter outside its range.
    pub fn generate(&self, seed: u64) -> Result<Demonstration, DataError> {
        params::count("columns", self.columns, 2)?;
        params::count("rows", self.rows, 2)?;
        params::count("columns × rows", self.columns.saturating_mul(self.rows), 4)?;
        params::count("bridge", self.bridge, 0)?;
        params::positive("upper_spacing", self.upper_spacing)?;
        params::positive("lower_spacing", self.lower_spacing)?;
        params::positive("gap", self.gap)?;
        params::not_negative("noise", self.noise)?;
        if !self.bridge_at.is_finite() {
            let (value, expected) = (self.bridge_at.to_string(), "a finite number".to_owned());
            return Err(DataError::Argument { name: "bridge_at", value, expected });
        }
        let size = self.columns * self.rows;
        let mut gathered = Gathered::with_capacity(2 * size + self.bridge);
        for (side, spacing, class) in [(1.0, self.upper_spacing, 1), (-1.0, self.lower_spacing, 0)]
        {
            for row in 0..self.rows {
                for column in 0..self.columns {
                    let x = (column as f64 - 0.5 * (self.columns - 1) as f64) * spacing;
                    let y = side * (0.5 * self.gap + row as f64 * spacing);
                    gathered.push([x, y], class);
                }
            }
        }
        let step = self.gap / (self.bridge + 1) as f64;
        for point in 1..=self.bridge {
            // Counted in half steps from the middle, so that the middle point is exactly 0.
            let y = (2.0 * point as f64 - (self.bridge + 1) as f64) * 0.5 * step;
            gathered.push([self.bridge_at, y], usize::from(y > 0.0));
        }
        let mut rng = rng(seed);
        for row in &mut gathered.rows {
            for coordinate in row {
                *coordinate += self.noise * normal(&mut rng);
            }
        }
        let labelled = vec![self.columns, size + 2 * self.columns - 1];
        Ok(Demonstration { data: gathered.finish("two grids", 2, 2)?, labelled })
    }
}
