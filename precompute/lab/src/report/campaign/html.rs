//! The page: what the campaign came to, a table to sort, a card for each database.

use super::{CampaignReport, DatabaseFigures, file_name, short};
use crate::Result;
use crate::page::{escaped, figure};
use std::fmt::Write;
use yarnwise_shared::table::region::Region;

const STYLE: &str = include_str!("style.css");

/// Sorts the table by the column whose head is clicked: numbers by their value, texts by their letters.
const SORT: &str = include_str!("sort.js");

/// Failed solves that are listed of a database.
const LISTED: usize = 8;

/// Colors of the kinds of energy: stretch, bend, twist, contact.
const KINDS: [(&str, &str); 4] =
    [("stretch", "#30728e"), ("bend", "#e0a030"), ("twist", "#7a4ea3"), ("contact", "#b5482f")];

pub(super) fn page(report: &CampaignReport) -> Result<String> {
    let title = escaped(&format!("Campaign {}", report.name));
    let mut out = String::from("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    out += "<meta name=\"viewport\" content=\"width=device-width\">\n";
    let _ = writeln!(out, "<title>{title}</title><style>{STYLE}</style></head><body>");
    let _ = writeln!(out, "<header><h1>{title}</h1><p>{}</p></header>", escaped(&file_name(&report.file)));
    out += &tiles(report);
    out += &missing(report);
    if !report.databases.is_empty() {
        out += &table(&report.databases);
        out += &legend();
    }
    out += "<main>\n";
    for (i, database) in report.databases.iter().enumerate() {
        out += &card(i, database)?;
    }
    let _ = writeln!(out, "</main>\n<script>{SORT}</script>\n</body></html>");
    Ok(out)
}

/// The campaign in a few numbers.
fn tiles(report: &CampaignReport) -> String {
    let databases = &report.databases;
    let sum = |of: &dyn Fn(&DatabaseFigures) -> f64| databases.iter().map(of).sum::<f64>();
    let all = databases.len() + report.missing.len();
    let mut tiles = vec![(format!("{} of {all}", databases.len()), "databases")];
    if !databases.is_empty() {
        let samples = sum(&|d| d.samples as f64);
        let converged = sum(&|d| d.converged as f64) / samples;
        tiles.push((format!("{samples}"), "samples"));
        tiles.push((percent(converged), "converged"));
        tiles.push((size(sum(&|d| d.file_bytes as f64)), "on the disk"));
        tiles.push((time(sum(&|d| d.logged.as_ref().map_or(0.0, |l| l.core_seconds))), "of one core"));
    }
    let tile = |(value, what): &(String, &str)| format!("<div><b>{}</b><span>{what}</span></div>", escaped(value));
    format!("<section class=\"tiles\">{}</section>\n", tiles.iter().map(tile).collect::<String>())
}

/// What is not there.
fn missing(report: &CampaignReport) -> String {
    let rests = report.unrested.iter().map(|r| (&r.name, r.standing, &r.problem));
    let rows: Vec<_> = rests.chain(report.missing.iter().map(|b| (&b.name, b.standing, &b.problem))).collect();
    if rows.is_empty() {
        return String::new();
    }
    let mut out = String::from("<section class=\"missing\"><h2>Not there</h2>\n<div class=\"wide\"><table>\n");
    for (name, standing, problem) in rows {
        let (word, problem) = (standing.name(), problem.as_deref().unwrap_or_default());
        let _ = writeln!(
            out,
            "<tr><td>{}</td><td><span class=\"state {word}\">{word}</span></td><td class=\"text\">{}</td></tr>",
            escaped(name),
            escaped(problem)
        );
    }
    out + "</table></div></section>\n"
}

/// A column: its head, what its head means, and of each database the text, the value to sort by and the length of its bar.
struct Column {
    head: &'static str,
    title: &'static str,
    cell: fn(&DatabaseFigures) -> Option<(String, f64)>,
    has_bar: bool,
}

const COLUMNS: [Column; 9] = [
    Column {
        head: "vertices",
        title: "vertices of the pattern",
        cell: |d| Some((d.vertices.to_string(), d.vertices as f64)),
        has_bar: false,
    },
    Column {
        head: "samples",
        title: "samples of all tables",
        cell: |d| Some((d.samples.to_string(), d.samples as f64)),
        has_bar: false,
    },
    Column {
        head: "converged",
        title: "share of samples that are equilibria",
        cell: |d| Some((percent(d.share()), d.share())),
        has_bar: false,
    },
    Column {
        head: "size",
        title: "size of the database",
        cell: |d| Some((size(d.file_bytes as f64), d.file_bytes as f64)),
        has_bar: true,
    },
    Column {
        head: "core-seconds",
        title: "processor time of all solves",
        cell: |d| d.logged.as_ref().map(|l| (short(l.core_seconds), l.core_seconds)),
        has_bar: true,
    },
    Column {
        head: "solves / sample",
        title: "the first, retries and the last",
        cell: |d| d.logged.as_ref().map(|l| l.solves as f64 / d.solved_samples as f64).map(|n| (format!("{n:.2}"), n)),
        has_bar: false,
    },
    Column {
        head: "jump, r",
        title: "the largest way of a vertex between neighboring samples, yarn radii",
        cell: |d| {
            Some(d.smoothness.jumps.iter().map(|j| j.largest).fold(0.0, f64::max)).map(|j| (format!("{j:.2}"), j))
        },
        has_bar: true,
    },
    Column {
        head: "at rest, J/m²",
        title: "energy density without strain",
        cell: |d| d.energy.map(|[e, _]| (short(e), e)),
        has_bar: false,
    },
    Column {
        head: "most, J/m²",
        title: "the largest energy density of a sample",
        cell: |d| d.energy.map(|[_, e]| (short(e), e)),
        has_bar: true,
    },
];

fn table(databases: &[DatabaseFigures]) -> String {
    let mut out =
        String::from("<section><h2>Databases</h2>\n<div class=\"wide\"><table class=\"sortable\"><thead><tr>");
    out += "<th>name</th>";
    for column in &COLUMNS {
        let _ = write!(out, "<th title=\"{}\">{}</th>", column.title, column.head);
    }
    out += "<th title=\"share of samples that bend by over 0.5 r along sa: tension, with shear, compression, with shear\">rough T | TS | C | CS</th>\
            <th title=\"stretch, bend, twist and contact of the stretched fabric\">energy by kind</th></tr></thead>\n<tbody>\n";
    let largest: Vec<f64> = COLUMNS
        .iter()
        .map(|column| databases.iter().filter_map(|d| (column.cell)(d)).map(|(_, value)| value).fold(0.0, f64::max))
        .collect();
    for (i, database) in databases.iter().enumerate() {
        let class = if database.converged < database.samples { " class=\"doubtful\"" } else { "" };
        let _ = write!(out, "<tr{class}><td><a href=\"#d{i}\">{}</a></td>", escaped(&database.name));
        for (column, largest) in COLUMNS.iter().zip(&largest) {
            out += &match (column.cell)(database) {
                None => "<td data-v=\"-1\">–</td>".to_owned(),
                Some((text, value)) if column.has_bar && *largest > 0.0 => {
                    let share = 100.0 * value / largest;
                    format!("<td data-v=\"{value}\" class=\"bar\" style=\"--w:{share:.1}%\">{text}</td>")
                }
                Some((text, value)) => format!("<td data-v=\"{value}\">{text}</td>"),
            };
        }
        let rough = database.smoothness.roughness;
        let worst = rough.iter().flatten().copied().fold(0.0, f64::max);
        let cells: Vec<String> =
            rough.iter().map(|r| r.map_or("–".to_owned(), |r| format!("{:.0} %", 100.0 * r))).collect();
        let _ = write!(out, "<td data-v=\"{worst}\">{}</td>", cells.join(" | "));
        let stretch = database.kinds.map_or(-1.0, |k| k[0]);
        let _ = writeln!(out, "<td data-v=\"{stretch}\">{}</td></tr>", kinds(database));
    }
    out + "</tbody></table></div></section>\n"
}

/// The shares of the kinds of energy as one bar.
fn kinds(database: &DatabaseFigures) -> String {
    let Some(shares) = database.kinds else { return "–".to_owned() };
    let part = |((name, color), share): (&(&str, &str), f64)| {
        let width = 100.0 * share;
        format!("<i title=\"{name} {width:.0} %\" style=\"width:{width:.1}%;background:{color}\"></i>")
    };
    format!("<span class=\"kinds\">{}</span>", KINDS.iter().zip(shares).map(part).collect::<String>())
}

fn legend() -> String {
    let names: Vec<&str> = Region::ALL.iter().map(|region| region.name()).collect();
    let kinds =
        KINDS.map(|(name, color)| format!("<span class=\"key\"><i style=\"background:{color}\"></i>{name}</span>"));
    format!(
        "<p class=\"note\">Click on a head to sort. Rough: share of samples that bend by over 0.5 yarn radii along sa, in {}. Orange \
         names have samples without an equilibrium. Kinds of energy of the fabric that is shown stretched: {}</p>\n",
        names.join(", "),
        kinds.concat()
    )
}

fn card(number: usize, database: &DatabaseFigures) -> Result<String> {
    let [pattern, material, grid, bending] = database.parts.each_ref().map(|part| escaped(part));
    let [px, py] = database.period.map(|p| 1e3 * p);
    let mut out = format!("<article id=\"d{number}\"><h3>{}</h3>\n<p class=\"note\">", escaped(&database.name));
    let _ = writeln!(
        out,
        "{pattern}, material {material}, grid {grid}, {bending}; {} vertices, radius {} mm, period {px:.2} x {py:.2} mm; {} of {} \
         samples converged</p>",
        database.vertices,
        short(1e3 * database.radius),
        database.converged,
        database.samples
    );
    out += "<div class=\"pictures\">\n";
    for (picture, caption) in &database.pictures {
        out += &figure(picture, caption)?;
    }
    out += "</div>\n";
    if let Some(plot) = &database.plot {
        let _ =
            writeln!(out, "<details><summary>Energy and stress</summary><div class=\"wide\">{plot}</div></details>");
    }
    out += &failures(database);
    Ok(out + "</article>\n")
}

/// The solves that failed, as the log has them.
fn failures(database: &DatabaseFigures) -> String {
    let Some(logged) = database.logged.as_ref().filter(|logged| logged.failed > 0) else { return String::new() };
    let all = logged.failed;
    let mut out = format!(
        "<details><summary>{all} of {} solves failed</summary><div class=\"wide\"><table>\n<tr><th>sx, sa, sy</th><th>bent</th>\
         <th>round</th><th>ended</th><th>residual</th></tr>\n",
        logged.solves
    );
    for solve in logged.failures.iter().take(LISTED) {
        let bent =
            solve.bent.as_ref().map_or("–".to_owned(), |[along, curvature]| format!("{along}, {curvature} per m"));
        let cells = [&solve.strain.join(", "), &bent, &solve.round, &solve.status, &solve.residual];
        let cells: String = cells.iter().map(|cell| format!("<td>{}</td>", escaped(cell))).collect();
        let _ = writeln!(out, "<tr>{cells}</tr>");
    }
    out += "</table></div>";
    if all > LISTED {
        let _ = write!(out, "<p class=\"note\">and {} more, in the log</p>", all - LISTED);
    }
    out + "</details>\n"
}

fn percent(share: f64) -> String {
    // Only what is whole is called so.
    match (1e3 * share).floor() / 10.0 {
        p if p == p.round() => format!("{p:.0} %"),
        p => format!("{p:.1} %"),
    }
}

fn size(bytes: f64) -> String {
    match bytes {
        b if b < 1e6 => format!("{:.0} kB", b / 1e3),
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.1} GB", b / 1e9),
    }
}

fn time(seconds: f64) -> String {
    match seconds {
        s if s < 120.0 => format!("{s:.0} s"),
        s if s < 7200.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
