//! A made-up paper that shows every kind of figure, table and claim of the reports.
//!
//! `cargo run -p gaussfield-report --example gallery -- DIR` writes it into the folder `DIR`.

use anyhow::{Context as _, Result};
use gaussfield_report::plot::{
    Bars, ColourMap, ComponentMap, Group, HeatMap, ImageGrid, LineChart, Scatter, Series, View,
    Width,
};
use gaussfield_report::{Cell, Claim, Colophon, Figure, Heading, Report, Table};
use ndarray::Array2;
use std::path::PathBuf;

fn main() -> Result<()> {
    let folder = std::env::args_os().nth(1).map(PathBuf::from).context("usage: gallery DIR")?;
    let mut report = Report::default();
    curves(&mut report)?;
    points(&mut report)?;
    fields(&mut report)?;
    images(&mut report)?;
    report.fact("Solver", "dense Cholesky, relative residual 3e-16");
    report.fact("Graph", "complete, exp weights, σ = 380");
    let heading = Heading {
        kind: "A gallery".to_owned(),
        title: "A gallery of figures for semi-supervised learning".to_owned(),
        source: "Nobody, N., and Anybody, A. Proceedings of Nothing (2003), 1–8".to_owned(),
        summary: "This paper does not exist. It shows how learning curves, scatter plots, heat \
                  maps, images, tables and claims look in a report, on numbers that are made up."
            .to_owned(),
        notes: vec!["Run with `--quick` this would be a short run.".to_owned()],
    };
    Ok(report.write(&folder, &heading, &Colophon::default())?)
}

fn curves(report: &mut Report) -> Result<()> {
    let sizes = [2.0, 5.0, 10.0, 20.0, 40.0, 60.0, 80.0, 100.0];
    let rising = |end: f64, speed: f64| {
        sizes.map(|l| (l, end - 35.0 * (-l / speed).exp(), 0.5 + 6.5 / l.sqrt()))
    };
    let chart = || {
        LineChart::new("labelled points", "accuracy (%)")
            .series(Series::with_errors("CMN", rising(97.2, 9.0)))
            .series(Series::with_errors("1NN", rising(91.0, 18.0)))
            .series(Series::with_errors("RBF", rising(88.0, 26.0)))
            .series(Series::with_errors("thresh", rising(94.7, 40.0)))
            .series(Series::new("CMN, paper", [(92.0, 97.25)]).points_only().like(0))
            .level("chance", 50.0)
    };
    report.section(
        "Figure 1: learning curves",
        "Accuracy against the number of labels, mean and one standard deviation.",
    );
    report.statement("Section 7", "CMN is best at every size; thresh performs poorly.");
    report.plot("curves", "Linear scale.", &chart().title("Digits 1 and 2"))?;
    report.plot("curves-log", "Logarithmic scale.", &chart().log_x())?;
    for (id, words) in [("left", "Left."), ("middle", "Middle."), ("right", "Right.")] {
        let figure = Figure::of(id, words, &chart().width(Width::Third))?;
        let note = (id == "right").then(|| "Drawn on optdigits, which stands in.".to_owned());
        report.add_figure(figure.stand_in(note));
    }
    let mut table = Table::new("table1", "Accuracy at 92 labels.", ["method", "ours", "paper"]);
    table.row(["CMN".into(), Cell::Spread(96.94, 0.91, 1), Cell::Spread(97.25, 0.73, 2)]);
    table.row(["thresh".into(), Cell::Spread(94.61, 1.23, 1), Cell::Spread(94.7, 1.19, 2)]);
    table.row(["σ < 1 & more".into(), Cell::Number(12.0, 0), Cell::Empty]);
    report.table(table);
    report.claim(
        Claim::new("cmn", "Figure 3 left", "CMN reaches 97.25 % at 92 labels")
            .paper(97.25)
            .ours(96.94, 0.91)
            .within_two_std(0.73),
    );
    report.claim(
        Claim::new("thresh", "Section 7", "thresh performs poorly with few labels")
            .paper("poor")
            .ours_value("below 1NN up to 10 labels")
            .holds_if(false, "thresh is below 1NN at 5 of 8 sizes")
            .because("the paper's plot cannot be read more exactly"),
    );
    report.claim(Claim::new("text", "Figure 4", "CMN is best on text").not_run(
        "the data set newsgroups is not here: set GAUSSFIELD_DATA to a folder that holds it",
    ));
    Ok(())
}

fn points(report: &mut Report) -> Result<()> {
    let moon = |class: usize| {
        (0..80).map(move |i| {
            let angle = std::f64::consts::PI * (f64::from(i) + 0.5) / 80.0;
            let wobble = 0.08 * (f64::from(i) * 12.9898).sin();
            match class {
                0 => (angle.cos() + wobble, angle.sin() + wobble),
                _ => (1.0 - angle.cos() - wobble, 0.5 - angle.sin() + wobble),
            }
        })
    };
    let moons = Scatter::new("x₁", "x₂")
        .group(Group::new("class 0", 0, moon(0)))
        .group(Group::new("class 1", 1, moon(1)))
        .group(Group::new("labelled 0", 0, [(-0.9, 0.45)]).emphasised())
        .group(Group::new("labelled 1", 1, [(1.9, 0.1)]).emphasised())
        .path(
            2,
            (0..=60)
                .map(|i| f64::from(i) / 60.0 * std::f64::consts::TAU)
                .map(|t| (0.5 + 0.5 * t.cos(), 0.25 + 0.2 * t.sin())),
        )
        .equal_units();
    let roll = |class: usize| {
        (0..240).filter(move |i| i / 120 == class as i32).map(|i| {
            let t = 3.0 + f64::from(i) / 24.0;
            let z = 6.0 * (f64::from(i) * 0.618).fract();
            [t * t.cos(), t * t.sin(), z]
        })
    };
    let space = Scatter::new("", "")
        .group(Group::in_space("inner", 0, roll(0)))
        .group(Group::in_space("outer", 1, roll(1)))
        .group(Group::in_space("labelled", 1, [[12.0, 0.0, 3.0]]).emphasised())
        .seen_from(View::new(25.0, 60.0));
    report.section("Figure 2: points", "In the plane and in space.");
    report.plot("moons", "Two moons with equal units.", &moons)?;
    report.plot("roll", "A roll.", &space)?;
    let ten = (0..10).fold(Scatter::new("", ""), |plot, class| {
        let centre = f64::from(class) / 10.0 * std::f64::consts::TAU;
        let points = (0..25).map(move |i| {
            let (a, r) = (f64::from(i) * 2.4, 0.02 * f64::from(i).sqrt());
            (centre.cos() + 2.0 * r * a.cos(), centre.sin() + 2.0 * r * a.sin())
        });
        plot.group(Group::new(format!("{class}"), class as usize, points))
    });
    report.plot("ten", "Ten classes.", &ten.equal_units())?;
    let bars = Bars::new("error (%)", ["EP-NL", "LLGC", "Harmonic", "1-NN"])
        .series(
            "unlabelled",
            [(14.2, Some(3.9)), (16.5, Some(1.4)), (23.1, Some(4.0)), (24.0, Some(1.0))],
        )
        .series("new", [(15.0, Some(3.0)), (17.5, Some(1.0)), (25.0, Some(4.4)), (24.4, Some(1.2))])
        .paper(0, 0, 14.46)
        .paper(1, 0, 16.02)
        .paper(2, 0, 23.98);
    report.plot("bars", "Errors of four methods.", &bars)?;
    let mixture = moon(0)
        .chain(moon(1))
        .step_by(12)
        .enumerate()
        .fold(ComponentMap::new("λ").points(moon(0).chain(moon(1))), |map, (number, centre)| {
            let share = number as f64 / 13.0;
            map.component(centre, (0.03, 0.02 - 0.04 * share, 0.03), 0.5 + share, share)
        })
        .group(Group::new("labelled 1", 1, [(1.9, 0.1)]).emphasised());
    report.plot("components", "Components of a mixture.", &mixture)?;
    Ok(())
}

fn fields(report: &mut Report) -> Result<()> {
    let grid: Vec<f64> = (0..40).map(|i| 10f64.powf(-1.0 + 3.0 * f64::from(i) / 39.0)).collect();
    let linear: Vec<f64> = (0..30).map(|i| -1.5 + 0.1 * f64::from(i)).collect();
    let values = Array2::from_shape_fn((30, 40), |(row, column)| {
        let (a, b) = (grid[column].ln() - 1.0, linear[row] - 0.2);
        -14.0 - 0.5 * a * a - 3.0 * b * b - a * b
    });
    let evidence = HeatMap::new(grid, linear, values)
        .log_x()
        .labels("σ", "log β", "log evidence")
        .contours([-15.0, -17.0, -20.0, -25.0])
        .mark(std::f64::consts::E, 0.2, "optimum −14.0");
    let axis: Vec<f64> = (0..48).map(|i| -2.0 + 4.0 * f64::from(i) / 47.0).collect();
    let probability = Array2::from_shape_fn((48, 48), |(row, column)| {
        1.0 / (1.0 + (-4.0 * (axis[row] - axis[column].sin())).exp())
    });
    let mean = HeatMap::new(axis.clone(), axis, probability)
        .labels("x₁", "x₂", "p(class 1)")
        .colours(ColourMap::Diverging)
        .range(0.0, 1.0)
        .contours([0.5])
        .group(Group::new("labelled 0", 0, [(-1.0, -1.5)]).emphasised())
        .group(Group::new("labelled 1", 1, [(1.0, 1.5)]).emphasised());
    let entropy = (0..200).map(|i| 0.05 + 0.01 * f64::from(i));
    let curve =
        |shift: f64| entropy.clone().map(move |s| (s, 0.4 + shift + 0.3 * (s - 0.8) * (s - 0.8)));
    let curves = LineChart::new("σ", "entropy (bits)")
        .series(Series::new("ε = 0.1", curve(0.1)).smooth())
        .series(Series::new("ε = 0.01", curve(0.0)).smooth())
        .mark(0.8, 0.4, "σ = 0.8")
        .log_x();
    report.section("Figure 3: fields", "Functions of one and two variables.");
    report.plot("evidence", "Evidence with its optimum.", &evidence)?;
    report.plot("mean", "A predicted probability.", &mean)?;
    report.plot("entropy", "Entropy against σ.", &curves)?;
    Ok(())
}

fn images(report: &mut Report) -> Result<()> {
    let digit = |shift: f64| {
        Array2::from_shape_fn((16, 16), |(row, column)| {
            let (y, x) = (row as f64 - 7.5, column as f64 - 7.5);
            255.0 * (-(x + shift * y).powi(2) / 3.0).exp() * (-(y / 6.0).powi(6)).exp()
        })
    };
    let plot = [0.0, 0.2, 0.4, 0.6]
        .iter()
        .fold(ImageGrid::new(4), |plot, &shift| plot.image(format!("shear {shift}"), digit(shift)));
    report.section("Figure 4: images", "Grey images on one scale.");
    report.plot("images", "Four strokes of 16 × 16 pixels.", &plot)?;
    let own = (0..14).fold(ImageGrid::new(7).colours(ColourMap::Ink).own_ranges(), |plot, i| {
        plot.image(format!("{i}"), digit(0.1 * f64::from(i)) * f64::from(i + 1))
    });
    report.plot("images-own", "Each on its own scale.", &own)?;
    Ok(())
}
