//! The guide, chapter by chapter. `mdbook build docs/guide` makes a book of the same text.

macro_rules! chapters {
    ($($name:ident = $file:literal;)*) => {
        $(
            #[doc = include_str!(concat!("guide/", $file))]
            pub mod $name {}
        )*
    };
}

chapters! {
    first_steps = "first-steps.md";
    which_method = "which-method.md";
    graph_and_scale = "graph-and-scale.md";
    trust = "trust.md";
    few_labels = "few-labels.md";
    wrong_labels = "wrong-labels.md";
    what_next = "what-next.md";
    new_points = "new-points.md";
    text_images_graphs = "text-images-graphs.md";
    many_points = "many-points.md";
    python = "python.md";
}
