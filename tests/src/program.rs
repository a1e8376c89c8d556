//! Programs as their users run them: in a folder, with arguments, and with an end to waiting.
//!
//! A test gives the path of its program: `Program::new(env!("CARGO_BIN_EXE_yarnwise-bake"))`.

use crate::folder::Folder;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::sync::mpsc;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// Far above what any command of a test takes, even on a loaded machine: after that, waiting is a failure.
pub const PATIENCE: Duration = Duration::from_secs(300);

/// What only Rust prints, and users should never see.
const DEBUG_FORMS: [&str; 9] = ["panicked", "Some(", "Ok(", "Err(", "Error {", "Os {", "[\"", "\\\"", "PathBuf"];

/// A program and the folder that it runs in.
pub struct Program {
    path: &'static str,
    /// Its working folder.
    pub folder: Folder,
    first: Vec<String>,
    environment: Vec<(String, Option<String>)>,
    patience: Duration,
}

/// What a program has printed and how it ended.
#[derive(Clone, Debug)]
pub struct Run {
    /// Its arguments.
    pub arguments: String,
    /// How it ended.
    pub status: ExitStatus,
    /// Its standard output.
    pub stdout: String,
    /// Its standard error.
    pub stderr: String,
}

/// Arguments of a program: one text that is split at spaces, or a list of which each part may have spaces.
pub trait Arguments {
    /// One after the other.
    fn list(&self) -> Vec<String>;
}

impl Arguments for str {
    fn list(&self) -> Vec<String> {
        self.split_whitespace().map(str::to_owned).collect()
    }
}

impl Arguments for String {
    fn list(&self) -> Vec<String> {
        self.as_str().list()
    }
}

impl<S: AsRef<str>> Arguments for [S] {
    fn list(&self) -> Vec<String> {
        self.iter().map(|s| s.as_ref().to_owned()).collect()
    }
}

impl<S: AsRef<str>, const N: usize> Arguments for [S; N] {
    fn list(&self) -> Vec<String> {
        self.as_slice().list()
    }
}

impl<S: AsRef<str>> Arguments for Vec<S> {
    fn list(&self) -> Vec<String> {
        self.as_slice().list()
    }
}

impl Program {
    /// The program at `path`, in an empty folder.
    pub fn new(path: &'static str) -> Self {
        Program { path, folder: Folder::new(), first: Vec::new(), environment: Vec::new(), patience: PATIENCE }
    }

    /// The same with arguments that stand before all others, as `mesh` in `yarnwise-bake mesh check`.
    pub fn with(self, first: &str) -> Self {
        Program { first: first.list(), ..self }
    }

    /// The same with a variable of its environment set, or without it.
    pub fn environment(mut self, name: &str, value: Option<&str>) -> Self {
        self.environment.push((name.to_owned(), value.map(str::to_owned)));
        self
    }

    /// The same with less time to run.
    pub fn within(self, patience: Duration) -> Self {
        Program { patience, ..self }
    }

    /// A command that is not started yet, for tests that stop or limit it.
    pub fn command<A: Arguments + ?Sized>(&self, arguments: &A) -> Command {
        let mut command = Command::new(self.path);
        command.current_dir(self.folder.root()).args(&self.first).args(arguments.list()).stdin(Stdio::null());
        for (name, value) in &self.environment {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }

    /// Runs it to its end.
    ///
    /// # Panics
    /// When it takes too long.
    pub fn run<A: Arguments + ?Sized>(&self, arguments: &A) -> Run {
        self.finish(self.command(arguments).stdout(Stdio::piped()), arguments)
    }

    /// Runs it; what it prints to standard output.
    ///
    /// # Panics
    /// When it fails.
    pub fn success<A: Arguments + ?Sized>(&self, arguments: &A) -> String {
        self.run(arguments).succeeded().stdout
    }

    /// Runs it; the message that it fails with: see [`Run::failed`].
    ///
    /// # Panics
    /// When it succeeds, or fails in another way.
    pub fn failure<A: Arguments + ?Sized>(&self, arguments: &A) -> String {
        let run = self.run(arguments);
        assert!(run.stdout.is_empty(), "{}: fails and prints\n{}", run.arguments, run.stdout);
        run.failed()
    }

    /// Runs it; its standard output as JSON.
    ///
    /// # Panics
    /// When it fails or prints anything else.
    pub fn json<A: Arguments + ?Sized>(&self, arguments: &A) -> serde_json::Value {
        let text = self.success(arguments);
        serde_json::from_str(&text).unwrap_or_else(|e| panic!("{}: {e}:\n{text}", arguments.list().join(" ")))
    }

    /// Runs it with a reader of its standard output that has gone, as after `| head`.
    ///
    /// # Panics
    /// When that is an error, a panic or a wait without end.
    pub fn survives_closed_pipe<A: Arguments + ?Sized>(&self, arguments: &A) {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let run = self.finish(self.command(arguments).stdout(writer), arguments);
        assert!(run.stderr.is_empty(), "{}: {}", run.arguments, run.stderr);
        run.succeeded();
    }

    /// Runs a command whose output is also its input, the file `input`: refused, and the file is as before.
    ///
    /// # Panics
    /// When it is not refused, or the file has changed.
    pub fn refuses_to_overwrite<A: Arguments + ?Sized>(&self, input: &str, arguments: &A) {
        let before = self.folder.bytes(input);
        let message = self.failure(arguments);
        assert!(message.contains("choose another output"), "{}: {message}", arguments.list().join(" "));
        assert!(self.folder.bytes(input) == before, "{} has changed {input}", arguments.list().join(" "));
    }

    fn finish<A: Arguments + ?Sized>(&self, command: &mut Command, arguments: &A) -> Run {
        let arguments = [self.first.as_slice(), &arguments.list()].concat().join(" ");
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap_or_else(|e| panic!("{}: {e}", self.path));
        let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
        let status = wait(&mut child, self.patience)
            .unwrap_or_else(|| panic!("{arguments}: has not ended after {} s", self.patience.as_secs()));
        let text = |lines: JoinHandle<Vec<u8>>| String::from_utf8(lines.join().unwrap()).expect("programs print text");
        Run { arguments, status, stdout: text(stdout), stderr: text(stderr) }
    }
}

impl Run {
    /// The same, if it has succeeded.
    ///
    /// # Panics
    /// If it has not.
    pub fn succeeded(self) -> Self {
        assert!(self.status.success(), "{}: {}, {}", self.arguments, self.status, self.stderr);
        for defect in ["panicked", "internal error"] {
            assert!(!self.stderr.contains(defect), "{}: {}", self.arguments, self.stderr);
        }
        self
    }

    /// The message that it has failed with: one line that begins with `error: ` and has nothing of Rust in it. Where
    /// arguments cannot be parsed (exit code 2), a second line says where to find help.
    ///
    /// # Panics
    /// If it has succeeded, or failed in another way.
    pub fn failed(self) -> String {
        let Run { arguments, status, stderr, .. } = self;
        assert!(status.code().is_some_and(|code| code != 0), "{arguments}: {status} instead of a failure");
        assert!(stderr.starts_with("error: "), "{arguments}: {stderr}");
        let lines = if status.code() == Some(2) { 2 } else { 1 };
        assert!(stderr.lines().count() == lines, "{arguments}: not as short as it should be\n{stderr}");
        for form in DEBUG_FORMS {
            assert!(!stderr.contains(form), "{arguments}: '{form}' is not for users: {stderr}");
        }
        stderr
    }
}

/// Reads to the end in a thread of its own, so that no pipe fills up.
fn drain(pipe: Option<impl Read + Send + 'static>) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        pipe.map(|mut p| p.read_to_end(&mut bytes));
        bytes
    })
}

/// Runs a command to its end, as [`Command::output`] does, but not for ever.
///
/// # Panics
/// When it cannot be started, or has not ended after [`PATIENCE`].
pub fn output(command: &mut Command) -> Output {
    command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap_or_else(|e| panic!("{command:?}: {e}"));
    finished(child).unwrap_or_else(|| panic!("{command:?}: has not ended after {} s", PATIENCE.as_secs()))
}

/// Waits for a process to end, as [`Child::wait_with_output`] does; after [`PATIENCE`] it is killed, and None returned.
///
/// # Panics
/// When what it printed cannot be read.
pub fn finished(mut child: Child) -> Option<Output> {
    let (stdout, stderr) = (drain(child.stdout.take()), drain(child.stderr.take()));
    let status = wait(&mut child, PATIENCE)?;
    Some(Output { status, stdout: stdout.join().unwrap(), stderr: stderr.join().unwrap() })
}

/// A process that is ended with the test, however that ends.
pub struct Started(pub Child);

impl Drop for Started {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The first line that a process prints, without its end.
///
/// # Panics
/// When it prints none within `patience`; `what` names the process.
pub fn first_line(output: impl Read + Send + 'static, what: &str, patience: Duration) -> String {
    let (sender, receiver) = mpsc::channel();
    std::thread::spawn(move || {
        let mut line = String::new();
        let read = BufReader::new(output).read_line(&mut line);
        // After the time is over there is no receiver.
        let _ = sender.send(read.map(|_| line.trim_end().to_owned()));
    });
    match receiver.recv_timeout(patience) {
        Ok(Ok(line)) if !line.is_empty() => line,
        Ok(Ok(_)) => panic!("{what} has ended without a word"),
        Ok(Err(e)) => panic!("{what}: {e}"),
        Err(_) => panic!("{what} has said nothing for {} s", patience.as_secs_f64()),
    }
}

/// Waits for a process to end; kills it when that takes too long, and returns None.
pub fn wait(child: &mut Child, patience: Duration) -> Option<ExitStatus> {
    let start = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("the process can be asked") {
            return Some(status);
        }
        if start.elapsed() > patience {
            // It may have ended in this moment.
            let _ = child.kill();
            let _ = child.wait();
            return None;
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Waits until `there` is true.
///
/// # Panics
/// When that takes longer than [`PATIENCE`].
pub fn wait_until(what: &str, mut there: impl FnMut() -> bool) {
    let start = Instant::now();
    while !there() {
        assert!(start.elapsed() < PATIENCE, "{what} does not happen within {} s", PATIENCE.as_secs());
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell() -> Program {
        Program::new("/bin/sh").with("-c")
    }

    /// Whether a check of the harness fails, as it should.
    fn panics(check: impl FnOnce() + std::panic::UnwindSafe) -> bool {
        std::panic::catch_unwind(check).is_err()
    }

    #[test]
    fn what_a_program_prints_is_kept() {
        assert_eq!(shell().success(&["echo a; echo b >&2"]), "a\n");
        assert_eq!(shell().failure(&["echo 'error: no file' >&2; exit 1"]), "error: no file\n");
        assert_eq!(shell().json(&["echo '{\"a\": 1}'"])["a"], 1);
        shell().survives_closed_pipe(&["true"]);
    }

    #[test]
    fn what_no_program_should_do_is_seen() {
        for bad in [
            "exit 0",
            "echo 'error: a' >&2; echo b >&2; exit 1",
            "echo 'thread panicked' >&2; exit 101",
            "echo 'error: Some(3)' >&2; exit 1",
            "echo result; echo 'error: a' >&2; exit 1",
            "echo 'error: killed' >&2; kill -9 $$",
            "echo 'error: a' >&2; echo >&2; echo 'Usage: b' >&2; exit 2",
        ] {
            assert!(panics(|| _ = shell().failure(&[bad])), "{bad}");
        }
        assert!(panics(|| _ = shell().success(&["exit 3"])));
        assert!(panics(|| _ = shell().json(&["echo a"])));
        assert!(panics(|| shell().survives_closed_pipe(&["trap '' PIPE; echo a || { echo b >&2; exit 1; }"])));
        assert!(panics(|| _ = shell().within(Duration::from_millis(50)).run(&["exec sleep 10"])));
    }

    #[test]
    fn a_process_that_says_nothing_is_not_waited_for() {
        let start = |script: &str| {
            let mut child = shell().command(&[script]).stdout(Stdio::piped()).spawn().unwrap();
            let output = child.stdout.take().unwrap();
            (Started(child), output)
        };
        let patience = Duration::from_secs(10);
        assert_eq!(first_line(start("echo :7; exec sleep 10").1, "server", patience), ":7");
        assert!(panics(|| _ = first_line(start("exit 0").1, "server", patience)));
        let (_server, output) = start("exec sleep 10");
        assert!(panics(|| _ = first_line(output, "server", Duration::from_millis(50))));
    }

    #[test]
    fn the_environment_is_what_a_test_says() {
        let program = shell().environment("YARNWISE_A", Some("b")).environment("HOME", None);
        assert_eq!(program.success(&["echo $YARNWISE_A-$HOME"]), "b-\n");
    }

    #[test]
    fn an_input_that_is_overwritten_is_seen() {
        let refusal = "echo 'error: a: is also an input (a), choose another output' >&2; exit 1";
        let program = shell();
        program.folder.write("a", "before");
        program.refuses_to_overwrite("a", &[refusal]);
        let unwise = format!("echo after > a; {refusal}");
        assert!(panics(move || program.refuses_to_overwrite("a", &[unwise])));
    }
}
