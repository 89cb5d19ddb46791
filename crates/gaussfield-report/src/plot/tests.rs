//! What every kind of figure has in common.

use super::form::well_formed;
use super::*;
use ndarray::Array2;

/// Words that would break a page if they were taken for markup.
const NASTY: &str = "a < b & \"c\" > 'd'\u{0}";

/// One figure of every kind, with nasty words wherever words can be.
fn figures() -> Vec<(&'static str, Box<dyn Plot>)> {
    let line = [(1.0, 2.0, 0.5), (2.0, 4.0, 9.0), (100.0, 3.0, 0.1)];
    let chart = LineChart::new(NASTY, NASTY)
        .title(NASTY)
        .series(Series::with_errors(NASTY, line))
        .series(Series::new(NASTY, [(1.0, 1.0), (50.0, 2.0)]).dashed())
        .series(Series::new("paper", [(3.0, 3.0)]).points_only().like(4))
        .level(NASTY, 2.5)
        .mark(2.0, 4.0, NASTY);
    let curve = LineChart::new("x", NASTY)
        .series(Series::new(NASTY, [(0.1, 1.0), (10.0, 2.0)]).smooth())
        .mark(0.1, 1.0, "");
    let group = |class| Group::new(NASTY, class, [(0.0, 0.0), (-3.0, 1e3)]);
    let many = (0..6).fold(Scatter::new(NASTY, ""), |plot, class| {
        plot.group(group(class)).group(group(class).hollow()).group(group(class).emphasised())
    });
    let space = [[0.0, 1.0, 2.0], [3.0, -1.0, 0.5]];
    let space = Scatter::new("", "").group(Group::in_space(NASTY, 0, space));
    let bars = Bars::new(NASTY, [NASTY, "two"]).series(NASTY, [(1.0, Some(0.2)), (-2.0, None)]);
    let grid = Array2::from_shape_fn((3, 4), |(row, column)| (row * column) as f64);
    let mut holes = grid.clone();
    holes[[1, 1]] = f64::NAN;
    let heat = HeatMap::new(vec![1.0, 2.0, 4.0, 8.0], vec![0.0, 1.0, 2.0], holes)
        .labels(NASTY, NASTY, NASTY)
        .log_x()
        .contours([0.5, 3.0])
        .mark(2.0, 1.0, NASTY)
        .group(Group::new(NASTY, 0, [(1.5, 0.5)]));
    let images = ImageGrid::new(2).image(NASTY, grid.clone()).image("b", grid.clone() * 2.0);
    let own = ImageGrid::new(3).image(NASTY, grid).own_ranges().title(NASTY);
    let mixture = ComponentMap::new(NASTY)
        .points([(0.0, 0.0), (1.0, 1.0)])
        .component((0.5, 0.5), (0.1, 0.05, 0.1), 1.0, 0.3)
        .group(Group::new(NASTY, 1, [(0.5, 0.6)]).emphasised());
    vec![
        ("chart", Box::new(chart.clone())),
        ("logarithmic chart", Box::new(chart.log_x().log_y().width(Width::Third))),
        ("curve", Box::new(curve.log_x())),
        ("scatter", Box::new(many.equal_units())),
        ("space", Box::new(space.seen_from(View::new(30.0, 40.0)))),
        ("bars", Box::new(bars.paper(0, 0, 1.1))),
        ("heat map", Box::new(heat)),
        ("images", Box::new(images)),
        ("images with own ranges", Box::new(own)),
        ("components", Box::new(mixture)),
    ]
}

#[test]
fn every_figure_is_well_formed_and_has_its_numbers() {
    for (kind, figure) in figures() {
        let svg = figure.svg().unwrap_or_else(|error| panic!("{kind}: {error}"));
        assert_eq!(well_formed(&svg), Ok(()), "{kind}");
        assert!(svg.starts_with("<svg width=\"") && svg.contains("role=\"img\" aria-label=\""));
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{kind}");
        assert!(figure.csv().lines().count() > 1, "{kind}");
    }
}

#[test]
fn many_long_names_leave_room_for_the_data() {
    let name = |class| format!("the long name of the class of number {class}");
    let scatter = (0..40).fold(Scatter::new("", "").width(Width::Full), |plot, class| {
        plot.group(Group::new(name(class), class, [(0.0, 0.0), (1.0, 1.0)]))
    });
    let svg = scatter.svg().expect("points");
    let told = |class| svg.contains(&format!(">{}</text>", name(class)));
    assert!(svg.contains("… and ") && told(0) && !told(39), "{svg}");
    let bottom = |svg: &str| numbers(svg, "y").filter(|y| y.is_finite()).fold(0.0, f64::max);
    assert!(bottom(&svg) < 430.0);
    let marks: Vec<f64> = numbers(&svg, "cy").collect();
    let spread = marks.iter().copied().fold(0.0, f64::max)
        - marks.iter().copied().fold(f64::INFINITY, f64::min);
    assert!(spread > 150.0, "the data are squeezed into {spread} pixels");
    // Names below bars do not reach into each other.
    let bars = Bars::new("", (0..20).map(name)).series("", (0..20).map(|i| (f64::from(i), None)));
    let svg = bars.width(Width::Full).svg().expect("bars");
    let named: Vec<f64> = svg
        .lines()
        .filter(|line| line.contains("text-anchor=\"middle\"") && line.contains("th"))
        .map(|line| line.split('>').nth(1).unwrap_or_default().chars().count() as f64)
        .collect();
    assert!(!named.is_empty() && named.iter().all(|letters| *letters < 12.0), "{named:?}");
}

/// The numbers of an attribute, element by element.
fn numbers<'a>(svg: &'a str, attribute: &'a str) -> impl Iterator<Item = f64> + 'a {
    let start = format!(" {attribute}=\"");
    svg.lines().filter_map(move |line| {
        let (_, after) = line.split_once(&start)?;
        after.split('"').next()?.parse().ok()
    })
}

#[test]
fn every_mark_and_every_word_begins_on_the_sheet() {
    for (kind, figure) in figures() {
        let svg = figure.svg().unwrap_or_else(|error| panic!("{kind}: {error}"));
        let size = |name| numbers(&svg, name).next().unwrap_or_else(|| panic!("{kind}: {name}"));
        for (places, end) in [(["x", "cx"], size("width")), (["y", "cy"], size("height"))] {
            for place in places.into_iter().flat_map(|place| numbers(&svg, place)) {
                assert!((0.0..=end).contains(&place), "{kind}: {place} of {end}");
            }
        }
    }
}
