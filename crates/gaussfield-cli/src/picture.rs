//! The rows in two dimensions: a spectral embedding of their graph.

use crate::failure::Failure;
use crate::label::Labelled;
use gaussfield::Error;
use gaussfield::graph::Graph;
use gaussfield::laplacian::{LanczosOptions, Laplacian, components};
use gaussfield_report::Report;
use gaussfield_report::plot::{Group, Scatter, Width};

/// Points in the picture; more make no better one.
const DRAWN: usize = 3000;
/// Classes in a figure; more cannot be told apart.
const CLASSES: usize = 12;
/// Fewer nodes have no picture.
const LEAST: usize = 5;

/// The section with the picture, if the method has a graph to draw.
pub(crate) fn section(report: &mut Report, labelled: &Labelled) -> Result<(), Failure> {
    let Some(graph) = labelled.fitted.graph() else { return Ok(()) };
    let parts = components(graph);
    let mut sizes = vec![0_usize; parts.count];
    parts.of.iter().for_each(|&part| sizes[part] += 1);
    let Some(largest) = (0..parts.count).max_by_key(|&part| (sizes[part], usize::MAX - part))
    else {
        return Ok(());
    };
    if sizes[largest] < LEAST {
        return Ok(());
    }
    let nodes: Vec<usize> = (0..graph.nodes()).filter(|&node| parts.of[node] == largest).collect();
    let places = places(graph, &nodes)?;
    let labels = &labelled.table.labels;
    let mut scatter = Scatter::new("", "").width(Width::Full);
    let step = nodes.len().div_ceil(DRAWN);
    // Classes that are not drawn on their own share the look after the last of those that are.
    let mut counts = vec![0_usize; labels.classes()];
    nodes.iter().for_each(|&node| counts[labelled.classes[node]] += 1);
    let shown = largest_classes(&counts);
    let look = |class: usize| shown.iter().position(|own| *own == class).unwrap_or(shown.len());
    let all = counts.iter().filter(|&&count| count > 0).count();
    let others = all.saturating_sub(shown.len());
    let name = |of: usize| match shown.get(of) {
        Some(&class) => labels.names()[class].clone(),
        None => format!("{others} other classes"),
    };
    let looks = shown.len() + usize::from(others > 0);
    // Where all classes are shown each has its own colour, drawn or not.
    let colour = |of: usize| match shown.get(of) {
        Some(&class) if labels.classes() <= CLASSES => class,
        _ => of,
    };
    for of in 0..looks {
        let own = |at: &usize| look(labelled.classes[nodes[*at]]) == of;
        let points = (0..nodes.len()).step_by(step).filter(own).map(|at| places[at]);
        scatter = scatter.group(Group::new(name(of), colour(of), points));
    }
    for of in 0..looks {
        let own = |at: &usize| labels.get(nodes[*at]).is_some_and(|class| look(class) == of);
        let points: Vec<(f64, f64)> = (0..nodes.len()).filter(own).map(|at| places[at]).collect();
        scatter = scatter.group(Group::new("", colour(of), points).emphasised());
    }
    let rest = graph.nodes() - nodes.len();
    let left = match rest {
        0 => String::new(),
        _ => format!(
            " Shown is the largest connected part, {} rows; {rest} rows lie in {} other parts.",
            nodes.len(),
            parts.count - 1
        ),
    };
    let drawn = match step {
        1 => String::new(),
        _ => format!(" One in {step} rows is drawn."),
    };
    report.section(
        "The rows in two dimensions",
        format!(
            "Rows that lie close are linked by many short ways in the graph: its two slowest \
             vibrations are the coordinates, in the order of the rows, so that groups do not fall on \
             one spot. Colours are the classes in the end; large marks are the \
             labels that were given.{left}{drawn}"
        ),
    );
    report.plot("rows", "Spectral embedding of the graph.", &scatter)?;
    Ok(())
}

/// Classes that a figure shows on their own, by number, of the rows that each has in it: all that have
/// any, or the largest if there are many.
pub(crate) fn largest_classes(counts: &[usize]) -> Vec<usize> {
    let mut shown: Vec<usize> = (0..counts.len()).filter(|&class| counts[class] > 0).collect();
    if shown.len() > CLASSES {
        shown.sort_by_key(|&class| (std::cmp::Reverse(counts[class]), class));
        // The others take one of the places.
        shown.truncate(CLASSES - 1);
        shown.sort_unstable();
    }
    shown
}

/// Coordinates of the nodes of one connected part: the second and third eigenvector of its random
/// walk. Every edge counts the same, so that the picture does not shrink to a few far rows.
fn places(graph: &Graph, nodes: &[usize]) -> Result<Vec<(f64, f64)>, Failure> {
    let mut at = vec![usize::MAX; graph.nodes()];
    nodes.iter().enumerate().for_each(|(place, &node)| at[node] = place);
    let mut edges = Vec::new();
    for (place, &node) in nodes.iter().enumerate() {
        graph.for_each_neighbour(node, |other, _| {
            if at[other] > place {
                edges.push((place, at[other], 1.0));
            }
        });
    }
    let part = Graph::from_edges(nodes.len(), edges).map_err(Error::from)?;
    let options = LanczosOptions { tolerance: 1e-6, ..LanczosOptions::default() };
    let spectrum = Laplacian::Symmetric.smallest(&part, 3, &options).map_err(Error::from)?;
    let degrees = part.degrees();
    let coordinate = |place: usize, column: usize| {
        spectrum.vectors[[place, column]] / degrees[place].max(f64::MIN_POSITIVE).sqrt()
    };
    let column = |column| ranks((0..nodes.len()).map(|place| coordinate(place, column)).collect());
    Ok(column(1).into_iter().zip(column(2)).collect())
}

/// The place of each number in the order of all, from 0 to 1; equal ones in the order they came.
fn ranks(numbers: Vec<f64>) -> Vec<f64> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|&a, &b| numbers[a].total_cmp(&numbers[b]).then(a.cmp(&b)));
    let mut ranks = vec![0.0; numbers.len()];
    for (rank, place) in order.into_iter().enumerate() {
        ranks[place] = rank as f64 / (numbers.len() - 1).max(1) as f64;
    }
    ranks
}

#[cfg(test)]
mod tests {
    use super::{CLASSES, largest_classes, ranks};

    #[test]
    fn the_largest_classes_are_shown() {
        assert_eq!(largest_classes(&[3, 0, 1]), [0, 2]);
        let counts: Vec<usize> = (0..2 * CLASSES).collect();
        let shown: Vec<usize> = (CLASSES + 1..2 * CLASSES).collect();
        assert_eq!(largest_classes(&counts), shown);
    }

    #[test]
    fn ranks_go_from_zero_to_one() {
        assert_eq!(ranks(vec![5.0, -1.0, 2.0]), [1.0, 0.0, 0.5]);
        assert_eq!(ranks(vec![3.0]), [0.0]);
    }
}
