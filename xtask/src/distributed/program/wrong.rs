//! Wrong input under `mpirun`: one error, from rank 0, that names the place; and all ranks end.

use std::process::Stdio;

use anyhow::ensure;

use super::super::job::{Job, mpirun_in};
use super::{LIMIT, RANKS, Trial, npy};

impl Trial<'_> {
    pub(super) fn wrong(&self, files: &[String]) -> anyhow::Result<()> {
        let wide: Vec<[f64; 3]> = (0..50_u32).map(|i| [f64::from(i), 0.0, 1.0]).collect();
        std::fs::write(self.path("wide.npy"), npy(&wide))?;
        let whole = std::fs::read(self.path(&files[0]))?;
        std::fs::write(self.path("narrow.npy"), &whole)?;
        std::fs::write(self.path("cut.npy"), &whole[..whole.len() - 100])?;
        std::fs::write(self.path("three.npy"), npy(&wide[..3]))?;
        let mut holes = wide.clone();
        holes[31][2] = f64::NAN;
        std::fs::write(self.path("holes.npy"), npy(&holes))?;
        let graph = |names: &[&str]| {
            let files = names.iter().map(|name| name.to_string()).collect::<Vec<_>>();
            (["graph", "--out", "wrong"].to_vec(), files)
        };
        // Two heaps far from each other, one of which has no label.
        let heaps: Vec<[f64; 2]> =
            (0..80_u32).map(|i| [f64::from(i % 40), f64::from(i / 40) * 1e4]).collect();
        std::fs::write(self.path("heaps.npy"), npy(&heaps))?;
        self.words(&["graph", "--out", "heaps"], &["heaps.npy".to_owned()])?;
        let label = |graph: &'static str, more: &[&'static str]| {
            let words = ["label", "--graph", graph, "--labels", "labels.csv", "--out", "wrong"];
            ([&words, more].concat(), Vec::new())
        };
        let cases = [
            (graph(&["narrow.npy", "wide.npy"]), "wide.npy: has 3 columns, but narrow.npy has 2"),
            (graph(&["cut.npy"]), "cut.npy: has"),
            (graph(&["three.npy"]), "member 3 of 4 would have no rows, as there are 3"),
            (graph(&["holes.npy"]), "holes.npy: row 31, column 2 is no finite number"),
            (
                graph(&files[..2].iter().map(String::as_str).collect::<Vec<_>>()),
                "points-00002-of-00003",
            ),
            (label("heaps", &[]), "40 row(s), for example row 40, are linked to no labelled row"),
            // Finite weights; at 1e-4 none is left, and that is another error.
            (label("graph", &["--scale", "3e-3"]), "widen the length scale"),
            (label("graph", &["--memory", "1e-6"]), "of the memory budget are left"),
            (label("nowhere", &[]), "nowhere: holds no finished graph"),
        ];
        for ((words, files), place) in &cases {
            self.one_error(&self.complaint(words, files)?, place)?;
        }
        // Ranks that see different files under the same name, as on machines that share none.
        for (folder, rows) in [("here", 50), ("there", 40)] {
            std::fs::create_dir_all(self.path(folder))?;
            std::fs::write(self.path(folder).join("own.npy"), npy(&wide[..rows]))?;
        }
        let mut words = vec![self.program.as_os_str()];
        words.extend(["graph", "--out", "wrong", "own.npy"].map(std::ffi::OsStr::new));
        let mut job = mpirun_in([&self.path("here"), &self.path("there")], RANKS / 2, &words);
        let said = Job::new(job.stderr(Stdio::piped()))?.complains(LIMIT)?;
        self.one_error(&said, "member 2 sees another list of files")?;
        // A shard is gone.
        std::fs::remove_file(self.path(&files[1]))?;
        let said = self.complaint(&["graph", "--out", "other"], files)?;
        self.one_error(&said, "points-00001-of-00003.npy")?;
        println!(
            "wrong input: {} cases, each with one error that names the place",
            cases.len() + 2
        );
        Ok(())
    }

    fn one_error(&self, said: &str, place: &str) -> anyhow::Result<()> {
        ensure!(said.matches("error: ").count() == 1, "not one error:\n{said}");
        ensure!(said.contains(place), "`{place}` is not named:\n{said}");
        Ok(())
    }
}
