//! Model files: unchanged, known and whole, or refused.

use crate::common::{blobs, first_labelled};
use gaussfield_core::files::faults::{Fault, Faults};
use gaussfield_core::files::{Format, is_sealed};
use gaussfield_labels::{Decision, Named as _};
use gaussfield_mixture::{
    Assignment, Covariance, Em, Family, Keep, Mixture, MixtureError, Model, Prototypes,
};
use gaussfield_points::Points;
use ndarray::{Array2, array};
use std::fs;

fn names() -> Vec<String> {
    vec!["a".to_owned(), "b".to_owned()]
}

fn prototypes(width: f64) -> Model {
    let centres = array![[0.0, 1.0], [2.0, 3.0]];
    let prototypes = Prototypes::new(centres, Assignment::Soft { width }).unwrap();
    Model::new(prototypes.into(), Array2::eye(2), names(), Keep::All).unwrap()
}

fn mixture() -> Model {
    let points = Points::dense(blobs(40, 2, 2, 5)).unwrap();
    let em = Em::new(Family::gaussian(Covariance::Full), 3);
    let mixture: Mixture = em.fit(&points, &first_labelled(40, 4, 2)).unwrap().mixture;
    let (lambda, names) = (mixture.lambda().to_owned(), mixture.class_names().to_vec());
    Model::new(mixture.into(), lambda, names, Keep::Largest(2)).unwrap()
}

fn written(model: &Model) -> Vec<u8> {
    let mut file = Vec::new();
    model.write(&mut file).unwrap();
    file
}

/// The file with another content, as a program that seals everything would write it.
fn with_content(file: &[u8], change: impl Fn(String) -> String) -> Vec<u8> {
    const FORMAT: Format = Format { name: "gaussfield-mixture", oldest: 4, newest: 4 };
    let content = FORMAT.open(file).unwrap().content;
    FORMAT.seal(change(String::from_utf8(content.to_vec()).unwrap()).as_bytes())
}

#[test]
fn one_flipped_bit_anywhere_is_refused() {
    for model in [prototypes(0.5), mixture()] {
        let file = written(&model);
        assert!(is_sealed(&file));
        assert_eq!(Model::read(file.as_slice()).unwrap(), model);
        for bit in 0..8 * file.len() {
            let mut flipped = file.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(Model::read(flipped.as_slice()).is_err(), "bit {bit}");
        }
        for length in 0..file.len() {
            assert!(Model::read(&file[..length]).is_err(), "{length} bytes");
        }
    }
}

#[test]
fn files_that_are_no_model_are_refused() {
    let model = prototypes(0.5);
    let file = written(&model);
    for (from, to) in [
        ("0.5", "-0.5"),
        ("[1.0,0.0,0.0,1.0]", "[2.0,0.0,0.0,1.0]"),
        ("\"dim\":[2,2]", "\"dim\":[2,3]"),
        ("[\"a\",\"b\"]", "[\"a\"]"),
        ("[\"a\",\"b\"]", "[\"a\",\"a\"]"),
        ("\"decision\":\"argmax\"", "\"decision\":{\"above\":1.5}"),
        ("\"decision\":\"argmax\",", ""),
        ("\"names\"", "\"more\":1,\"names\""),
        ("\"centres\"", "\"more\":1,\"centres\""),
        ("{", ""),
    ] {
        let broken = with_content(&file, |text| {
            let broken = text.replacen(from, to, 1);
            assert_ne!(broken, text, "{from} does not occur");
            broken
        });
        assert!(Model::read(broken.as_slice()).is_err(), "{to}");
    }
    assert_eq!(Model::read(with_content(&file, |text| text).as_slice()).unwrap(), model);
    let newer = Format { name: "gaussfield-mixture", oldest: 7, newest: 7 }.seal(b"{}");
    let error = Model::read(newer.as_slice()).unwrap_err();
    assert_eq!(error, MixtureError::Version { found: 7, oldest: 2, newest: 4 });
    let other = Format { name: "something-else", oldest: 4, newest: 4 }.seal(b"{}");
    let error = Model::read(other.as_slice()).unwrap_err().to_string();
    assert!(error.contains("something-else"), "{error}");
    let error = Model::load("no such folder/model").unwrap_err();
    assert!(error.to_string().contains("no such folder/model"), "{error}");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    fs::write(&path, "{}").unwrap();
    let error = Model::load(&path).unwrap_err().to_string();
    assert!(error.contains("model") && error.contains("not valid"), "{error}");
}

#[test]
fn models_of_versions_two_and_three_still_load() {
    let stored = |cut: &str, keep: &str, rule: &str| {
        format!(
            "{{\"format\":\"gaussfield-mixture\",\"version\":2,\"names\":[\"a\",\"b\"],\
             \"keep\":{keep},\"cut\":{cut},\"lambda\":{{\"v\":1,\"dim\":[2,2],\
             \"data\":[1.0,0.0,0.25,0.75]}},\"encoder\":{{\"Prototypes\":{{\"centres\":\
             {{\"v\":1,\"dim\":[2,1],\"data\":[0.0,1.0]}},\"assignment\":{rule}}}}}}}"
        )
    };
    let model = |keep, rule| {
        let prototypes = Prototypes::new(array![[0.0], [1.0]], rule).unwrap();
        let names = vec!["a".to_owned(), "b".to_owned()];
        Model::new(prototypes.into(), array![[1.0, 0.0], [0.25, 0.75]], names, keep).unwrap()
    };
    let back = Model::read(stored("null", "\"All\"", "\"Hard\"").as_bytes()).unwrap();
    assert_eq!(back, model(Keep::All, Assignment::Hard));
    let soft = stored("0.25", "{\"Largest\":1}", "{\"Soft\":{\"width\":0.5}}");
    let want = model(Keep::Largest(1), Assignment::Soft { width: 0.5 });
    let want = want.with_decision(Decision::Above(0.25)).unwrap();
    assert_eq!(Model::read(soft.as_bytes()).unwrap(), want);
    assert!(Model::read(stored("1.5", "\"All\"", "\"Hard\"").as_bytes()).is_err());
    let plain = stored("null", "\"All\"", "\"Hard\"");
    for (from, to) in [
        ("gaussfield-mixture", "something else"),
        ("\"version\":2", "\"version\":3"), // which has a decision
        ("\"version\":2", "\"version\":4"), // which is sealed
        ("\"version\":2", "\"version\":1"),
        ("\"keep\"", "\"more\":1,\"keep\""),
    ] {
        assert!(Model::read(plain.replacen(from, to, 1).as_bytes()).is_err(), "{to}");
    }
    let three = plain.replace("\"version\":2", "\"version\":3");
    let three = three.replace("\"cut\":null", "\"decision\":{\"above\":0.25}");
    let want = model(Keep::All, Assignment::Hard).with_decision(Decision::Above(0.25)).unwrap();
    assert_eq!(Model::read(three.as_bytes()).unwrap(), want);
}

#[test]
fn a_save_that_fails_leaves_the_old_model() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("model");
    let (old, new) = (prototypes(0.5), prototypes(0.25));
    old.save(&path).unwrap();
    let counting = Faults::counting(folder.path());
    old.save(&path).unwrap();
    assert!(counting.all_synced(), "a model that is saved outlasts a loss of power");
    let calls = counting.calls();
    drop(counting);
    for fault in Fault::ALL {
        for call in 0..calls {
            old.save(&path).unwrap();
            let faults = Faults::below(folder.path(), fault, call);
            let saved = new.save(&path);
            assert!(faults.struck());
            drop(faults);
            let found = Model::load(&path).unwrap();
            assert!(found == new || saved.is_err() && found == old, "{fault:?} at {call}");
        }
    }
    // A folder in the way is an error that names it.
    let error = new.save(folder.path()).unwrap_err().to_string();
    assert!(error.contains(&folder.path().display().to_string()), "{error}");
}
