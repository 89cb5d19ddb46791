//! Folds, what is counted, and what is chosen.

use gaussfield_labels::{Folds, Labels, LabelsError, choose, cross_validate};
use proptest::prelude::*;
use std::collections::BTreeSet;

/// Labels of which `None` are unlabelled.
fn labels(classes: &[Option<usize>]) -> Labels {
    Labels::new(classes.to_vec(), ["a", "b", "c"].map(String::from).to_vec()).unwrap()
}

proptest! {
    #[test]
    fn folds_share_the_labels_and_spread_the_classes(
        classes in prop::collection::vec(prop::option::of(0_usize..3), 10..60),
        k in 2_usize..6,
        seed in 0_u64..1000,
    ) {
        let labels = labels(&classes);
        prop_assume!(labels.labelled().len() >= k);
        let parts = Folds::KFold { k, seed }.split(&labels).unwrap();
        prop_assert_eq!(parts.len(), k);
        let mut all: Vec<usize> = parts.concat();
        all.sort_unstable();
        prop_assert_eq!(all, labels.labelled());
        for class in 0..3 {
            let of = |part: &Vec<usize>| part.iter().filter(|&&i| labels.get(i) == Some(class)).count();
            let counts: BTreeSet<usize> = parts.iter().map(of).collect();
            prop_assert!(counts.last().unwrap() - counts.first().unwrap() <= 1);
        }
        let sizes: BTreeSet<usize> = parts.iter().map(Vec::len).collect();
        prop_assert!(sizes.last().unwrap() - sizes.first().unwrap() <= 1);
        prop_assert_eq!(parts, Folds::KFold { k, seed }.split(&labels).unwrap());
    }

    /// Every label is judged once, by a method that has not seen it.
    #[test]
    fn held_out_labels_are_hidden(
        classes in prop::collection::vec(prop::option::of(0_usize..3), 12..30),
        seed in 0_u64..100,
    ) {
        let labels = labels(&classes);
        prop_assume!(labels.labelled().len() >= 3);
        for folds in [Folds::LeaveOneOut, Folds::KFold { k: 3, seed }] {
            let found = cross_validate(&labels, folds, |given, held_out| {
                assert!(held_out.iter().all(|&i| given.get(i).is_none()));
                assert_eq!(given.labelled().len() + held_out.len(), labels.labelled().len());
                Ok::<_, LabelsError>(vec![1; held_out.len()])
            }).unwrap();
            let nodes: Vec<usize> = found.predictions.iter().map(|p| p.0).collect();
            prop_assert_eq!(nodes, labels.labelled());
            let wrong = found.predictions.iter().filter(|p| labels.get(p.0) != Some(p.1)).count();
            prop_assert_eq!(found.errors, wrong);
        }
    }
}

#[test]
fn the_seed_deals_the_folds() {
    let labels = Labels::numbered(&[0, 1].repeat(20), 2).unwrap();
    let split = |seed| Folds::KFold { k: 5, seed }.split(&labels).unwrap();
    assert_ne!(split(1), split(2));
}

#[test]
fn leave_one_out_below_ten_labels() {
    let nine = Labels::numbered(&[0, 1, 0, 1, 0, 1, 0, 1, 0], 2).unwrap();
    let ten = Labels::numbered(&[0, 1].repeat(5), 2).unwrap();
    assert_eq!(Folds::five_or_leave_one_out(&nine, 3), Folds::LeaveOneOut);
    assert_eq!(Folds::five_or_leave_one_out(&ten, 3), Folds::KFold { k: 5, seed: 3 });
    assert_eq!(
        Folds::LeaveOneOut.split(&nine).unwrap(),
        (0..9).map(|i| vec![i]).collect::<Vec<_>>()
    );
}

/// One label of class b: when it is held out, a is all that is left.
#[test]
fn the_only_class_left_is_predicted_without_asking() {
    let labels = labels(&[Some(0), Some(1), Some(0), None]);
    let mut asked = Vec::new();
    let found = cross_validate(&labels, Folds::LeaveOneOut, |_, held_out| {
        asked.push(held_out[0]);
        Ok::<_, LabelsError>(vec![0])
    })
    .unwrap();
    assert_eq!(found.predictions, [(0, 0), (1, 0), (2, 0)]);
    assert_eq!((found.errors, asked), (1, vec![0, 2]));
}

/// The fewest errors win; the first of several.
#[test]
fn the_first_of_the_best_is_chosen() {
    let labels = Labels::numbered(&[0, 1, 0, 1, 1], 2).unwrap();
    // A candidate is the threshold of a rule on the node's number.
    let chosen = choose(&[9, 2, 1, 0], &labels, Folds::LeaveOneOut, |&threshold, _, held_out| {
        Ok::<_, LabelsError>(held_out.iter().map(|&i| usize::from(i > threshold)).collect())
    })
    .unwrap();
    let errors: Vec<usize> = chosen.tried.iter().map(|t| t.errors).collect();
    assert_eq!((errors, chosen.best), (vec![3, 1, 2, 1], 1));
}

/// Errors of the caller pass through as they are.
#[test]
fn a_callers_error_comes_back() {
    #[derive(Debug, PartialEq)]
    enum Mine {
        Labels(LabelsError),
        Own(usize),
    }
    impl From<LabelsError> for Mine {
        fn from(error: LabelsError) -> Self {
            Self::Labels(error)
        }
    }
    let labels = Labels::numbered(&[0, 1, 0, 1], 2).unwrap();
    let result = cross_validate(&labels, Folds::LeaveOneOut, |_, held| Err(Mine::Own(held[0])));
    assert_eq!(result, Err(Mine::Own(0)));
    let result = cross_validate(&labels, Folds::LeaveOneOut, |_, _| Ok::<_, Mine>(vec![0, 1]));
    let length = LabelsError::FoldLength { fold: 0, expected: 1, got: 2 };
    assert_eq!(result, Err(Mine::Labels(length)));
}

#[test]
fn wrong_folds_are_named() {
    let labels = Labels::from_names([Some("a"), Some("b"), Some("a"), None]);
    let single = labels.keep(&[0]).unwrap();
    let never = |_: &Labels, _: &[usize]| Ok::<_, LabelsError>(Vec::new());
    let told =
        |labels: &Labels, folds| cross_validate(labels, folds, never).unwrap_err().to_string();
    let k = |k| told(&labels, Folds::KFold { k, seed: 0 });
    let none = labels.keep(&[]).unwrap();
    let grid: [u8; 0] = [];
    let empty = choose(&grid, &labels, Folds::LeaveOneOut, |_, given, held| never(given, held));
    for (message, words) in [
        (k(0), ["0 folds", "3 labels"]),
        (k(1), ["1 folds", "at least 2"]),
        (k(4), ["4 folds", "3 labels"]),
        (told(&single, Folds::LeaveOneOut), ["1 folds", "1 labels"]),
        (told(&none, Folds::LeaveOneOut), ["no node is labelled", "at least one"]),
        (k(3), ["fold 0 predicted 0 classes", "1 held-out"]),
        (empty.unwrap_err().to_string(), ["grid is empty", "at least one"]),
    ] {
        assert!(
            words.iter().all(|word| message.contains(word)),
            "{message} does not say {words:?}"
        );
    }
}
