//! The support vector machine without an offset, as the voted perceptron has none.

use anyhow::Result;
use gaussfield_baselines::SupportVectorMachine;
use gaussfield_labels::{Inductive as _, Labels};
use ndarray::{Array2, Axis, concatenate};

/// The classes that a machine sign f(x), with f in the space of the kernel and no b, gives to some
/// of the points, whose kernel values are given.
///
/// It is trained on every labelled point and on its mirror image at the origin with the other label,
/// at half the price each: by symmetry b = 0 is best, and both terms of a point are then one.
pub(super) fn without_offset(
    price: f64,
    gram: &Array2<f64>,
    visible: &Labels,
    asked: &[usize],
) -> Result<Vec<usize>> {
    let labelled = visible.labelled();
    let known = gram.select(Axis(1), &labelled);
    let own = mirrored(&known.select(Axis(0), &labelled))?;
    let own = concatenate(Axis(0), &[own.view(), (-&own).view()])?;
    let of: Vec<usize> = labelled.iter().filter_map(|&node| visible.get(node)).collect();
    let classes = of.iter().copied().chain(of.iter().map(|class| 1 - class)).map(Some).collect();
    let labels = Labels::new(classes, visible.names().to_vec())?;
    let machine = SupportVectorMachine::new(price / 2.0).fit_gram(own.view(), &labels)?;
    let asked = mirrored(&known.select(Axis(0), asked))?;
    Ok(machine.predict(&asked.view())?.argmax())
}

/// Kernel values with points, then with their mirror images.
fn mirrored(values: &Array2<f64>) -> Result<Array2<f64>> {
    Ok(concatenate(Axis(1), &[values.view(), (-values).view()])?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use gaussfield_baselines::Kernel;
    use gaussfield_core::Budget;
    use gaussfield_points::Points;
    use ndarray::array;

    fn linear(points: &Points) -> Array2<f64> {
        Kernel::Linear.gram(points, Budget::default()).unwrap()
    }

    #[test]
    fn the_line_goes_through_the_origin() {
        // With an offset the line lies at x₁ = 3.
        let points =
            Points::dense(array![[1.0, 0.0], [5.0, 0.0], [2.0, 1.0], [-0.1, 1.0]]).unwrap();
        let labels = Labels::from_names([Some("low"), Some("high"), None, None]);
        let with = SupportVectorMachine::new(10.0).fit(&points, Kernel::Linear, &labels).unwrap();
        let asked = points.select(&[2, 3]).unwrap();
        assert_eq!(with.predict(&asked).unwrap().argmax(), [0, 0]);
        // The least f with f(0, 1) ≤ −1 and f(3, 0) ≥ 1 is x₁/3 − x₂.
        let points = Points::dense(array![[0.0, 1.0], [3.0, 0.0], [1.0, 2.0], [2.0, 0.5]]).unwrap();
        let found = without_offset(1e3, &linear(&points), &labels, &[2, 3]).unwrap();
        assert_eq!(found, [0, 1]);
        // On a line the origin parts −1 from 5, not their middle.
        let points = Points::dense(array![[-1.0], [5.0], [-3.0], [0.2]]).unwrap();
        let found = without_offset(1e3, &linear(&points), &labels, &[2, 3]).unwrap();
        assert_eq!(found, [0, 1]);
    }
}
