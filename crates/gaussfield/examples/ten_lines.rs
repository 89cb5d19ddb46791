//! The ten lines of the README: `cargo run -p gaussfield --example ten_lines`, beside a flowers.csv.
#![allow(clippy::print_stdout, reason = "an example shows its result")]
#![allow(clippy::result_large_err, reason = "an error ends the program")]

use gaussfield::data::read::csv::CsvOptions;
use gaussfield::description::Description;

// Visible, so that a test of the README can run it.
pub(crate) fn main() -> Result<(), gaussfield::Error> {
    let data = CsvOptions::new().label("species").id("name").read("flowers.csv")?;
    let plan = Description::automatic(&data.points, &data.labels)?; // each choice with its reason
    let fitted = plan.fit(&data.points, &data.labels)?;
    let names = data.ids.unwrap_or_default();
    for p in fitted.predictions().iter() {
        println!("{}: {} ({:.2})", names[p.row], p.class, p.probability);
    }
    Ok(())
}
