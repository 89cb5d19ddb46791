//! Data: from files, formulas and catalogues to points and labels.
//!
//! Semi-supervised learning starts from n points of which l carry a label, l ≪ n. This crate
//! brings them: a [`Dataset`] is points $`x_1, …, x_n \in \mathbb{R}^d`$ with the classes that
//! the source knows, and a split says which l of these classes a method may see.
//!
//! - [`read`]: CSV, Parquet and Arrow (feature `columnar`), NumPy, SciPy, idx, svmlight, MATLAB, edge
//!   lists, Matrix Market, folders of text, and the layouts of optdigits, USPS, 20 Newsgroups,
//!   Reuters-21578 and citation graphs.
//! - [`generate`]: seeded point sets with a known truth, such as two moons or a spiral.
//! - [`split`]: which labels a trial sees, drawn once and stored.
//! - [`catalog`]: real collections by name, with citation, licence and checksum.
//!
//! Readers keep what the file says: class names stay text, an absent label is absent and not a
//! number, and a value that cannot be is an error that names file, line, column and remedy.
//! Nothing here knows of graphs: a ready-made graph is read as a plain [`EdgeList`].
//!
//! ```
//! use gaussfield_data::read::csv::CsvOptions;
//! use std::path::Path;
//!
//! let text = b"x,y,kind\n0,0,red\n0,1,\n5,5,blue\n5,6,\n";
//! let data = CsvOptions::new().label("kind").parse(Path::new("points.csv"), text)?;
//! assert_eq!((data.len(), data.dim(), data.classes()), (4, 2, 2));
//! assert_eq!(data.labels.labelled(), [0, 2]); // the boundary
//! assert_eq!(data.labels.unlabelled(), [1, 3]); // the interior
//! # Ok::<(), gaussfield_data::DataError>(())
//! ```

#![forbid(unsafe_code)]

pub mod catalog;
mod dataset;
mod error;
pub mod generate;
pub mod read;
pub mod split;

pub use dataset::{Dataset, EdgeList, KeptColumn};
pub use error::DataError;
