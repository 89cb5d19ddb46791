//! Expected fields beside computed ones.

use crate::schema::Case;
use crate::{Fields, Verdict};
use serde_json::Value;

/// The worst deviation met so far, as a share of what is allowed.
struct Worst {
    share: f64,
    words: String,
}

/// Compares every expected field with the computed one of the same name.
pub(crate) fn fields(case: &Case, got: &Fields) -> Verdict {
    let mut worst = Worst { share: 0.0, words: String::new() };
    for (name, want) in &case.expected {
        if name == "accept_error" {
            continue;
        }
        let Some(got) = got.get(name) else {
            return Verdict::Fail(format!("{name}: expected, but not computed"));
        };
        if let Err(words) = value(case, name, want, got, &mut worst) {
            return Verdict::Fail(words);
        }
    }
    if worst.share > 1.0 || worst.share.is_nan() {
        Verdict::Fail(worst.words)
    } else if worst.words.is_empty() {
        Verdict::Ok("exact".to_owned())
    } else {
        Verdict::Ok(format!("worst {}", worst.words))
    }
}

fn value(
    case: &Case,
    path: &str,
    want: &Value,
    got: &Value,
    worst: &mut Worst,
) -> Result<(), String> {
    match (want, got) {
        (Value::Object(want), Value::Object(got)) => {
            for (name, want) in want {
                let inner = format!("{path}.{name}");
                let got = got.get(name).ok_or_else(|| format!("{inner}: not computed"))?;
                value(case, &inner, want, got, worst)?;
            }
            Ok(())
        }
        (Value::Array(want), Value::Array(got)) => {
            if want.len() != got.len() {
                return Err(format!("{path}: {} values expected, {} got", want.len(), got.len()));
            }
            want.iter().zip(got).try_for_each(|(want, got)| match (want, got) {
                // A list of objects has one tolerance, under the list's own name.
                (Value::Object(want), Value::Object(got)) => {
                    want.iter().try_for_each(|(name, want)| {
                        let got =
                            got.get(name).ok_or_else(|| format!("{path}.{name}: not computed"))?;
                        value(case, path, want, got, worst)
                    })
                }
                _ => value(case, path, want, got, worst),
            })
        }
        (Value::Number(want), Value::Number(got)) if want.is_f64() => {
            let (Some(want), Some(got)) = (want.as_f64(), got.as_f64()) else {
                return Err(format!("{path}: {got} is not a number"));
            };
            let error = (got - want).abs();
            let allowed = case.tolerance.atol.get(path).copied().unwrap_or(0.0)
                + case.tolerance.rtol * want.abs();
            let share = if error > 0.0 || error.is_nan() { error / allowed } else { 0.0 };
            if share > worst.share || share.is_nan() {
                worst.share = share;
                worst.words = format!(
                    "{path}: error {error:.2e}, tolerance {allowed:.2e} (expected {want}, got {got})"
                );
            }
            Ok(())
        }
        (Value::Number(want), Value::Number(got)) => {
            if want.as_f64() == got.as_f64() {
                Ok(())
            } else {
                Err(format!("{path}: {want} expected, {got} got"))
            }
        }
        (want, got) if want == got => Ok(()),
        (want, got) => Err(format!("{path}: {want} expected, {got} got")),
    }
}
