//! Shards that are stored column by column.

use crate::points::npy;
use crate::support::clouds;
use gaussfield_core::Budget;
use gaussfield_data::read::columnar::{Column, Layout, write};
use gaussfield_distributed::{read_points, together};
use ndarray::{Array2, Axis, concatenate, s};
use std::path::PathBuf;

const NAMES: [&str; 3] = ["x", "y", "z"];

fn table(rows: &[Vec<Option<f64>>], names: &[&str], layout: Layout) -> Vec<u8> {
    let column = |d: usize| Column::Numbers(rows.iter().map(|row| row[d]).collect());
    let named = names.iter().enumerate().map(|(d, name)| (name.to_string(), column(d)));
    write(named.collect(), layout).unwrap()
}

fn cells(rows: &Array2<f64>) -> Vec<Vec<Option<f64>>> {
    rows.rows().into_iter().map(|row| row.iter().copied().map(Some).collect()).collect()
}

#[test]
fn rows_of_shards_of_every_kind_follow_each_other() {
    let folder = tempfile::tempdir().unwrap();
    let rows = clouds(100, 3);
    let piece = |from: usize, to: usize| rows.slice(s![from..to, ..]).to_owned();
    let files = ["a.parquet", "b.arrow", "c.npy"].map(|name| folder.path().join(name));
    std::fs::write(&files[0], table(&cells(&piece(0, 30)), &NAMES, Layout::Parquet)).unwrap();
    std::fs::write(&files[1], table(&cells(&piece(30, 70)), &NAMES, Layout::Arrow)).unwrap();
    std::fs::write(&files[2], npy(piece(70, 100).view())).unwrap();
    for members in [1, 2, 3, 7] {
        let parts = together(members, |world| {
            let own = read_points(world, &files, Budget::default()).unwrap();
            assert_eq!(own.total, 100);
            (own.first, own.rows)
        });
        let mut before = 0;
        for (first, own) in &parts {
            assert_eq!(*first, before);
            before += own.nrows() as u64;
        }
        let views: Vec<_> = parts.iter().map(|(_, own)| own.view()).collect();
        assert_eq!(concatenate(Axis(0), &views).unwrap(), rows, "{members} members");
    }
}

#[test]
fn wrong_ones_are_named() {
    let folder = tempfile::tempdir().unwrap();
    let put = |name: &str, bytes: &[u8]| -> PathBuf {
        std::fs::write(folder.path().join(name), bytes).unwrap();
        folder.path().join(name)
    };
    let rows = cells(&clouds(20, 3));
    let good = put("good.parquet", &table(&rows, &NAMES, Layout::Parquet));
    let narrow = put("narrow.parquet", &table(&rows, &NAMES[..2], Layout::Parquet));
    let other = put("other.parquet", &table(&rows, &["x", "z", "y"], Layout::Parquet));
    let mut gaps = rows.clone();
    gaps[17][1] = None;
    let gaps = put("gaps.parquet", &table(&gaps, &NAMES, Layout::Parquet));
    let texts = vec![Some("Rome".to_owned()); 20];
    let numbers = Column::Numbers(rows.iter().map(|row| row[0]).collect());
    let columns = vec![("city".to_owned(), Column::Text(texts)), ("x".to_owned(), numbers)];
    let words = put("words.parquet", &write(columns, Layout::Parquet).unwrap());
    let whole = table(&rows, &NAMES, Layout::Parquet);
    let cut = put("cut.parquet", &whole[..whole.len() - 40]);
    let numbered = put("p-00001-of-00002.parquet", &whole);
    for (files, words) in [
        (vec![good.clone(), narrow], "narrow.parquet: has 2 columns, but"),
        (vec![good.clone(), other], "other.parquet: has the column \"z\" where"),
        (vec![good.clone(), gaps], "gaps.parquet: row 18, column \"y\""),
        (vec![words], "words.parquet: column \"city\" holds Utf8"),
        (vec![good.clone(), cut], "cut.parquet"),
        (vec![numbered], "p-00000-of-00002.parquet: is missing: 1 of 2"),
    ] {
        let said = together(2, |world| {
            read_points(world, &files, Budget::default()).unwrap_err().to_string()
        });
        assert_eq!(said[0], said[1]);
        assert!(said[0].contains(words), "{}", said[0]);
    }
    let small = together(2, |world| {
        read_points(world, std::slice::from_ref(&good), Budget { bytes: 300 })
            .unwrap_err()
            .to_string()
    });
    assert!(small[0].contains("good.parquet"), "{}", small[0]);
}
