//! How an objective follows the edges through a power of the Laplacian.

use gaussfield_graph::EdgeGradient;
use gaussfield_laplacian::Laplacian;
use ndarray::{Array1, Array2, Axis};

/// The gradient on the edges of J with dJ = −scale·Σ tr(M_L (LᵃZ)ᵀ dL (LᵇZ)) over a + b = p − 1:
/// how J follows Lᵖ, summed over `terms`, which are p and scale. `powers` are LᵃZ for a = 0 up to the
/// largest p, so that no new product with L is needed.
pub(super) fn edge_gradient(
    laplacian: Laplacian,
    degrees: &Array1<f64>,
    terms: &[(usize, f64)],
    by_gram: &Array2<f64>,
    powers: &[Array2<f64>],
) -> EdgeGradient {
    let (mut potentials, mut adjoints) = (Vec::new(), Vec::new());
    let mut node_terms = Array1::zeros(degrees.len());
    let roots = degrees.mapv(f64::sqrt).insert_axis(Axis(1));
    let steps = terms.iter().flat_map(|&(last, scale)| (0..last).map(move |a| (last, scale, a)));
    for (last, scale, a) in steps {
        let weighted = powers[a].dot(by_gram) * scale;
        let b = &powers[last - 1 - a];
        if laplacian == Laplacian::Combinatorial {
            potentials.push(weighted);
            adjoints.push(b.clone());
            continue;
        }
        // With S = I − L and tildes for D^−½: an edge changes L off the diagonal by
        // −1/√(dᵢdⱼ), and through the degrees of its ends by (aᵢM(SB)ᵢ + (SA)ᵢMbᵢ)/(2dᵢ).
        let similar_b = b - &powers[last - a];
        let similar_weighted = &weighted - &(powers[a + 1].dot(by_gram) * scale);
        let by_degree = ((&weighted * &similar_b) + (&similar_weighted * b)).sum_axis(Axis(1));
        let own = (&weighted * b).sum_axis(Axis(1));
        node_terms += &((own - by_degree * 0.5) / degrees);
        potentials.push(weighted / &roots);
        adjoints.push(b / &roots);
    }
    EdgeGradient { potentials: beside(&potentials), adjoints: beside(&adjoints), node_terms }
}

/// One matrix beside the other.
fn beside(parts: &[Array2<f64>]) -> Array2<f64> {
    let views: Vec<_> = parts.iter().map(|part| part.view()).collect();
    ndarray::concatenate(Axis(1), &views).unwrap_or_else(|_| Array2::zeros((0, 0)))
}
