//! An axis: a range, linear or logarithmic, with round tick values.

use crate::{ReportError, Result};

/// An axis over a range of numbers.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    log: bool,
    /// Tick values with their labels; `None` chooses round numbers.
    ticks: Option<Vec<(f64, String)>>,
}

impl Axis {
    /// An axis that covers all the numbers, with a margin of `margin` of its length at both ends.
    /// A single number gets room around it.
    pub(super) fn covering(
        numbers: impl IntoIterator<Item = f64>,
        log: bool,
        margin: f64,
    ) -> Result<Self> {
        let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
        for number in numbers {
            if !number.is_finite() {
                return Err(ReportError::NotFinite { value: number });
            }
            if log && number <= 0.0 {
                return Err(ReportError::NotPositive { value: number });
            }
            low = low.min(number);
            high = high.max(number);
        }
        if low > high {
            return Err(ReportError::NothingToDraw);
        }
        let place = |number: f64| if log { number.ln() } else { number };
        let back = |place: f64| if log { place.exp() } else { place };
        let (mut from, mut to) = (place(low), place(high));
        if to - from <= 1e-12 * from.abs().max(to.abs()) {
            let room = if log { 0.5 } else { 0.5 * from.abs().max(1e-3) };
            (from, to) = (from - room, to + room);
        }
        let room = margin * (to - from);
        Ok(Self { low: back(from - room), high: back(to + room), log, ticks: None })
    }

    /// The axis from one number to another, without margin.
    pub(super) fn exact(low: f64, high: f64, log: bool) -> Result<Self> {
        Self::covering([low, high], log, 0.0)
    }

    /// The same axis with ticks of the caller's choice.
    pub(super) fn ticks(mut self, ticks: Vec<(f64, String)>) -> Self {
        self.ticks = Some(ticks);
        self
    }

    /// Whether the ticks have names of the caller's choice.
    pub(super) fn is_named(&self) -> bool {
        self.ticks.is_some()
    }

    pub(super) fn length(&self) -> f64 {
        self.high - self.low
    }

    pub(super) fn low(&self) -> f64 {
        self.low
    }

    pub(super) fn high(&self) -> f64 {
        self.high
    }

    /// The same centre, but `length` long; only for linear axes.
    pub(super) fn stretched(&self, length: f64) -> Self {
        let centre = 0.5 * (self.low + self.high);
        Self { low: centre - 0.5 * length, high: centre + 0.5 * length, ..self.clone() }
    }

    /// How far along the axis a number lies: 0 at its low end, 1 at its high end.
    pub(super) fn share(&self, value: f64) -> f64 {
        if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        }
    }

    /// At most about `count` tick values.
    pub(super) fn tick_values(&self, count: usize) -> Vec<f64> {
        match &self.ticks {
            Some(ticks) => ticks.iter().map(|&(value, _)| value).collect(),
            None if self.log && self.high / self.low >= 8.0 => {
                log_ticks(self.low, self.high, count)
            }
            None => linear_ticks(self.low, self.high, count),
        }
    }

    /// The label of a tick.
    pub(super) fn label(&self, value: f64) -> String {
        let named = self.ticks.as_ref().and_then(|ticks| {
            let near = |tick: f64| (tick - value).abs() <= 1e-9 * self.length().abs();
            ticks.iter().find(|(tick, _)| near(*tick)).map(|(_, name)| name.clone())
        });
        named.unwrap_or_else(|| {
            // A tick meant as zero may be off by rounding.
            let value = if value.abs() < 1e-9 * self.length() { 0.0 } else { value };
            crate::format::number(value)
        })
    }
}

/// Multiples of 1, 2 or 5 times a power of ten.
fn linear_ticks(low: f64, high: f64, count: usize) -> Vec<f64> {
    let rough = (high - low) / count.max(2) as f64;
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].iter().map(|m| m * power).find(|s| *s >= rough);
    let step = step.unwrap_or(10.0 * power);
    let (first, last) = ((low / step - 1e-9).ceil() as i64, (high / step + 1e-9).floor() as i64);
    (first..=last).map(|k| k as f64 * step).collect()
}

/// Powers of ten, with their two- and fivefold where there is room.
fn log_ticks(low: f64, high: f64, count: usize) -> Vec<f64> {
    let (first, last) = (low.log10().floor() as i32, high.log10().ceil() as i32);
    let within = |values: &[f64], every: usize| -> Vec<f64> {
        (first..=last)
            .step_by(every)
            .flat_map(|power| values.iter().map(move |m| m * 10f64.powi(power)))
            .filter(|tick| (low * (1.0 - 1e-9)..=high * (1.0 + 1e-9)).contains(tick))
            .collect()
    };
    let choices =
        [(&[1.0, 2.0, 5.0][..], 1), (&[1.0, 3.0], 1), (&[1.0], 1), (&[1.0], 2), (&[1.0], 4)];
    choices
        .iter()
        .map(|&(values, every)| within(values, every))
        .find(|ticks| ticks.len() <= count.max(2))
        .unwrap_or_else(|| within(&[1.0], 8))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn ticks_are_round() {
        let labels = |low, high, log| {
            let axis = Axis::exact(low, high, log).expect("a good range");
            axis.tick_values(8).iter().map(|&t| axis.label(t)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(labels(0.0, 1.0, false), "0 0.2 0.4 0.6 0.8 1");
        assert_eq!(labels(-0.31, 0.29, false), "-0.3 -0.2 -0.1 0 0.1 0.2");
        assert_eq!(labels(2.0, 100.0, true), "2 5 10 20 50 100");
        assert_eq!(labels(1.0, 1e6, true), "1 10 100 1000 10000 100000 1000000");
        assert_eq!(labels(3.0, 7.0, true), "3 3.5 4 4.5 5 5.5 6 6.5 7");
    }

    #[test]
    fn bad_numbers_are_refused() {
        for (numbers, log) in
            [(&[][..], false), (&[1.0, f64::NAN], false), (&[f64::INFINITY], false), (&[0.0], true)]
        {
            assert!(Axis::covering(numbers.iter().copied(), log, 0.05).is_err(), "{numbers:?}");
        }
    }

    proptest! {
        #[test]
        fn every_number_is_on_the_axis_and_ticks_are_few(
            numbers in prop::collection::vec(-1e6..1e6f64, 1..20),
            log: bool,
        ) {
            let numbers: Vec<f64> =
                numbers.iter().map(|&n| if log { n.abs() + 1e-3 } else { n }).collect();
            let axis = Axis::covering(numbers.iter().copied(), log, 0.04).expect("finite");
            for number in &numbers {
                prop_assert!((0.0..=1.0).contains(&axis.share(*number)));
            }
            let ticks = axis.tick_values(8);
            prop_assert!(ticks.len() <= 10, "{ticks:?}");
            for tick in ticks {
                prop_assert!((-1e-6..=1.0 + 1e-6).contains(&axis.share(tick)), "{tick}");
            }
        }
    }
}
