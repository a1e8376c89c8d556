//! Files of face numbers: text, from 1, with white space or commas between them; `#` begins a comment.

use crate::error::{Error, Result};
use std::path::Path;
use yarnwise_shared::file;
use yarnwise_shared::mesh::Mesh;

/// Largest file, bytes.
const MAX_BYTES: u64 = 64 << 20;
/// The most characters of a wrong word in a message.
const MAX_SHOWN: usize = 40;

/// Reads the numbers; `origin` names the file in messages.
pub fn parse(bytes: &[u8], origin: &str) -> Result<Vec<u32>> {
    let wrong = |line: usize, problem: String| Error::from(yarnwise_shared::Error::text(origin, line, problem));
    let text =
        std::str::from_utf8(bytes).map_err(|_| wrong(1, "is not text: a list of face numbers is expected".into()))?;
    let mut faces = Vec::new();
    for (i, line) in text.lines().enumerate() {
        let numbers = line.split('#').next().unwrap_or_default();
        for word in numbers.split(|c: char| c.is_whitespace() || c == ',').filter(|word| !word.is_empty()) {
            match word.parse::<u32>() {
                Ok(face) if face > 0 => faces.push(face),
                _ => {
                    let start: String = word.chars().take(MAX_SHOWN).collect();
                    return Err(wrong(i + 1, format!("'{start}' is no number of a face: they are counted from 1")));
                }
            }
        }
    }
    if faces.is_empty() { Err(wrong(1, "names no face: write at least one number".into())) } else { Ok(faces) }
}

/// Reads a file: one flag a triangle of the mesh.
pub fn read(path: &Path, mesh: &Mesh) -> Result<Vec<bool>> {
    let origin = file::origin(path);
    flags(mesh, &parse(&file::read(path, MAX_BYTES, file::text)?, &origin)?, &origin)
}

/// The text of a mask.
pub fn to_text(faces: &[u32]) -> String {
    let mut text = String::from("# Triangles that are yarns, from 1.\n");
    for line in faces.chunks(16) {
        let words: Vec<String> = line.iter().map(u32::to_string).collect();
        text += &words.join(" ");
        text.push('\n');
    }
    text
}

/// One flag a triangle. `origin` for messages.
pub(super) fn flags(mesh: &Mesh, faces: &[u32], origin: &str) -> Result<Vec<bool>> {
    let mut flags = vec![false; mesh.faces().len()];
    for face in faces {
        let flag = (*face as usize).checked_sub(1).and_then(|f| flags.get_mut(f));
        let Some(flag) = flag else {
            let problem = format!("there is no face {face}: the mesh has faces 1 to {}", mesh.faces().len());
            return Err(Error::invalid(origin, problem));
        };
        *flag = true;
    }
    Ok(flags)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_read_as_written_and_faults_name_their_line() {
        let faces: Vec<u32> = (1..40).collect();
        assert_eq!(parse(to_text(&faces).as_bytes(), "m").unwrap(), faces);
        let message = parse(b"1 2\n3 # 4\n0", "m.txt").unwrap_err().to_string();
        assert!(message.contains("m.txt, line 3") && message.contains("'0'"), "{message}");
        assert_eq!(parse(b"1,2\t3 ,4,\n", "m").unwrap(), [1, 2, 3, 4]);
        let long = parse(&[b'x'; 100_000], "m").unwrap_err().to_string();
        assert!(long.len() < 200, "{} bytes", long.len());
        assert!(parse(b"# nothing", "m").is_err());
        assert!(parse(b"-1", "m").is_err());
    }
}
