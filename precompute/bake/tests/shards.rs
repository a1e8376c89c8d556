//! A bake cut into parts and united again, as it is run on several machines: `bake --shard`, `bake --merge`.

mod small;

use small::BAKE;
use std::fs::{self, File};
use std::process::{Command, Stdio};
use std::time::Duration;
use yarnwise_tests::program::{Program, output};
use yarnwise_tests::seed;

const PROGRAM: &str = env!("CARGO_BIN_EXE_yarnwise-bake");

/// The exit code of what may succeed when it is run again.
const TEMPORARY: i32 = 75;

/// A bake that advances at all has ended long before.
const MOST_PHASES: usize = 40;

fn bake() -> Program {
    let bake = small::bake(PROGRAM);
    bake.success(&format!("{BAKE} -o whole.ydb"));
    bake
}

/// Merges; what comes next, none when the database is written.
fn merge(bake: &Program, command: &str, little: &str) -> Option<String> {
    let report = bake.success(&format!("{command} --merge --little {little}"));
    report.lines().find_map(|line| line.strip_prefix("next: ")).map(str::to_owned)
}

/// Bakes in `count` parts, the merges leaving all but `little`; what the merges said came next.
fn in_parts(bake: &Program, command: &str, count: u32, little: &str) -> Vec<String> {
    let mut phases = Vec::new();
    while let Some(next) = merge(bake, command, if phases.is_empty() { "0" } else { little }) {
        phases.push(next);
        assert!(phases.len() < MOST_PHASES, "{phases:?}");
        for number in 1..=count {
            bake.success(&format!("{command} --shard {number}/{count} --threads 1"));
        }
    }
    phases
}

/// The lines of a log without the time that each solve took, in an order of their own.
fn solves(bake: &Program, log: &str) -> Vec<String> {
    let text = bake.folder.text(log);
    let line = |line: &str| {
        let columns: Vec<&str> = line.split('\t').collect();
        [&columns[..12], &columns[13..]].concat().join(" ")
    };
    let mut lines: Vec<String> = text.lines().map(line).collect();
    lines.sort_unstable();
    lines
}

#[test]
fn in_any_number_of_parts_it_has_the_bytes_and_solves_of_a_single_process() {
    let bake = bake();
    for (count, little) in [(1, "0"), (3, "0"), (60, "60")] {
        let name = format!("{count}.ydb");
        let phases = in_parts(&bake, &format!("{BAKE} -o {name}"), count, little);
        assert!(phases[0].starts_with("lines of samples, 100 solves, about "), "{phases:?}");
        if little == "0" {
            assert!(phases.iter().any(|next| next.starts_with("round 1, ")), "{phases:?}");
            assert!(phases.last().unwrap().starts_with("polish, "), "{phases:?}");
        } else {
            assert_eq!(phases.len(), 1, "what is little is solved by the merge");
        }
        assert!(bake.folder.bytes(&name) == bake.folder.bytes("whole.ydb"), "{count} parts");
        assert_eq!(solves(&bake, &format!("{name}.log")), solves(&bake, "whole.ydb.log"));
    }
    let left: Vec<String> =
        bake.folder.files().into_iter().filter(|f| f.contains("journal") || f.contains("part")).collect();
    assert!(left.is_empty(), "{left:?}");
}

#[test]
fn bent_and_cold_bakes_are_cut_too() {
    let bake = small::bake(PROGRAM);
    bake.folder.write("small.txt", "-0.1 0 0.2\n-0.4 0 0.4\n-0.1 0 0.2\n");
    for (options, tables) in [("--bending=-40,0,60", 3), ("--start cold", 1), ("--start cold --bending=0,60", 3)] {
        let command = format!("bake plain.pyp --grid small.txt --material woven {options}");
        bake.success(&format!("{command} -o whole.ydb"));
        let phases = in_parts(&bake, &format!("{command} -o parts.ydb"), 2, "0");
        let lines = phases.iter().filter(|next| next.starts_with("lines of samples")).count();
        assert_eq!(lines, tables, "{phases:?}");
        assert_eq!(phases.iter().any(|next| next.starts_with("lines of samples (bent along y), ")), tables == 3);
        assert!(bake.folder.bytes("parts.ydb") == bake.folder.bytes("whole.ydb"), "{options}");
    }
}

/// A pattern on which many solves fail, so that lines need what other lines found.
#[test]
fn where_states_are_lost_the_merge_finds_the_way_around_them() {
    let bake = small::bake(PROGRAM);
    bake.folder.write("far.txt", "-0.6 -0.4 -0.2 0 0.4\n-0.8 -0.4 0 0.4 0.8\n-0.6 -0.4 -0.2 0 0.4\n");
    let command = "bake plain.pyp --grid far.txt --material woven";
    bake.success(&format!("{command} -o whole.ydb"));
    let log = bake.folder.text("whole.ydb.log");
    let detour = |line: &&str| {
        let c: Vec<&str> = line.split('\t').collect();
        c[1] == "0"
            && c[6] != "-"
            && c[4] != "0"
            && log.lines().any(|other| {
                let o: Vec<&str> = other.split('\t').collect();
                o[1] == "0" && o[2] == c[6] && (o[3] != c[3] || o[5] != c[5])
            })
    };
    let detours = log.lines().skip(1).filter(detour).count();
    assert!(detours > 0, "the grid is meant to have samples whose parent is no equilibrium");
    let phases = in_parts(&bake, &format!("{command} -o parts.ydb"), 3, "0");
    assert!(phases.iter().filter(|next| next.starts_with("lines")).count() > 1, "{phases:?}");
    assert!(bake.folder.bytes("parts.ydb") == bake.folder.bytes("whole.ydb"));
    assert_eq!(solves(&bake, "parts.ydb.log"), solves(&bake, "whole.ydb.log"));
}

#[test]
fn killed_at_random_moments_shards_and_merges_end_with_the_same_bytes() {
    let bake = bake();
    let command = format!("{BAKE} -o killed.ydb");
    let mut random = seed::random("killed_at_random_moments_shards_and_merges_end_with_the_same_bytes");
    let mut killed = 0;
    for _ in 0..MOST_PHASES {
        for part in ["--shard 1/2", "--shard 2/2", "--merge --little 0"] {
            // Each is killed until it comes to its end, as a scheduler would start it again.
            loop {
                let mut child = bake.command(&format!("{command} {part} --threads 1"));
                let mut child = child.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
                std::thread::sleep(Duration::from_millis(random.below(300) as u64));
                child.kill().unwrap();
                match child.wait().unwrap().code() {
                    None => killed += 1,
                    // The first merge has not begun, or a shard was killed for good.
                    Some(0 | TEMPORARY) => break,
                    Some(code) => panic!("{part}: {code}"),
                }
                assert!(killed < 1000, "killed {killed} times, the bake has not ended");
            }
        }
        if bake.folder.has("killed.ydb") {
            break;
        }
    }
    assert!(killed > 0);
    assert!(bake.folder.bytes("killed.ydb") == bake.folder.bytes("whole.ydb"), "after {killed} kills");
    // The last shards may have been killed after the database was written.
    merge(&bake, &command, "0");
    assert!(!bake.folder.files().iter().any(|name| name.contains("killed.ydb.shard") || name.ends_with(".part")));
}

#[test]
fn what_is_not_there_yet_is_named_and_may_be_there_later() {
    let bake = bake();
    let command = format!("{BAKE} -o out.ydb");
    let temporary = |arguments: &str| {
        let run = bake.run(&format!("{command} {arguments}"));
        assert_eq!(run.status.code(), Some(TEMPORARY), "{}", run.stderr);
        run.stderr.lines().filter(|line| line.starts_with("error: ")).collect::<Vec<_>>().join("\n")
    };
    assert!(temporary("--shard 1/3").contains("out.ydb.journal: is not there yet") && !bake.folder.has("out.ydb.log"));
    assert!(merge(&bake, &command, "0").unwrap().starts_with("lines of samples, 100 solves"));
    // Run again before any shard has delivered, it says the same.
    assert!(merge(&bake, &command, "0").unwrap().starts_with("lines of samples, 100 solves"));
    bake.success(&format!("{command} --shard 2/3"));
    let message = temporary("--merge --little 0");
    assert!(
        message.contains("shards 1/3, 3/3 have not delivered, ") && message.contains("then merge again"),
        "{message}"
    );
    // The second is united now, and has nothing to do.
    assert!(bake.run(&format!("{command} --shard 2/3")).succeeded().stderr.contains("nothing of its own is left"));
    bake.success(&format!("{command} --shard 3/3"));
    assert!(temporary("--merge --little 0").contains("shard 1/3 has not delivered"));
    // Two merges at once, and a shard that is started twice.
    let journal = File::open(bake.folder.path("out.ydb.journal")).unwrap();
    journal.lock().unwrap();
    assert!(temporary("--merge").contains("another process is at work on this job"));
    journal.unlock().unwrap();
    let own = File::create(bake.folder.path("out.ydb.shard-1-of-3.journal")).unwrap();
    own.lock().unwrap();
    assert!(temporary("--shard 1/3").contains("another process is at work on this job"));
    drop(own);
    // What is missing is little: the merge needs no shard.
    assert_eq!(merge(&bake, &command, "60"), None);
    assert!(bake.folder.bytes("out.ydb") == bake.folder.bytes("whole.ydb"));
    for part in ["--shard 1/3", "--shard 7/9", "--merge"] {
        let again = bake.run(&format!("{command} {part}")).succeeded();
        assert!(again.stderr.contains("out.ydb: is baked"), "{}", again.stderr);
    }
    assert!(!bake.folder.files().iter().any(|name| name.contains("out.ydb.shard") || name == "out.ydb.journal"));
}

#[cfg(unix)]
#[test]
fn a_full_folder_is_reported_and_nothing_is_lost() {
    let bake = bake();
    let command = format!("{BAKE} -o out.ydb");
    let limited = |blocks: u32, part: &str| {
        // Without the trap the system ends the process by a signal instead of refusing the write.
        let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" {command} {part}");
        let output = output(Command::new("bash").current_dir(bake.folder.root()).args(["-c", &script, PROGRAM]));
        assert_eq!(output.status.code(), Some(TEMPORARY));
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(limited(0, "--merge --little 0").contains("out.ydb.journal"));
    assert!(limited(8, "--merge --little 0").contains("is safe in out.ydb.journal"));
    assert!(merge(&bake, &command, "0").is_some());
    let message = limited(16, "--shard 1/2");
    assert!(
        message.contains("is safe in out.ydb.shard-1-of-2.journal") && message.contains("same command again"),
        "{message}"
    );
    let again = bake.run(&format!("{command} --shard 1/2")).succeeded();
    assert!(
        again.stderr.contains("solves of an earlier run are kept") || again.stderr.contains("resuming"),
        "{}",
        again.stderr
    );
    bake.success(&format!("{command} --shard 2/2"));
    // The merge has no room to take over what the shards found, and has it the next time.
    assert!(limited(64, "--merge --little 0").contains("is safe in out.ydb.journal"));
    while merge(&bake, &command, "0").is_some() {
        for number in 1..=2 {
            bake.success(&format!("{command} --shard {number}/2"));
        }
    }
    assert!(bake.folder.bytes("out.ydb") == bake.folder.bytes("whole.ydb"));
}

/// The journal `name` with another text of the same length in its description.
fn describe_otherwise(bake: &Program, name: &str, text: &str, other: &str) {
    assert_eq!(text.len(), other.len());
    let mut bytes = bake.folder.bytes(name);
    let length = u32::from_le_bytes(bytes[8..12].try_into().unwrap()) as usize;
    let description = String::from_utf8(bytes[16..16 + length].to_vec()).unwrap();
    assert!(description.contains(text), "{description}");
    bytes[16..16 + length].copy_from_slice(description.replacen(text, other, 1).as_bytes());
    let sum = crc32fast::hash(&bytes[16..16 + length]);
    bytes[12..16].copy_from_slice(&sum.to_le_bytes());
    bake.folder.write(name, bytes);
}

#[test]
fn journals_of_another_job_and_of_another_program_are_named_and_left_alone() {
    let bake = bake();
    let command = format!("{BAKE} -o out.ydb");
    merge(&bake, &command, "0");
    for number in 1..=2 {
        bake.success(&format!("{command} --shard {number}/2"));
    }
    let name = "out.ydb.shard-1-of-2.journal";
    let good = bake.folder.bytes(name);
    let united = bake.folder.bytes("out.ydb.journal");
    let version = concat!("yarnwise-bake ", env!("CARGO_PKG_VERSION"));
    let older = version.replace(|c: char| c.is_ascii_digit(), "7");
    let method = yarnwise_precompute::bake::METHOD_HASH;
    for (text, other, expected) in [
        (version, older.as_str(), format!("its tool is {older}, here it is {version}")),
        (method, "0123456789abcdef", format!("its method is 0123456789abcdef, here it is {method}")),
        ("E 100000 G 40000", "E 100001 G 40000", "its material is E 100001 G 40000 ".to_owned()),
    ] {
        describe_otherwise(&bake, name, text, other);
        let run = bake.run(&format!("{command} --merge --little 0"));
        assert_eq!(run.status.code(), Some(1), "it would fail again: {}", run.stderr);
        assert!(
            run.stderr.contains(&format!("error: {name}: is the journal of another job: {expected}")),
            "{}",
            run.stderr
        );
        assert!(bake.folder.bytes("out.ydb.journal") == united, "nothing was taken over");
        let shard = bake.run(&format!("{command} --shard 1/2"));
        assert!(shard.stderr.contains("another job: ") && shard.stderr.contains("--restart"), "{}", shard.stderr);
        bake.folder.write(name, &good);
    }
    describe_otherwise(&bake, "out.ydb.journal", method, "0123456789abcdef");
    for part in ["--shard 2/2", "--merge"] {
        let message = bake.run(&format!("{command} {part}"));
        assert_eq!(message.status.code(), Some(1));
        assert!(message.stderr.contains("out.ydb.journal: is the unfinished journal of another job: its method is"));
    }
    bake.folder.write("out.ydb.journal", &united);
    // Named ones are united, too, and stay where they are.
    fs::rename(bake.folder.path(name), bake.folder.path("elsewhere.journal")).unwrap();
    let report = bake.success(&format!("{command} --little 0 --merge elsewhere.journal"));
    assert!(report.starts_with("next: round 1, "), "{report}");
    assert!(bake.folder.has("elsewhere.journal"));
    let empty = bake.failure(&format!("{command} --merge missing.journal"));
    assert!(empty.contains("missing.journal: No such file"), "{empty}");
    bake.folder.write("note.txt", "a note, longer than the head of a journal");
    assert!(bake.failure(&format!("{command} --merge note.txt")).contains("it is not a journal of this program"));
    assert_eq!(merge(&bake, &command, "inf"), None);
    assert!(bake.folder.bytes("out.ydb") == bake.folder.bytes("whole.ydb"));
}

#[test]
fn a_single_process_finishes_what_shards_began_and_shards_what_it_began() {
    let bake = bake();
    let command = format!("{BAKE} -o out.ydb");
    merge(&bake, &command, "0");
    bake.success(&format!("{command} --shard 1/2"));
    let _ = bake.run(&format!("{command} --merge --little 0"));
    bake.success(&command);
    assert!(bake.folder.bytes("out.ydb") == bake.folder.bytes("whole.ydb"));
    fs::remove_file(bake.folder.path("out.ydb")).unwrap();
    // A bake that is stopped in the middle of a round.
    let script = format!("trap '' XFSZ; ulimit -f 120; exec \"$0\" {command}");
    output(Command::new("bash").current_dir(bake.folder.root()).args(["-c", &script, PROGRAM]));
    assert!(bake.folder.has("out.ydb.journal") && !bake.folder.has("out.ydb"));
    in_parts(&bake, &command, 2, "0");
    assert!(bake.folder.bytes("out.ydb") == bake.folder.bytes("whole.ydb"));
}

/// Elementary functions and inner loops give the same bits with and without the vector instructions of the processor, in the program
/// and in the system's library.
#[test]
fn the_bytes_do_not_depend_on_the_vector_instructions_and_mixed_journals_are_reported() {
    let bake = small::bake(PROGRAM);
    bake.folder.write("small.txt", "-0.1 0 0.2\n-0.4 0 0.4\n-0.1 0 0.2\n");
    let command = "bake plain.pyp --grid small.txt --material woven --lossless --bending=-40,0,60";
    bake.success(&format!("{command} -o whole.ydb"));
    bake.success(&format!("{command} --vector-level scalar -o scalar.ydb"));
    assert!(bake.folder.bytes("scalar.ydb") == bake.folder.bytes("whole.ydb"), "without vector instructions");
    let mut plain = bake.command(&format!("{command} --vector-level scalar -o plain.ydb"));
    assert!(output(plain.env("GLIBC_TUNABLES", "glibc.cpu.hwcaps=-AVX512F,-AVX2,-FMA")).status.success());
    assert!(bake.folder.bytes("plain.ydb") == bake.folder.bytes("whole.ydb"), "without those of the library either");
    let other = if cfg!(target_arch = "aarch64") { "v3" } else { "neon" };
    let message = bake.failure(&format!("{command} --vector-level {other} -o other.ydb"));
    assert!(message.contains(&format!("--vector-level {other}: this processor has no such instructions")), "{message}");
    // Some processors have none.
    if message.contains("would use scalar") {
        return;
    }
    let mixed = format!("{command} -o mixed.ydb");
    merge(&bake, &mixed, "0");
    bake.success(&format!("{mixed} --shard 1/2"));
    bake.success(&format!("{mixed} --shard 2/2 --vector-level scalar"));
    let run = bake.run(&format!("{mixed} --merge")).succeeded();
    assert!(run.stderr.contains("vector instructions of two kinds (scalar, here "), "{}", run.stderr);
    assert!(bake.folder.bytes("mixed.ydb") == bake.folder.bytes("whole.ydb"));
}
