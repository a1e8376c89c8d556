//! Memory, asked for before it is needed.

use anyhow::bail;

/// Refuses work that needs more memory than there is; `what` names it in the message.
///
/// Without this check the system ends the program, or the program itself, without a message that says what was too large. A
/// request is tried, which finds limits of the process; where the system says how much is free, that counts too, because
/// it grants requests that it cannot meet.
pub fn check(what: &str, bytes: u64) -> anyhow::Result<()> {
    let gigabytes = |bytes: u64| bytes as f64 * 1e-9;
    if let Some(free) = available().filter(|free| bytes > *free) {
        let (needed, free) = (gigabytes(bytes), gigabytes(free));
        bail!("{what}: needs {needed:.1} GB of memory, {free:.1} GB are free; choose something smaller");
    }
    let size = usize::try_from(bytes).unwrap_or(usize::MAX);
    if Vec::<u8>::new().try_reserve_exact(size).is_err() {
        bail!("{what}: needs {:.1} GB of memory, which this process cannot have", gigabytes(bytes));
    }
    Ok(())
}

/// Bytes that can be had without pushing other programs out of memory; Linux says.
fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    let kibibytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kibibytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn too_much_is_refused_in_one_line() {
        assert!(check("a mesh", 1 << 20).is_ok());
        let message = check("a mesh", u64::MAX / 4).unwrap_err().to_string();
        assert!(message.starts_with("a mesh: needs ") && !message.contains('\n'), "{message}");
    }
}
