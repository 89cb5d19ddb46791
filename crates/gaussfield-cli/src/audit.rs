//! `gaussfield audit`: which labels are probably wrong.

use crate::arguments::Audit;
use crate::failure::Failure;
use crate::input::{self, Needs};
use crate::listing::{self, Entry, List};
use crate::output::Target;
use crate::plan::plan;
use crate::run::Console;
use crate::{label, summary};
use gaussfield::harmonic::Verdict;

pub(crate) fn run(arguments: &Audit, console: &Console) -> Result<(), Failure> {
    let target = arguments.written.target()?;
    target.iter().try_for_each(Target::check_table)?;
    let table = input::read(&arguments.input, Needs::Labels)?;
    let plan = plan(&arguments.model, &table)?;
    let labelled = label::fit(table, plan, arguments.model.noise)?;
    // A field was asked already; another method is fitted again without some of the labels.
    let audit = match labelled.audit.clone() {
        Some(audit) => audit,
        None => labelled.fitted.audit(arguments.model.noise)?,
    };
    let names = labelled.table.labels.names();
    let mut list = List::new(&["id", "label", "likely", "support", "wrong", "verdict"]);
    let mut counts = [0_usize; 2];
    // A file lists every label, the terminal those to look at.
    let whole = arguments.written.output.is_some();
    for label in &audit {
        let verdict = match label.verdict {
            Verdict::Suspect => "suspect",
            Verdict::Untold => "untold",
            _ => "agrees",
        };
        counts[0] += usize::from(verdict == "suspect");
        counts[1] += usize::from(verdict == "untold");
        if whole || verdict == "suspect" {
            list.row([
                Entry::from(&*labelled.table.ids.of(label.node)),
                Entry::from(names[label.given].as_str()),
                Entry::from(names[label.likely].as_str()),
                Entry::Number(label.support),
                Entry::Number(label.wrong),
                Entry::from(verdict),
            ]);
        }
    }
    let [suspects, untold] = counts;
    let sentence = format!(
        "{}: {suspects} of {} labels are more likely wrong than right, if {} % are wrong in all; of \
         {untold} the others cannot tell",
        console.bold(&labelled.table.name),
        audit.len(),
        100.0 * arguments.model.noise
    );
    let mut facts = summary::facts(&labelled);
    facts.insert("untold".to_owned(), untold.into());
    listing::hand_over(&list, &sentence, facts, (arguments.written.json, target), console)
}
