//! Readers: from files to points, labels and edge lists.
//!
//! Each format has a module of its own with two doors: `read(path)` for a file and
//! `parse(path, bytes)` for bytes already in memory, where `path` only names the source in
//! messages. A gzip-compressed file is recognised by its first bytes and unpacked on the fly.
//!
//! No reader panics on any bytes, and none trusts a header: what a header promises is compared
//! with the bytes that are there before memory is asked for. A file that would take more than
//! 4 GiB, unpacked and read, is refused before it is; [`within`] sets another limit.
//!
//! ```
//! use gaussfield_data::read::csv::CsvOptions;
//! use std::path::Path;
//!
//! let text = b"height,width,kind\n1.0,2.0,cat\n3.5,0.5,\n2.0,2.0,dog\n";
//! let data = CsvOptions::new().label("kind").parse(Path::new("pets.csv"), text)?;
//! assert_eq!((data.len(), data.dim()), (3, 2));
//! assert_eq!(data.labels.names(), ["cat", "dog"]);
//! assert_eq!(data.labels.as_slice(), [Some(0), None, Some(1)]); // the empty cell has no label
//!
//! // An error says where and what to do.
//! let bad = b"height,width,kind\n1.0,two,cat\n";
//! let error = CsvOptions::new().label("kind").parse(Path::new("pets.csv"), bad).unwrap_err();
//! assert!(error.to_string().contains("pets.csv, line 2, column \"width\": \"two\""));
//! # Ok::<(), gaussfield_data::DataError>(())
//! ```

pub mod citation;
#[cfg(feature = "columnar")]
pub mod columnar;
pub mod csv;
pub mod edges;
pub mod folder;
pub mod idx;
pub mod keel;
pub mod mat;
pub mod matrix_market;
pub mod newsgroups;
pub mod npy;
pub mod optdigits;
pub mod reuters;
pub mod scipy;
pub mod svmlight;
pub mod text;
pub mod usps;

mod archive;
mod cursor;
mod memory;
mod missing;
mod names;
mod number;
mod records;
mod roles;
mod rows;
mod source;
mod vocabulary;

pub use memory::within;
pub use missing::Impute;
