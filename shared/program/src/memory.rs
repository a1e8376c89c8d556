//! Memory, asked for before it is needed.

use anyhow::bail;

/// Address space that a thread reserves, bytes: a stack, and what the allocator of Linux sets aside for it (64 MiB). It counts
/// only where the address space of a process is limited (`ulimit -v`).
const THREAD_BYTES: u64 = 66 << 20;

/// Work that needs memory.
pub struct Work<'a> {
    /// Names it in messages.
    pub what: &'a str,
    /// Bytes that it holds at a time.
    pub bytes: u64,
    /// Threads that it will start.
    pub threads: usize,
    /// What to do where there is not enough.
    pub cure: &'a str,
}

/// Refuses work that needs more memory than there is.
///
/// Without this check the system ends the program, or the program itself, without a message that says what was too large. A
/// request is tried, which finds limits of the process; where the system says how much is free, that counts too, because
/// it grants requests that it cannot fulfil.
pub fn check(work: &Work) -> anyhow::Result<()> {
    let Work { what, bytes, threads, cure } = *work;
    let needed = size(bytes);
    if let Some(free) = available().filter(|free| bytes > *free) {
        bail!("{what}: needs {needed} of memory, {} are free; {cure}", size(free));
    }
    let reserved = bytes.saturating_add(THREAD_BYTES.saturating_mul(threads as u64));
    let request = usize::try_from(reserved).unwrap_or(usize::MAX);
    if Vec::<u8>::new().try_reserve_exact(request).is_err() {
        let threads = if threads > 0 { format!(" (with its threads {})", size(reserved)) } else { String::new() };
        bail!("{what}: needs {needed} of memory{threads}, which this process cannot have; {cure}");
    }
    Ok(())
}

/// Bytes in words.
pub fn size(bytes: u64) -> String {
    match bytes as f64 {
        bytes if bytes < 1e8 => format!("{:.0} MB", (bytes * 1e-6).ceil()),
        bytes => format!("{:.1} GB", bytes * 1e-9),
    }
}

/// Bytes that can be had without pushing other programs out of memory; Linux says.
pub fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_much_is_refused_in_one_line_with_the_cure() {
        let work = |bytes| Work { what: "a mesh", bytes, threads: 2, cure: "choose fewer cells" };
        assert!(check(&work(1 << 20)).is_ok());
        for bytes in [u64::MAX / 4, u64::MAX] {
            let message = check(&work(bytes)).unwrap_err().to_string();
            assert!(message.starts_with("a mesh: needs ") && !message.contains('\n'), "{message}");
            assert!(message.ends_with("; choose fewer cells"), "{message}");
        }
    }

    #[test]
    fn sizes_have_digits_that_count() {
        assert_eq!([1, 99_000_000, 250_000_000].map(size), ["1 MB", "99 MB", "0.2 GB"]);
    }
}
