//! What surrounds every command: logs, threads, progress, interruption, the terminal.

use crate::arguments::{Cli, Command, Common};
use crate::failure::Failure;
use crate::{audit, demo, documents, graph, label, model, query, tune};
use console::{Style, Term};
use gaussfield::core::{Progress, Report};
use gaussfield_report::progress::{LogWriter, StageBars};
use serde_json::{Value, json};
use std::io::{IsTerminal as _, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use tracing_subscriber::EnvFilter;

/// Columns of what is no terminal.
const USUAL_WIDTH: usize = 100;

/// Runs the command and gives the exit code.
pub(crate) fn start(cli: Cli) -> ExitCode {
    start_logging(&cli.common);
    let console = Console { quiet: cli.common.quiet };
    if let Some(threads) = cli.common.threads {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(usize::from(threads));
        if let Err(error) = pool.build_global() {
            return console.complain(&Failure::Work(format!("--threads {threads}: {error}")));
        }
    }
    let bars = (!cli.common.quiet && std::io::stderr().is_terminal()).then(StageBars::new);
    let heard = bars.clone();
    let progress = Progress::new(move |report: &Report| {
        if let Some(bars) = &heard {
            bars.hear(report.stage, report.done, report.total);
        }
    });
    stop_on_interrupt(&progress);
    let told = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        // The decoders of Parquet and Arrow give up so on damaged files; the reader says it in words.
        let file = panic.location().map_or("", |place| place.file());
        if !(file.contains("parquet-") || file.contains("arrow-")) {
            told(panic);
        }
    }));
    let done = progress.during(|| match &cli.command {
        Command::Label(arguments) => label::run(arguments, &console),
        Command::Predict(arguments) => model::predict(arguments, &console),
        Command::Tune(arguments) => tune::run(arguments, &console),
        Command::Graph(arguments) => graph::run(arguments, &console),
        Command::Report(arguments) => label::report(arguments, &console),
        Command::Query(arguments) => query::run(arguments, &console),
        Command::Audit(arguments) => audit::run(arguments, &console),
        Command::Demo(arguments) => demo::run(arguments, &console),
        Command::Completions { shell } => documents::completions(*shell, &console),
        Command::Man => documents::manual(&console),
    });
    if let Some(bars) = bars {
        bars.clear();
    }
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) if progress.is_cancelled() => console.complain(&Failure::Interrupted),
        Err(failure) => console.complain(&failure),
    }
}

/// The first interrupt stops the work at its next safe point, the second at once. Files get their
/// names only when they are whole, so that neither leaves half of one.
fn stop_on_interrupt(progress: &Progress) {
    let (progress, again) = (progress.clone(), AtomicBool::new(false));
    let handled = ctrlc::set_handler(move || {
        if again.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
        progress.cancel();
    });
    if let Err(error) = handled {
        tracing::warn!("interrupts end the program at once: {error}");
    }
}

fn start_logging(common: &Common) {
    let level = match (common.quiet, common.verbose) {
        (true, _) => "error",
        (_, 0) => "warn",
        (_, 1) => "info",
        _ => "debug",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(LogWriter::default)
        .with_ansi(std::io::stderr().is_terminal())
        .with_target(false)
        .init();
}

/// Standard output and standard error.
#[derive(Debug, Default, Clone, Copy)]
pub(crate) struct Console {
    quiet: bool,
}

impl Console {
    /// A text on standard output.
    pub(crate) fn print(&self, text: &str) -> Result<(), Failure> {
        self.bytes(format!("{text}\n").as_bytes())
    }

    pub(crate) fn bytes(&self, bytes: &[u8]) -> Result<(), Failure> {
        let mut out = std::io::stdout().lock();
        match out.write_all(bytes).and_then(|()| out.flush()) {
            // Whoever reads has read enough.
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            Err(error) => Err(Failure::Output(format!("standard output: {error}"))),
            Ok(()) => Ok(()),
        }
    }

    /// A text on standard output, or on standard error where the table is on standard output.
    pub(crate) fn tell(&self, text: &str, beside: bool) -> Result<(), Failure> {
        if beside {
            // If standard error is closed there is nobody to tell.
            drop(writeln!(std::io::stderr(), "{text}"));
            return Ok(());
        }
        self.print(text)
    }

    /// Facts for programs, after the name and version of this one.
    pub(crate) fn json(&self, facts: impl Into<Value>, beside: bool) -> Result<(), Failure> {
        let mut all = json!({"program": "gaussfield", "version": env!("CARGO_PKG_VERSION")});
        if let (Value::Object(all), Value::Object(facts)) = (&mut all, facts.into()) {
            all.extend(facts);
        }
        let text = serde_json::to_string_pretty(&all);
        self.tell(&text.map_err(|error| Failure::Work(error.to_string()))?, beside)
    }

    pub(crate) fn tell_unless_quiet(&self, text: &str, beside: bool) -> Result<(), Failure> {
        if self.quiet { Ok(()) } else { self.tell(text, beside) }
    }

    fn complain(&self, failure: &Failure) -> ExitCode {
        let error = Style::new().red().bold().for_stderr().apply_to("error:");
        drop(writeln!(std::io::stderr(), "{error} {failure}"));
        failure.code()
    }

    /// The columns of the terminal.
    pub(crate) fn width(&self) -> usize {
        let term = Term::stdout();
        if term.is_term() { usize::from(term.size().1).clamp(40, 120) } else { USUAL_WIDTH }
    }

    pub(crate) fn bold(&self, words: &str) -> String {
        Style::new().bold().apply_to(words).to_string()
    }

    pub(crate) fn warn(&self, words: &str) -> String {
        Style::new().yellow().bold().apply_to(words).to_string()
    }
}
