//! The report as one page that needs nothing else: tables, histograms, pictures.

use super::cloth::BRIGHTEST;
use super::distance::Bar;
use super::text::{Section, sections};
use super::{Comparison, SetFigures};
use crate::Result;
use crate::draw::heat;
use crate::page::{escaped, figure};
use std::fmt::Write;

const STYLE: &str = "body{font:15px/1.5 system-ui,sans-serif;max-width:1100px;margin:2em auto;padding:0 1em;color:#222}\
table{border-collapse:collapse;margin:.6em 0 1.6em;font-size:14px}td,th{padding:.2em .8em;text-align:right;border-bottom:1px solid #ddd;\
white-space:nowrap}td:first-child,th:first-child{text-align:left;white-space:pre}th{background:#f4f3ee}p.note{color:#666;margin:.2em 0}\
figure{display:inline-block;margin:0 1em 1em 0;vertical-align:top}img{max-width:520px;border:1px solid #ddd}figcaption{font-size:13px;color:#444}\
.scale{height:12px;width:260px;display:inline-block;vertical-align:middle}div.wide{overflow-x:auto}";

/// The page.
pub fn html(c: &Comparison) -> Result<String> {
    let names: Vec<&str> = c.sets.iter().map(|s| s.cost.name.as_str()).collect();
    let title = format!("Sample sets: {}", names.join(", "));
    let mut out = String::from("<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n");
    let _ = writeln!(out, "<title>{}</title><style>{STYLE}</style></head><body>", escaped(&title));
    let _ = writeln!(out, "<h1>{}</h1>", escaped(&title));
    for section in sections(c) {
        out += &table(&section);
        match section.title.as_str() {
            "Sets at random strains" => out += &histograms(c, |s| s.strains.as_ref().map(|d| d.histogram.as_slice())),
            "Sets on the cloth" => {
                out += &histograms(c, |s| s.cloth.as_ref()?.distances.as_ref().map(|d| d.histogram.as_slice()));
                out += &cloth_pictures(c)?;
            }
            _ => {}
        }
    }
    for set in &c.sets {
        out += &bending_pictures(set)?;
    }
    out += "</body></html>\n";
    Ok(out)
}

fn table(section: &Section) -> String {
    let mut out = format!("<h2>{}</h2>\n<p class=\"note\">{}</p>\n", escaped(&section.title), escaped(&section.note));
    out += "<div class=\"wide\"><table>\n";
    for (i, row) in section.rows.iter().enumerate() {
        let tag = if i == 0 { "th" } else { "td" };
        let cells: String = row.iter().map(|c| format!("<{tag}>{}</{tag}>", escaped(c))).collect();
        let _ = writeln!(out, "<tr>{cells}</tr>");
    }
    out + "</table></div>\n"
}

/// Bars, one histogram for each set.
fn histograms<'a>(c: &'a Comparison, of: impl Fn(&'a SetFigures) -> Option<&'a [Bar]>) -> String {
    let (bar, height) = (38.0, 110.0);
    let mut out = String::new();
    for set in &c.sets {
        let Some(bars) = of(set) else { continue };
        let width = bar * bars.len() as f64;
        let _ = write!(
            out,
            "<figure><svg width=\"{width}\" height=\"{}\" font-family=\"sans-serif\" font-size=\"10\">",
            height + 30.0
        );
        for (i, b) in bars.iter().enumerate() {
            let (x, h) = (bar * i as f64, (height - 14.0) * b.share);
            let y = height - h;
            let label = if b.to.is_finite() { format!("&lt; {}", b.to) } else { "more".to_owned() };
            let middle = x + bar / 2.0;
            let _ = write!(
                out,
                "<rect x=\"{:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{h:.1}\" fill=\"#30728e\"/>\
                 <text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{:.0} %</text>\
                 <text x=\"{middle:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{label}</text>",
                x + 3.0,
                bar - 6.0,
                y - 3.0,
                100.0 * b.share,
                height + 14.0
            );
        }
        let _ =
            writeln!(out, "</svg><figcaption>{}: distances in radii</figcaption></figure>", escaped(&set.cost.name));
    }
    out
}

fn scale() -> String {
    let stops: Vec<String> = (0..=8)
        .map(|i| {
            let [r, g, b] = heat(f64::from(i) / 8.0);
            format!("rgb({r},{g},{b})")
        })
        .collect();
    format!(
        "<p>0 <span class=\"scale\" style=\"background:linear-gradient(to right,{})\"></span> {BRIGHTEST} radii and more</p>\n",
        stops.join(",")
    )
}

fn cloth_pictures(c: &Comparison) -> Result<String> {
    let mut out = scale();
    for set in &c.sets {
        let Some(cloth) = &set.cloth else { continue };
        if let Some(picture) = &cloth.picture {
            let caption = format!("{} against {}, frame {}", set.cost.name, c.reference, cloth.worst_frame);
            out += &figure(picture, &caption)?;
        }
    }
    Ok(out)
}

fn bending_pictures(set: &SetFigures) -> Result<String> {
    let Some(bending) = &set.bending else { return Ok(String::new()) };
    let mut out = format!("<h2>Bending models in pictures: {}</h2>\n{}", escaped(&set.cost.name), scale());
    for shape in &bending.shapes {
        for model in &shape.models {
            if let Some(picture) = &model.picture {
                out += &figure(picture, &format!("{}: {} against the 4D tables", shape.name, model.model))?;
            }
        }
    }
    Ok(out)
}
