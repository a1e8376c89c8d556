//! A campaign as a job file of HyperQueue: `hq job submit-file FILE`.

use super::quote::{toml, toml_list};
use super::{Commands, Layout, PlanOptions};
use std::fmt::Write;

/// A task that fails in a way that may pass, or is killed, is retried: HyperQueue itself restarts only what was lost with its worker.
/// What a worker that was lost has left running gives up its journal within seconds, or when it ends.
const RETRY: &str = "for wait in 1 5 15 30 60 120; do \
    \"$@\"; code=$?; \
    case $code in 0) exit 0;; 1|2|101) exit $code;; esac; \
    echo \"ended with $code, retried in $wait s\" >&2; sleep $wait; \
    done; \"$@\"";

/// The job file. `name` is the job's.
pub fn hyperqueue(layout: &Layout, options: &PlanOptions, name: &str) -> String {
    let mut file = JobFile { text: String::new(), tasks: 0, options };
    // Formatting into a text cannot fail.
    let _ = writeln!(file.text, "# Made by 'campaign plan'; submit it with: hq job submit-file FILE");
    let _ = writeln!(file.text, "name = {}", toml(name));
    let commands = Commands(options);
    let rests: Vec<usize> =
        layout.rests.iter().map(|rest| file.task(&rest.name, &commands.only([&rest.name]), &[])).collect();
    for cut in &layout.cut {
        let mut before: Vec<usize> = cut.rest.iter().map(|rest| rests[*rest]).collect();
        for cycle in 0..=cut.cycles {
            let merge = commands.merge(&cut.name, cycle == cut.cycles);
            let merge = file.task(&format!("{}, merge {cycle}", cut.name), &merge, &before);
            if cycle < cut.cycles {
                let shard = |number: usize| {
                    let command = commands.shard(&cut.name, number, cut.shards);
                    file.task(
                        &format!("{}, shard {number}/{} of {}", cut.name, cut.shards, cycle + 1),
                        &command,
                        &[merge],
                    )
                };
                before = (1..=cut.shards).map(shard).collect();
            }
        }
    }
    for bundle in &layout.bundles {
        let names: Vec<&String> = bundle.bakes.iter().map(|(name, _)| name).collect();
        let needs: Vec<usize> = bundle.rests.iter().map(|rest| rests[*rest]).collect();
        let what = match names.as_slice() {
            [one] => (*one).clone(),
            several => format!("{} and {} more", several[0], several.len() - 1),
        };
        file.task(&what, &commands.only(names.iter().copied()), &needs);
    }
    file.text
}

struct JobFile<'a> {
    text: String,
    tasks: usize,
    options: &'a PlanOptions,
}

impl JobFile<'_> {
    /// Adds a task that needs others; its number.
    fn task(&mut self, what: &str, command: &[String], needs: &[usize]) -> usize {
        let id = self.tasks;
        self.tasks += 1;
        let shell = ["sh", "-c", RETRY, "campaign"].map(str::to_owned);
        let words = shell.iter().chain(command);
        let what: String = what.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let folder = toml(&self.options.folder.to_string_lossy());
        let needs: Vec<String> = needs.iter().map(usize::to_string).collect();
        let _ = write!(
            self.text,
            "\n# {what}\n[[task]]\nid = {id}\ncommand = {}\ncwd = {folder}\ndeps = [{}]\n\n[[task.request]]\nresources = {{ \"cpus\" = {} }}\n",
            toml_list(words),
            needs.join(", "),
            self.options.threads
        );
        id
    }
}
