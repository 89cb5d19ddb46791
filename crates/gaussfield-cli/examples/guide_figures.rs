//! The figures of the guide: `cargo run --release -p gaussfield-cli --example guide_figures -- FOLDER`.
//!
//! Each is drawn from points that are made or from the digits that the library carries, by one seed, so
//! that the same program draws the same figures.

use gaussfield::core::files::write_atomically;
use gaussfield::data::catalog::embedded_optdigits;
use gaussfield::data::generate::TwoMoons;
use gaussfield::data::split::Split;
use gaussfield::description::{Description, Fitted, Method};
use gaussfield::harmonic::{Criterion, Dynamics, Field, Harmonic, Query, Verdict};
use gaussfield::labels::metrics::{Calibration, MeanStd, accuracy};
use gaussfield::labels::{ClassPrior, Decision, HeldOut, Islands, Labels, Transductive as _};
use gaussfield::points::Points;
use gaussfield_report::plot::{Group, LineChart, Plot, Scatter, Series, Width};
use std::path::{Path, PathBuf};

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

fn main() -> Outcome<()> {
    let folder =
        std::env::args_os().nth(1).map(PathBuf::from).ok_or("usage: guide_figures FOLDER")?;
    draw(&folder, "moons", &moons()?)?;
    draw(&folder, "next", &next()?)?;
    draw(&folder, "suspects", &suspects()?)?;
    draw(&folder, "accuracy", &accuracies()?)?;
    draw(&folder, "calibration", &calibration()?)
}

/// The figure and its numbers.
fn draw(folder: &Path, name: &str, figure: &impl Plot) -> Outcome<()> {
    write_atomically(&folder.join(format!("{name}.svg")), figure.svg()?.as_bytes())?;
    Ok(write_atomically(&folder.join(format!("{name}.csv")), figure.csv().as_bytes())?)
}

fn automatic(points: &Points, labels: &Labels) -> Outcome<Fitted> {
    Ok(Description::automatic(points, labels)?.description.fit(points, labels)?)
}

fn place(points: &Points, row: usize) -> (f64, f64) {
    let row = points.dense_row(row).unwrap_or(&[0.0, 0.0]);
    (row[0], row[1])
}

/// Points in the colours of their classes, some of them marked.
fn coloured(points: &Points, classes: &[usize], marked: &[usize], name: &str) -> Scatter {
    let mut scatter = Scatter::new("", "").width(Width::Full).equal_units();
    for class in 0..2 {
        let of = (0..points.len()).filter(|&row| classes[row] == class);
        let group =
            Group::new(format!("class {}", class + 1), class, of.map(|row| place(points, row)));
        scatter = scatter.group(group);
    }
    for class in 0..2 {
        let of = marked.iter().filter(|&&row| classes[row] == class);
        let name = if class == 0 { name } else { "" };
        let group = Group::new(name, class, of.map(|&row| place(points, row)));
        scatter = scatter.group(group.emphasised());
    }
    scatter
}

/// The class of every row: its label, or what was found.
fn classes(fitted: &Fitted, labels: &Labels) -> Vec<usize> {
    let likely = fitted.scores().argmax();
    (0..likely.len()).map(|row| labels.get(row).unwrap_or(likely[row])).collect()
}

/// Two moons from one label each.
fn moons() -> Outcome<Scatter> {
    let moons = TwoMoons { n: 400, noise: 0.08 }.generate(7)?;
    let labels = moons.labels.keep(&[0, 399])?;
    let fitted = automatic(&moons.points, &labels)?;
    let classes = classes(&fitted, &labels);
    Ok(coloured(&moons.points, &classes, &[0, 399], "labelled")
        .title("Two labels, 398 rows without"))
}

/// The eight rows to ask about next.
fn next() -> Outcome<Scatter> {
    let moons = TwoMoons { n: 400, noise: 0.15 }.generate(3)?;
    let labels = moons.labels.keep(&[0, 399])?;
    let fitted = automatic(&moons.points, &labels)?;
    let (Some(field), Some(graph)) = (fitted.field(), fitted.graph()) else {
        return Err("the automatic choice has a field".into());
    };
    let query = Query { criterion: Criterion::ExpectedErrors, batch: 8, ..Query::default() };
    let asked: Vec<usize> = query.next(field, graph)?.iter().map(|next| next.node).collect();
    let classes = classes(&fitted, &labels);
    Ok(coloured(&moons.points, &classes, &asked, "to label next")
        .title("Eight rows worth asking about"))
}

/// Labels that are probably wrong.
fn suspects() -> Outcome<Scatter> {
    let moons = TwoMoons { n: 400, noise: 0.08 }.generate(5)?;
    let shown: Vec<usize> = (0..400).step_by(4).collect();
    let mut given = moons.labels.keep(&shown)?.as_slice().to_vec();
    for &row in shown.iter().skip(5).step_by(12) {
        given[row] = given[row].map(|class| 1 - class);
    }
    let labels = Labels::new(given, moons.labels.names().to_vec())?;
    let fitted = automatic(&moons.points, &labels)?;
    let field = fitted.field().ok_or("the automatic choice has a field")?;
    let audit = Field::audit(field, 0.1)?;
    let wrong = audit.iter().filter(|label| label.verdict == Verdict::Suspect);
    let wrong: Vec<usize> = wrong.map(|label| label.node).collect();
    let classes = classes(&fitted, &labels);
    let title = format!("9 of 100 labels were changed; {} are suspect", wrong.len());
    Ok(coloured(&moons.points, &classes, &wrong, "suspect, in the colour that was given")
        .title(title))
}

/// Accuracy on digits against the number of labels, five draws.
fn accuracies() -> Outcome<LineChart> {
    let data = embedded_optdigits()?;
    let mut chart = LineChart::new("labels of each digit", "rows that are right (%)").log_x();
    for (name, choose) in methods() {
        let mut points = Vec::new();
        for count in [1, 2, 5, 10, 20] {
            let mut right = Vec::new();
            for seed in 0..5 {
                let labels = Split::per_class(&data.labels, count, seed)?.partial(&data.labels)?;
                let fitted = choose(&data.points, &labels)?.fit(&data.points, &labels)?;
                let truth = HeldOut::new(&data.labels, &labels)?;
                let told = fitted.predictions().classes();
                right.push(100.0 * accuracy(&truth, told)?);
            }
            let all = MeanStd::over(&right)?;
            points.push((count as f64, all.mean, all.standard_error().unwrap_or(0.0)));
        }
        chart = chart.series(Series::with_errors(name, points));
    }
    Ok(chart.width(Width::Full).title("5620 handwritten digits, five draws of labels"))
}

type Choose = fn(&Points, &Labels) -> Outcome<Description>;

fn methods() -> [(&'static str, Choose); 3] {
    [
        ("the automatic choice", |points, labels| {
            Ok(Description::automatic(points, labels)?.description)
        }),
        ("threshold dynamics alone", |points, labels| {
            let islands = Islands::Prior(ClassPrior::uniform(labels.classes())?);
            let method = Method::Dynamics(Dynamics { islands, ..Dynamics::default() });
            Ok(Description { method, ..Description::automatic(points, labels)?.description })
        }),
        ("harmonic function alone", |points, labels| {
            let islands = Islands::Prior(ClassPrior::uniform(labels.classes())?);
            let method = Method::Harmonic(Harmonic { islands, ..Harmonic::default() });
            let decision = Decision::Argmax;
            Ok(Description {
                method,
                decision,
                ..Description::automatic(points, labels)?.description
            })
        }),
    ]
}

/// What probabilities say and what is so, on digits with five labels each.
fn calibration() -> Outcome<LineChart> {
    let data = embedded_optdigits()?;
    let labels = Split::per_class(&data.labels, 5, 1)?.partial(&data.labels)?;
    let truth = HeldOut::new(&data.labels, &labels)?;
    let mut chart = LineChart::new("probability said", "share that is right");
    for (name, choose) in methods() {
        let fitted = choose(&data.points, &labels)?.fit(&data.points, &labels)?;
        let scores = fitted.probabilities()?.select(truth.nodes())?;
        let table = Calibration::new(&truth, &scores, 10)?;
        let points = table.bins().iter().filter_map(|bin| bin.confidence.zip(bin.accuracy));
        chart = chart.series(Series::new(name, points));
    }
    let chart = chart.series(Series::new("as it should be", [(0.0, 0.0), (1.0, 1.0)]).dashed());
    Ok(chart.width(Width::Full).title("5620 handwritten digits, five labels each"))
}
