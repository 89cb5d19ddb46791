//! Splits: every class present, nested trials, stored permutations, refused requests.

use gaussfield_data::DataError;
use gaussfield_data::split::{Split, Trials};
use gaussfield_labels::Labels;
use proptest::prelude::*;

/// Ten nodes of class 0, five of class 1, two of class 2, one without a class.
fn labels() -> Labels {
    let classes = [vec![Some(0); 10], vec![Some(1); 5], vec![Some(2); 2], vec![None]].concat();
    Labels::new(classes, ["a", "b", "c"].map(str::to_owned).to_vec()).unwrap()
}

fn holds_every_class(labels: &Labels, split: &Split) -> bool {
    split.partial(labels).unwrap().counts().iter().all(|&count| count > 0)
}

#[test]
fn random_sets_are_uniform_among_those_with_every_class() {
    // Two labels of {0, 0, 1}: only {0, 2} and {1, 2} hold both classes.
    let labels = Labels::numbered(&[0, 0, 1], 2).unwrap();
    let first = (0..2000)
        .map(|seed| Split::random(&labels, 2, seed).unwrap())
        .inspect(|split| assert_eq!(split.labelled()[1], 2))
        .filter(|split| split.labelled()[0] == 0)
        .count();
    // Binomial(2000, ½): five standard deviations are 112.
    assert!((888..=1112).contains(&first), "{first}");
}

#[test]
fn stratified_and_per_class_have_the_counts_they_promise() {
    let labels = labels();
    let stratified = Split::stratified(&labels, 8, 1).unwrap();
    // Exact shares are 4.7, 2.35 and 0.94 of 8.
    assert_eq!(stratified.partial(&labels).unwrap().counts(), [5, 2, 1]);
    let even = Split::per_class(&labels, 2, 1).unwrap();
    assert_eq!(even.partial(&labels).unwrap().counts(), [2, 2, 2]);
    assert_ne!(even, Split::per_class(&labels, 2, 2).unwrap());
}

#[test]
fn a_class_no_node_has_does_not_count() {
    let names = ["a", "b", "never"].map(str::to_owned).to_vec();
    let labels = Labels::new(vec![Some(0), Some(1), Some(0), None], names).unwrap();
    assert_eq!(Split::random(&labels, 2, 0).unwrap().len(), 2);
    assert_eq!(Split::stratified(&labels, 3, 0).unwrap().labelled(), [0, 1, 2]);
    assert_eq!(Split::per_class(&labels, 1, 0).unwrap().len(), 2);
}

#[test]
fn requests_that_cannot_be_met_are_refused() {
    let labels = labels();
    let nothing = Labels::new(vec![None; 4], vec!["a".to_owned()]).unwrap();
    // One node of each of 40 classes among 120: about one draw in 10¹³ would do.
    let many: Vec<usize> = (0..120).map(|node| node % 40).collect();
    let many = Labels::numbered(&many, 40).unwrap();
    let trials = Trials::draw(&labels, 3, 3..=9, 0).unwrap();
    let backwards = std::ops::RangeInclusive::new(5, 4);
    for (result, needle) in [
        (Split::random(&labels, 2, 0), "between 3, the number of classes, and 17"),
        (Split::random(&labels, 18, 0), "and 17, the number of nodes with a label"),
        (Split::stratified(&labels, 2, 0), "number of classes"),
        (Split::stratified(&labels, 18, 0), "number of nodes"),
        (Split::per_class(&labels, 0, 0), "between 1 and 2"),
        (Split::per_class(&labels, 3, 0), "smallest class"),
        (Split::random(&nothing, 1, 0), "no node is labelled"),
        (trials.split(3, 5), "below 3, the number of trials"),
        (trials.split(0, 2), "3..=9"),
        (trials.split(0, 10), "3..=9"),
        (Trials::draw(&labels, 1, 2..=9, 0).map(|_| unreachable!()), "number of classes"),
        (Trials::draw(&labels, 1, 3..=18, 0).map(|_| unreachable!()), "number of nodes"),
        (Trials::draw(&labels, 1, backwards, 0).map(|_| unreachable!()), "start is not above"),
    ] {
        let error = result.unwrap_err().to_string();
        assert!(error.contains(needle), "{error}");
    }
    let error = Split::random(&many, 40, 0).unwrap_err();
    assert!(matches!(error, DataError::Redraws { labelled: 40, classes: 40, .. }), "{error}");
    assert!(error.to_string().contains("use a stratified split"));
    assert_eq!(Split::stratified(&many, 40, 0).unwrap().len(), 40);
}

#[test]
fn trials_are_stored_and_read_back() {
    let labels = labels();
    let trials = Trials::draw(&labels, 4, 3..=12, 8).unwrap();
    let text = serde_json::to_string(&trials).unwrap();
    assert_eq!(serde_json::from_str::<Trials>(&text).unwrap(), trials);
    assert_eq!((trials.len(), trials.nodes(), trials.sizes()), (4, 18, 3..=12));
    // More trials do not change the first ones.
    let more = Trials::draw(&labels, 9, 3..=12, 8).unwrap();
    assert_eq!(more.split(3, 7).unwrap(), trials.split(3, 7).unwrap());
    assert_ne!(more.split(3, 7).unwrap(), more.split(4, 7).unwrap());

    for bad in [
        r#"{"nodes":3,"smallest":1,"permutations":[[0,1,1]]}"#,
        r#"{"nodes":3,"smallest":1,"permutations":[[0,3]]}"#,
        r#"{"nodes":3,"smallest":1,"permutations":[[0,1],[2]]}"#,
        r#"{"nodes":3,"smallest":3,"permutations":[[0,1]]}"#,
    ] {
        let error = serde_json::from_str::<Trials>(bad).unwrap_err().to_string();
        assert!(error.contains("permutations is trial"), "{error}");
    }
}

proptest! {
    #[test]
    fn draws_have_their_size_every_class_and_no_unlabelled_node(
        seed: u64,
        count in 3_usize..=17,
    ) {
        let labels = labels();
        for split in [
            Split::random(&labels, count, seed).unwrap(),
            Split::stratified(&labels, count, seed).unwrap(),
        ] {
            prop_assert_eq!(split.len(), count);
            prop_assert!(split.labelled().windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(!split.labelled().contains(&17));
            prop_assert!(holds_every_class(&labels, &split));
        }
        prop_assert_eq!(
            Split::random(&labels, count, seed).unwrap(),
            Split::random(&labels, count, seed).unwrap()
        );
    }

    #[test]
    fn trials_are_nested_and_always_hold_every_class(seed: u64, smallest in 3_usize..=6) {
        let labels = labels();
        let trials = Trials::draw(&labels, 3, smallest..=17, seed).unwrap();
        for trial in 0..3 {
            let mut inner = trials.split(trial, smallest).unwrap();
            prop_assert!(holds_every_class(&labels, &inner));
            for count in smallest + 1..=17 {
                let outer = trials.split(trial, count).unwrap();
                prop_assert_eq!(outer.len(), count);
                prop_assert!(inner.labelled().iter().all(|node| outer.labelled().contains(node)));
                inner = outer;
            }
        }
    }
}
