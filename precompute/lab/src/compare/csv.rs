//! The report as one long table: section, set or row, column, value.

use super::Comparison;
use super::text::sections;
use std::fmt::Write;

/// All cells of all sections, one a line, as comma-separated values.
pub fn csv(c: &Comparison) -> String {
    let mut out = String::from("section,row,column,value\n");
    for section in sections(c) {
        let Some((head, rows)) = section.rows.split_first() else { continue };
        let mut group = String::new();
        for row in rows {
            // Rows of regions are indented under their set.
            let label = match row[0].strip_prefix("  ") {
                Some(region) => format!("{group}: {region}"),
                None => {
                    group.clone_from(&row[0]);
                    row[0].clone()
                }
            };
            for (k, value) in row.iter().enumerate().skip(1) {
                let column = head.get(k).map_or("note", String::as_str);
                let _ =
                    writeln!(out, "{},{},{},{}", quoted(&section.title), quoted(&label), quoted(column), quoted(value));
            }
        }
    }
    out
}

fn quoted(cell: &str) -> String {
    if cell.contains([',', '"', '\n']) { format!("\"{}\"", cell.replace('"', "\"\"")) } else { cell.to_owned() }
}

#[cfg(test)]
mod tests {
    #[test]
    fn cells_with_commas_and_quotes_are_quoted() {
        assert_eq!(super::quoted("a,b"), "\"a,b\"");
        assert_eq!(super::quoted("say \"x\""), "\"say \"\"x\"\"\"");
        assert_eq!(super::quoted("plain"), "plain");
    }
}
