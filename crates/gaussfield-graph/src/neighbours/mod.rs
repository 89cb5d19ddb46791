//! Nearest neighbours, exact or by name approximate.

mod cells;
mod centres;
mod frame;
mod inverted;
mod kdtree;
mod meter;
mod nearest;
mod order;
mod products;
mod screen;
mod tile;

use crate::checks::check_node_count;
use crate::metric::Space;
use crate::{GraphError, Metric, Pattern, Symmetry};
pub use cells::{Cells, Recall};
use gaussfield_core::{Budget, OverBudget};
use gaussfield_points::{Points, Rows};
use inverted::InvertedScreen;
use kdtree::KdTree;
pub(crate) use meter::Meter;
use ndarray::ArrayView2;
use products::Products;
pub(crate) use screen::Found;
use serde::{Deserialize, Serialize};

/// Dense points of at most this many dimensions are searched by kd-tree under [`Search::Auto`].
const KD_TREE_DIMENSIONS: usize = 10;

/// Queries of a tree that are answered together.
const TREE_ROWS: usize = 256;

/// How neighbours are looked for. All methods but [`Search::Cells`] are exact and find the same
/// lists; only the time differs. That one is never chosen by [`Search::Auto`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Search {
    /// Dense rows: kd-tree up to ten dimensions, blocked matrix products beyond. Sparse rows:
    /// inverted index.
    #[default]
    Auto,
    /// All pairs by matrix products in `f32`, each product once where points are searched among
    /// themselves: O(n²d), or O(n²p) where p < d directions hold most of the variation. What may be
    /// nearer than the k found so far, by a bound on the `f32` error, is ranked in `f64`: nothing is
    /// missed. Dense rows only.
    BlockedGemm,
    /// About O(n log n) in few dimensions, O(n²) in many. Dense rows only.
    KdTree,
    /// Only points that share a feature are touched: O(Σ over features of (points that have
    /// it)²) and an O(n) scan for each point. Sparse rows only; both metrics.
    InvertedIndex,
    /// Approximate: each point is compared with those of a few cells, O(n·(cells + points
    /// looked at)·d). What was found is told by [`Neighbours::recall`]. Dense rows only.
    Cells(Cells),
}

impl Search {
    /// What is done for these points: itself, or what [`Search::Auto`] stands for.
    pub fn on(self, points: &Points) -> Self {
        match (self, points.rows()) {
            (Self::Auto, Rows::Sparse(_)) => Self::InvertedIndex,
            (Self::Auto, Rows::Dense(rows)) if rows.ncols() <= KD_TREE_DIMENSIONS => Self::KdTree,
            (Self::Auto, Rows::Dense(_)) => Self::BlockedGemm,
            (named, _) => named,
        }
    }
}

/// How neighbours are looked for, and the memory that it may take.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct SearchOptions {
    /// The method. Default: [`Search::Auto`].
    pub search: Search,
    /// Memory for lists and for copies of the points. Default: 4 GiB.
    pub budget: Budget,
}

impl From<Search> for SearchOptions {
    fn from(search: Search) -> Self {
        Self { search, ..Self::default() }
    }
}

impl From<Budget> for SearchOptions {
    fn from(budget: Budget) -> Self {
        Self { budget, ..Self::default() }
    }
}

/// For each point its nearest neighbours, sorted by (distance, index).
///
/// The lists are exact (under [`Search::Cells`] exact among the points looked at), ties go to the
/// lower index, and a point is never in its own list
/// (excluded by index, so that duplicates are neighbours of each other). Lists of some k serve
/// every smaller k: [`Neighbours::pattern`] cuts them.
///
/// ```
/// use gaussfield_graph::{Metric, Neighbours, Search};
/// use gaussfield_points::Points;
/// use ndarray::array;
///
/// let points = Points::dense(array![[0.0], [1.0], [3.0], [7.0]])?;
/// let neighbours = Neighbours::search(&points, Metric::Euclidean, 2, Search::Auto)?;
/// assert_eq!(neighbours.indices(2), [1, 0]);
/// assert_eq!(neighbours.distances(2), [2.0, 3.0]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct Neighbours {
    /// Those searched among.
    points: Points,
    k: usize,
    metric: Metric,
    self_search: bool,
    indices: Vec<u32>,
    distances: Vec<f64>,
    /// How an approximate search was made, and how good it was.
    approximate: Option<(Cells, Recall)>,
}

impl Neighbours {
    /// The k nearest other points of each point.
    ///
    /// # Errors
    /// k = 0 or k ≥ n ([`GraphError::BadNeighbourCount`]), a zero row under the cosine metric, a
    /// method that does not read the storage of the points, or lists over the budget.
    pub fn search(
        points: &Points,
        metric: Metric,
        k: usize,
        options: impl Into<SearchOptions>,
    ) -> Result<Self, GraphError> {
        let SearchOptions { search, budget } = options.into();
        check_count(k, points.len(), points.len().saturating_sub(1))?;
        let rest = search.reserve(points.len(), reserve_copies(points, budget)?)?;
        reserve_lists(points.len(), k, rest)?;
        let space = Space::new(points, metric)?;
        Self::run(points, (&space, &space), k, true, search)
    }

    /// The k nearest of `points` for each of `queries`, which may have another storage.
    ///
    /// # Errors
    /// k = 0 or k > n, points of different dimensions, and as [`Neighbours::search`].
    pub fn query(
        points: &Points,
        queries: &Points,
        metric: Metric,
        k: usize,
        options: impl Into<SearchOptions>,
    ) -> Result<Self, GraphError> {
        let SearchOptions { search, budget } = options.into();
        queries.check_dim(points.dim())?;
        check_count(k, points.len(), points.len())?;
        let mut rest = reserve_copies(queries, reserve_copies(points, budget)?)?;
        if let (Rows::Dense(_), Rows::Sparse(_)) = (points.rows(), queries.rows()) {
            rest = rest.matrix("the queries as dense rows", 3 * queries.len(), queries.dim())?;
        }
        rest = search.reserve(queries.len(), rest)?;
        reserve_lists(queries.len(), k, rest)?;
        let (space, of_queries) = Space::pair(points, queries, metric)?;
        Self::run(points, (&space, &of_queries), k, false, search)
    }

    fn run(
        searched: &Points,
        (points, queries): (&Space, &Space),
        k: usize,
        self_search: bool,
        method: Search,
    ) -> Result<Self, GraphError> {
        let mut approximate = None;
        let (indices, distances) = match engine(points, queries, self_search, method)? {
            Engine::Tree(tree) => flat(screen::by_blocks(queries.len(), TREE_ROWS, |rows| {
                let own = |i: usize| self_search.then_some(i as u32);
                Ok(rows.map(|i| tree.nearest(points, (queries, i), k, own(i))).collect())
            })?),
            Engine::Products(products) => products.k_nearest((points, queries), k)?,
            Engine::Index(screen) => {
                flat(screen::k_nearest(&screen, points, queries, k, self_search)?)
            }
            Engine::Cells(cells, of_points, of_queries) => {
                let rows = (of_points, of_queries);
                let (indices, distances, recall) = cells.k_nearest((points, queries), rows, k)?;
                approximate = Some((cells, recall));
                (indices, distances)
            }
        };
        let (points, metric) = (searched.clone(), points.metric);
        Ok(Self { points, k, metric, self_search, indices, distances, approximate })
    }

    /// How many of the true neighbours were found, measured on some of the lists; `None` for exact
    /// searches, which find all.
    ///
    /// ```
    /// use gaussfield_graph::{Cells, Metric, Neighbours, Search};
    /// use gaussfield_points::Points;
    /// use ndarray::Array2;
    ///
    /// let rows = Array2::from_shape_fn((600, 12), |(i, j)| ((i * (j + 3)) as f64).sin());
    /// let points = Points::dense(rows)?;
    /// let search = Search::Cells(Cells { probes: 2, cells: Some(10) });
    /// let found = Neighbours::search(&points, Metric::Euclidean, 5, search)?;
    /// let recall = found.recall().ok_or("an approximate search tells its recall")?;
    /// assert!(recall.share > 0.5 && recall.sample == 600);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn recall(&self) -> Option<Recall> {
        self.approximate.map(|(_, recall)| recall)
    }

    /// How an approximate search was made, and how good it was.
    pub(crate) fn approximate(&self) -> Option<(Cells, Recall)> {
        self.approximate
    }

    /// The length of each list.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The number of lists.
    pub fn len(&self) -> usize {
        self.indices.len() / self.k
    }

    /// Whether there is no list.
    pub fn is_empty(&self) -> bool {
        self.indices.is_empty()
    }

    /// The metric of the search.
    pub fn metric(&self) -> Metric {
        self.metric
    }

    /// The neighbours of point or query `i`, nearest first.
    ///
    /// # Panics
    /// If there is no list `i`.
    pub fn indices(&self, i: usize) -> &[u32] {
        &self.indices[i * self.k..(i + 1) * self.k]
    }

    /// Their distances, in the same order.
    ///
    /// # Panics
    /// If there is no list `i`.
    pub fn distances(&self, i: usize) -> &[f64] {
        &self.distances[i * self.k..(i + 1) * self.k]
    }

    /// The points that were searched.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// The pattern of the first k neighbours of each point, without a new search. O(n·k·log k).
    ///
    /// # Errors
    /// k = 0, k longer than the lists, or lists of a query.
    pub fn pattern(&self, k: usize, symmetry: Symmetry) -> Result<Pattern, GraphError> {
        if !self.self_search {
            return Err(GraphError::NotASelfSearch);
        }
        if k == 0 {
            let (points, most) = (self.points.len(), self.k);
            return Err(GraphError::BadNeighbourCount { k, points, most });
        }
        if k > self.k {
            return Err(GraphError::ListsTooShort { k, kept: self.k });
        }
        Ok(Pattern::from_neighbours(self, k, symmetry))
    }
}

/// For each point all others within `eps`, by increasing index.
pub(crate) fn ball(
    points: &Points,
    metric: Metric,
    eps: f64,
    SearchOptions { search, budget }: SearchOptions,
) -> Result<Vec<Vec<Found>>, GraphError> {
    let meter = Meter::new(reserve_copies(points, budget)?);
    let space = Space::new(points, metric)?;
    let mut lists = match engine(&space, &space, true, search)? {
        Engine::Tree(tree) => screen::by_blocks(points.len(), TREE_ROWS, |rows| {
            let lists = rows.map(|i| meter.kept(tree.within(&space, (&space, i), eps)));
            Ok(lists.collect::<Result<_, _>>()?)
        }),
        Engine::Products(products) => products.within((&space, &space), eps, &meter),
        Engine::Index(screen) => screen::within_radius(&screen, &space, &space, eps, &meter),
        Engine::Cells(..) => Err(GraphError::NotForBalls { method: search }),
    }?;
    for (i, list) in lists.iter_mut().enumerate() {
        list.retain(|&(_, j)| j as usize != i);
    }
    Ok(lists)
}

/// Lists one after the other.
fn flat(lists: Vec<Vec<Found>>) -> (Vec<u32>, Vec<f64>) {
    lists.into_iter().flatten().map(|(distance, index)| (index, distance)).unzip()
}

impl Search {
    /// Takes what a method needs beside lists and copies of the points.
    fn reserve(self, queries: usize, budget: Budget) -> Result<Budget, OverBudget> {
        match self {
            Self::Cells(cells) => budget.take("the cells of the points", cells.bytes(queries)),
            _ => Ok(budget),
        }
    }
}

enum Engine<'a> {
    Tree(KdTree),
    Products(Box<Products>),
    Index(InvertedScreen<'a>),
    Cells(Cells, ArrayView2<'a, f64>, Option<ArrayView2<'a, f64>>),
}

fn engine<'a>(
    points: &'a Space,
    queries: &'a Space,
    self_search: bool,
    method: Search,
) -> Result<Engine<'a>, GraphError> {
    let wrong = |needs| GraphError::WrongStorage { method, needs };
    match (points.points().rows(), queries.points().rows()) {
        (Rows::Dense(p), Rows::Dense(q)) => match method.on(points.points()) {
            Search::InvertedIndex => Err(wrong("sparse")),
            Search::KdTree => Ok(Engine::Tree(KdTree::new(p.view()))),
            Search::Cells(cells) => {
                Ok(Engine::Cells(cells, p.view(), (!self_search).then(|| q.view())))
            }
            _ => {
                let queries = (!self_search).then(|| q.view());
                Ok(Engine::Products(Box::new(Products::new(points, p.view(), queries))))
            }
        },
        (Rows::Sparse(p), Rows::Sparse(q)) => match method {
            Search::KdTree | Search::BlockedGemm | Search::Cells(_) => Err(wrong("dense")),
            _ => Ok(Engine::Index(InvertedScreen::new(points, p, q))),
        },
        _ => Err(wrong("equally stored")),
    }
}

/// Takes what the copies of the points need that a search works on: normalised, about the mean, in
/// the order of a tree or of the features.
pub(crate) fn reserve_copies(points: &Points, budget: Budget) -> Result<Budget, OverBudget> {
    let bytes = points.bytes().saturating_mul(3);
    budget.take("the copies of the points that a search works on", bytes)
}

/// Takes k neighbours of each of so many points, once as found and once as kept.
fn reserve_lists(queries: usize, k: usize, budget: Budget) -> Result<Budget, OverBudget> {
    // And the candidates that wait for their distances.
    let each = 28_u64.saturating_mul(k as u64).saturating_add(144);
    budget.take("the lists of neighbours", each.saturating_mul(queries as u64))
}

fn check_count(k: usize, points: usize, most: usize) -> Result<(), GraphError> {
    check_node_count(points)?;
    if k == 0 || k > most {
        return Err(GraphError::BadNeighbourCount { k, points, most });
    }
    Ok(())
}
