//! Writes the seeds `fitted` and `fitted-content`: models of a few points, to be made anew when the format of
//! their file changes. `cargo run -p gaussfield-fuzz --example seeds`

use gaussfield::data::generate::TwoMoons;
use gaussfield::description::Description;
use gaussfield::points::Points;
use gaussfield_fuzz::formats::seeds_folder;

/// What is fitted: with a rule for new points, with an answer of its own, with a graph on local scales,
/// prepared, and sparse.
const MODELS: [(&str, &str, bool); 5] = [
    ("harmonic", "method.harmonic = {}", false),
    ("nearest", "method.nearest-neighbours.k = 1", false),
    (
        "mixture",
        "method.prototype-mixture = { kmeans = { clusters = 3 }, assignment = { soft = { width = 0.5 } } }",
        false,
    ),
    (
        "prepared",
        "prepare = [\"standardise\"]\ngraph.knn.k = 3\nweights.self-tuning.neighbour = 2\nmethod.dynamics = {}",
        false,
    ),
    ("sparse", "method.harmonic = {}", true),
];

fn main() -> anyhow::Result<()> {
    let data = TwoMoons { n: 12, noise: 0.05 }.generate(3)?;
    let labels = data.labels.keep(&[0, 11])?;
    let mut entries = sprs::TriMat::new((data.len(), data.dim()));
    for ((i, j), &x) in data.points.to_dense().indexed_iter() {
        entries.add_triplet(i, j, x);
    }
    let sparse = Points::sparse(entries.to_csr())?;
    for (name, text, is_sparse) in MODELS {
        let points = if is_sparse { &sparse } else { &data.points };
        let file = Description::from_toml(text)?.fit(points, &labels)?.to_bytes()?;
        let content = file.iter().position(|&byte| byte == b'\n').map_or(0, |end| end + 1);
        for (format, bytes) in [("fitted", &file[..]), ("fitted-content", &file[content..])] {
            let folder = seeds_folder().join(format);
            std::fs::create_dir_all(&folder)?;
            std::fs::write(folder.join(name), bytes)?;
        }
    }
    Ok(())
}
