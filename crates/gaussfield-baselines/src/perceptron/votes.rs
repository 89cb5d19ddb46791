//! The vectors of one binary perceptron and their votes.

use ndarray::{ArrayView1, ArrayView2};

/// The vectors v_1, v_2, … of one binary problem in dual form.
///
/// v_k is the sum of y·x over the first k mistakes, so the k-th entry says what was added to get
/// v_k and how long v_k lasted. The zero vector before the first mistake has no vote.
#[derive(Debug, Clone)]
pub(super) struct Voters {
    mistakes: Vec<Mistake>,
    /// Σ_k c_k: every point shown counts for exactly one vector.
    shown: f64,
}

#[derive(Debug, Clone)]
struct Mistake {
    /// Position among the labelled points.
    labelled: usize,
    /// +1 or −1.
    sign: f64,
    /// c_k: one for the mistake itself, and one for each point right after it.
    survived: f64,
}

impl Voters {
    /// Freund and Schapire 1999, Figure 1, in dual form. `order` names the points as they are
    /// shown, `gram` is their kernel matrix.
    pub(super) fn train(gram: ArrayView2<'_, f64>, positive: &[bool], order: &[usize]) -> Self {
        let sign = |i: usize| if positive[i] { 1.0 } else { -1.0 };
        // ⟨v, x_j⟩ of the current v with every labelled point.
        let mut products = vec![0.0; positive.len()];
        let mut mistakes: Vec<Mistake> = Vec::new();
        for &i in order {
            match mistakes.last_mut() {
                Some(last) if sign(i) * products[i] > 0.0 => last.survived += 1.0,
                _ => {
                    for (product, kernel) in products.iter_mut().zip(gram.row(i)) {
                        *product += sign(i) * kernel;
                    }
                    mistakes.push(Mistake { labelled: i, sign: sign(i), survived: 1.0 });
                }
            }
        }
        Self { mistakes, shown: order.len() as f64 }
    }

    pub(super) fn mistakes(&self) -> usize {
        self.mistakes.len()
    }

    /// Σ_k c_k sign⟨v_k, x⟩ / Σ_k c_k from the kernel of x with the labelled points. O(mistakes).
    pub(super) fn vote(&self, kernel: ArrayView1<'_, f64>) -> f64 {
        let (mut product, mut vote) = (0.0, 0.0);
        for mistake in &self.mistakes {
            product += mistake.sign * kernel[mistake.labelled];
            if product > 0.0 {
                vote += mistake.survived;
            } else if product < 0.0 {
                vote -= mistake.survived;
            }
        }
        vote / self.shown
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ndarray::{Array1, array};

    /// The primal algorithm, word for word: vectors kept in full.
    fn primal(points: &[[f64; 2]], signs: &[f64], order: &[usize], x: [f64; 2]) -> f64 {
        let dot = |v: [f64; 2], x: [f64; 2]| v[0] * x[0] + v[1] * x[1];
        let mut vectors = vec![([0.0, 0.0], 0.0)];
        for &i in order {
            let (v, count) = vectors.last_mut().unwrap();
            if signs[i] * dot(*v, points[i]) > 0.0 {
                *count += 1.0;
            } else {
                let next = [v[0] + signs[i] * points[i][0], v[1] + signs[i] * points[i][1]];
                vectors.push((next, 1.0));
            }
        }
        let sign = |p: f64| if p > 0.0 { 1.0 } else { -f64::from(p < 0.0) };
        vectors.iter().map(|&(v, count)| count * sign(dot(v, x))).sum()
    }

    #[test]
    fn dual_equals_primal() {
        // Not separable, in small integers: every product is exact.
        let points = [[3., 1.], [1., 2.], [-2., 1.], [-1., -3.], [2., -2.], [1., 1.]];
        let positive = [true, true, false, false, true, false];
        let signs = positive.map(|p| if p { 1.0 } else { -1.0 });
        let order = [0, 1, 2, 3, 4, 5, 5, 3, 1, 0, 2, 4, 2, 4, 0, 5, 1, 3];
        let gram = ndarray::Array2::from_shape_fn((6, 6), |(i, j)| {
            points[i][0] * points[j][0] + points[i][1] * points[j][1]
        });
        let voters = Voters::train(gram.view(), &positive, &order);
        assert!(voters.mistakes() > 6, "the data make it err again and again");
        for x in [[1., 0.], [0., 1.], [-1., 4.], [2., -3.], [-5., -5.], [0., 0.]] {
            let kernel: Array1<f64> = points.iter().map(|p| p[0] * x[0] + p[1] * x[1]).collect();
            let want = primal(&points, &signs, &order, x) / 18.0;
            assert!((voters.vote(kernel.view()) - want).abs() < 1e-15, "{x:?}");
        }
    }

    #[test]
    fn counts_sum_to_the_points_shown() {
        let gram = array![[1.0, -1.0], [-1.0, 1.0]];
        let voters = Voters::train(gram.view(), &[true, false], &[0, 1, 1, 0]);
        // One mistake on the first point; the vector is then right about everything.
        assert_eq!(voters.mistakes(), 1);
        assert!((voters.vote(array![1.0, -1.0].view()) - 1.0).abs() < 1e-15);
        assert!((voters.vote(array![-1.0, 1.0].view()) + 1.0).abs() < 1e-15);
    }
}
