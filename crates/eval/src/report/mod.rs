//! The report: one HTML page that explains a run to people.
//!
//! The page is self-contained: inline style, plots as inline SVG, no script, nothing fetched. It is a
//! function of [`ReportData`], which the caller fills; a part that is absent is left out. A value that
//! has no place on an axis (not a number, or 0 on a logarithmic axis) is not drawn, and the figure
//! says how many there were.

mod fill;
mod plots;
mod svg;

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::calibration::Bin;

/// All that a report can show.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct ReportData {
    /// Heading of the page.
    pub title: String,
    /// What was measured, on what, with which version: one line each.
    pub notes: Vec<String>,
    /// Tables of systems and measures.
    pub tables: Vec<Table>,
    /// Quality by system.
    pub quality: Option<QualityPlot>,
    /// Recall after each cycle; x is the cycle.
    pub recall_by_cycle: Option<LinePlot>,
    /// Recall within a token budget; x is the budget in tokens.
    pub recall_by_tokens: Option<LinePlot>,
    /// Quality against latency.
    pub quality_by_latency: Option<LatencyPlot>,
    /// Calibration of relevance.
    pub calibration: Option<CalibrationPlot>,
}

/// A table of systems and measures.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// What the figures are: average, topics, cut-offs.
    pub caption: String,
    /// Names of the measures.
    pub columns: Vec<String>,
    /// One row per system.
    pub rows: Vec<Row>,
}

/// One system in a table.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Row {
    /// Name of the system.
    pub system: String,
    /// One estimate per column; missing ones stay empty.
    pub cells: Vec<Option<Estimate>>,
}

/// A value with its uncertainty.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Estimate {
    /// The value.
    pub value: f64,
    /// Ends of its 95 % interval.
    #[serde(default)]
    pub interval: Option<(f64, f64)>,
}

/// Quality by system.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct QualityPlot {
    /// Label of the axis, such as `nDCG@10, macro mean`.
    pub measure: String,
    /// Systems from top to bottom.
    pub systems: Vec<(String, Estimate)>,
}

/// Lines over a common axis.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinePlot {
    /// Label of the vertical axis, such as `R@20, macro mean`.
    pub measure: String,
    /// One line per system.
    pub lines: Vec<Line>,
}

/// One line.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// Name of the system.
    pub system: String,
    /// Points in order of x.
    pub points: Vec<(f64, f64)>,
}

/// Quality against latency.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LatencyPlot {
    /// Label of the vertical axis, such as `nDCG@10, macro mean`.
    pub measure: String,
    /// Which latency, such as `median time per task`.
    pub latency: String,
    /// Per system its latency in milliseconds and its quality.
    pub systems: Vec<(String, f64, f64)>,
}

/// Calibration of relevance.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CalibrationPlot {
    /// The reliability table.
    pub bins: Vec<Bin>,
    /// Expected calibration error.
    pub error: f64,
}

const STYLE: &str = "\
:root{--ink:#1b1f24;--soft:#57606a;--rule:#d0d7de;--grid:#e6eaee;--page:#fff;--band:#f6f8fa}
@media(prefers-color-scheme:dark){:root{--ink:#e6edf3;--soft:#9aa4af;--rule:#3d444d;--grid:#262c34;--page:#0d1117;--band:#151b23}}
*{box-sizing:border-box}
body{margin:0 auto;padding:2rem 1.5rem 4rem;max-width:62rem;background:var(--page);color:var(--ink);font:16px/1.5 system-ui,sans-serif}
h1{font-size:1.7rem;line-height:1.25;margin:0 0 .5rem}
h2{font-size:1.2rem;margin:2.5rem 0 .5rem}
.notes{margin:0;padding:0;list-style:none;color:var(--soft);font-size:.9rem;overflow-wrap:anywhere}
.scroll{overflow-x:auto}
table{border-collapse:collapse;font-size:.9rem;font-variant-numeric:tabular-nums;width:100%}
caption{text-align:left;color:var(--soft);padding:.3rem 0}
th,td{padding:.35rem .55rem;border-bottom:1px solid var(--rule);text-align:right;white-space:nowrap}
th:first-child{text-align:left}
thead th{background:var(--band)}
tbody th{font-weight:500;white-space:normal;min-width:9rem}
.best{font-weight:700}
.interval{display:block;color:var(--soft);font-size:.78rem;font-weight:400}
figure{margin:0}
figcaption{color:var(--soft);font-size:.85rem}
svg{display:block;width:100%;height:auto;font:13px system-ui,sans-serif}
svg text{fill:var(--ink)}
.axis{stroke:var(--soft);stroke-width:1}
.grid{stroke:var(--grid);stroke-width:1}
.ideal{stroke:var(--soft);stroke-width:1;stroke-dasharray:4 4}
.label{font-size:12px}
svg .soft{fill:var(--soft)}
";

/// The page.
pub fn html(data: &ReportData) -> String {
    let title = escape(&data.title);
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n\
         <title>{title}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<h1>{title}</h1>\n"
    );
    if !data.notes.is_empty() {
        page.push_str("<ul class=\"notes\">\n");
        for note in &data.notes {
            // Writing into a string cannot fail.
            let _ = writeln!(page, "<li>{}</li>", escape(note));
        }
        page.push_str("</ul>\n");
    }
    if !data.tables.is_empty() {
        page.push_str("<h2>Figures</h2>\n");
        for table in &data.tables {
            push_table(&mut page, table);
        }
    }
    let palette = Palette::of(data);
    let mut figure = |title: &str, explanation: &str, plot: Option<plots::Plot>| {
        let Some(plot) = plot else { return };
        let _ = write!(page, "<h2>{title}</h2>\n<figure>\n{}<figcaption>{explanation}", plot.svg);
        if 0 < plot.n_undrawn {
            let _ = write!(page, " {} values have no place on these axes.", plot.n_undrawn);
        }
        page.push_str("</figcaption>\n</figure>\n");
    };
    figure(
        "Quality by system",
        "Means with 95 % bootstrap intervals. Intervals that overlap do not say that two systems are \
         alike: only a paired test does.",
        data.quality.as_ref().map(|plot| plots::quality(plot, &palette)),
    );
    figure(
        "Recall by cycle",
        "Share of the relevant files found after each cycle of the loop.",
        data.recall_by_cycle.as_ref().map(|plot| plots::by_cycle(plot, &palette)),
    );
    figure(
        "Recall by token budget",
        "Share of the relevant files handed over whole within the budget. The axis is logarithmic.",
        data.recall_by_tokens.as_ref().map(|plot| plots::by_tokens(plot, &palette)),
    );
    figure(
        "Quality against latency",
        "Up and to the left is better. The time axis is logarithmic.",
        data.quality_by_latency.as_ref().map(|plot| plots::by_latency(plot, &palette)),
    );
    figure(
        "Calibration",
        "On the diagonal a relevance means what it says: of the files given 0.7, seven of ten are \
         relevant. The bars below show how many files fell into each bin.",
        data.calibration.as_ref().map(plots::calibration),
    );
    page.push_str("</body>\n</html>\n");
    page
}

/// The systems in order of first mention, so that each has one colour and mark on the whole page.
struct Palette<'a>(Vec<&'a str>);

impl Palette<'_> {
    fn of(data: &ReportData) -> Palette<'_> {
        let tables = data.tables.iter().flat_map(|table| table.rows.iter().map(|row| &row.system));
        let quality =
            data.quality.iter().flat_map(|plot| plot.systems.iter().map(|(name, _)| name));
        let lines = [&data.recall_by_cycle, &data.recall_by_tokens].into_iter().flatten();
        let lines = lines.flat_map(|plot| plot.lines.iter().map(|line| &line.system));
        let latency = data
            .quality_by_latency
            .iter()
            .flat_map(|plot| plot.systems.iter().map(|(name, ..)| name));
        let mut names: Vec<&str> = Vec::new();
        for name in tables.chain(quality).chain(lines).chain(latency) {
            if !names.contains(&name.as_str()) {
                names.push(name);
            }
        }
        Palette(names)
    }

    /// The number of a system; all unknown names share the one after the last.
    fn series(&self, system: &str) -> usize {
        self.0.iter().position(|name| *name == system).unwrap_or(self.0.len())
    }
}

fn push_table(page: &mut String, table: &Table) {
    let _ = write!(
        page,
        "<div class=\"scroll\"><table>\n<caption>{}</caption>\n<thead><tr><th scope=\"col\">system</th>",
        escape(&table.caption)
    );
    for column in &table.columns {
        let _ = write!(page, "<th scope=\"col\">{}</th>", escape(column));
    }
    page.push_str("</tr></thead>\n<tbody>\n");
    let cell = |row: &Row, i: usize| row.cells.get(i).copied().flatten();
    let best: Vec<f64> = (0..table.columns.len())
        .map(|i| {
            if table.columns[i].starts_with("Judged") {
                // It says how far to trust the others; more of it is not better.
                return f64::INFINITY;
            }
            let values = table.rows.iter().filter_map(|row| cell(row, i));
            values.map(|estimate| estimate.value).fold(f64::NEG_INFINITY, f64::max)
        })
        .collect();
    for row in &table.rows {
        let _ = write!(page, "<tr><th scope=\"row\">{}</th>", escape(&row.system));
        for (i, best) in best.iter().enumerate() {
            let Some(estimate) = cell(row, i) else {
                page.push_str("<td></td>");
                continue;
            };
            let class = if estimate.value < *best { "" } else { " class=\"best\"" };
            let _ = write!(page, "<td{class}>{:.3}", estimate.value);
            if let Some((low, high)) = estimate.interval {
                let _ = write!(page, "<span class=\"interval\">{low:.3}–{high:.3}</span>");
            }
            page.push_str("</td>");
        }
        page.push_str("</tr>\n");
    }
    page.push_str("</tbody></table></div>\n");
}

/// Text as it may stand in HTML and SVG, also inside a quoted attribute.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            _ => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::calibration::{Pair, reliability};

    /// Made-up figures for a page with every part.
    fn sample() -> ReportData {
        serde_json::from_str(include_str!("sample.json")).expect("sample data")
    }

    fn count(page: &str, what: &str) -> usize {
        page.matches(what).count()
    }

    #[test]
    fn a_page_with_every_part_has_five_plots_and_a_table() {
        let page = html(&sample());
        assert_eq!(count(&page, "<svg "), 5);
        assert_eq!(count(&page, "<table>"), 1);
        assert_eq!(count(&page, "<h2>"), 6);
    }

    #[test]
    fn nothing_is_fetched_and_nothing_runs() {
        let page = html(&sample());
        for foreign in ["<script", "<link", "<img", "@import", "url(", "https:", "src="] {
            assert_eq!(count(&page, foreign), 0, "{foreign}");
        }
        // The one address is the name of the SVG namespace, which inline SVG does not need.
        assert_eq!(count(&page, "http:"), 0);
    }

    #[test]
    fn absent_parts_are_left_out() {
        let page = html(&ReportData { title: "Empty".to_owned(), ..ReportData::default() });
        assert_eq!(count(&page, "<h2>") + count(&page, "<svg") + count(&page, "<ul"), 0);
        assert_eq!(count(&page, "<h1>Empty</h1>"), 1);
    }

    #[test]
    fn names_are_escaped_everywhere() {
        let name = "<b>\"x\" & 'y'</b>".to_owned();
        let mut data = sample();
        data.title.clone_from(&name);
        data.notes = vec![name.clone()];
        data.tables[0].rows[0].system.clone_from(&name);
        data.quality.as_mut().expect("a plot").systems[0].0.clone_from(&name);
        data.recall_by_cycle.as_mut().expect("a plot").lines[0].system.clone_from(&name);
        data.quality_by_latency.as_mut().expect("a plot").systems[0].0.clone_from(&name);
        assert_eq!(count(&html(&data), "<b>"), 0);
    }

    #[test]
    fn axes_carry_labels_with_units() {
        let page = html(&sample());
        for label in ["cycle", "budget (tokens)", "(ms)", "relevance given", "nDCG@10"] {
            assert!(page.contains(label), "{label}");
        }
    }

    #[test]
    fn a_value_without_a_place_is_counted_and_not_drawn() {
        let mut data = sample();
        let plot = data.quality_by_latency.as_mut().expect("a plot");
        plot.systems.push(("instant".to_owned(), 0.0, 0.5));
        plot.systems.push(("broken".to_owned(), 5.0, f64::NAN));
        let page = html(&data);
        assert!(page.contains(" 2 values have no place on these axes."));
        assert_eq!(count(&page, "NaN") + count(&page, "inf"), 0);
    }

    #[test]
    fn plots_of_nothing_are_still_well_formed() {
        let page = html(&ReportData {
            quality: Some(QualityPlot::default()),
            recall_by_cycle: Some(LinePlot::default()),
            recall_by_tokens: Some(LinePlot::default()),
            quality_by_latency: Some(LatencyPlot::default()),
            calibration: Some(CalibrationPlot { bins: reliability(&[]), error: 0.0 }),
            ..ReportData::default()
        });
        assert_eq!(count(&page, "<svg "), count(&page, "</svg>"));
        assert_eq!(count(&page, "NaN") + count(&page, "inf"), 0);
    }

    #[test]
    fn a_single_value_has_an_axis_around_it() {
        let estimate = Estimate { value: 0.5, interval: None };
        let plot =
            QualityPlot { measure: "RR".to_owned(), systems: vec![("one".to_owned(), estimate)] };
        let page = html(&ReportData { quality: Some(plot), ..ReportData::default() });
        assert_eq!(count(&page, "NaN"), 0);
        assert!(2 <= count(&page, "class=\"grid\""), "{page}");
    }

    #[test]
    fn the_best_value_of_a_column_is_marked() {
        let estimate = |value| Some(Estimate { value, interval: None });
        let row = |system: &str, value| Row {
            system: system.to_owned(),
            cells: vec![estimate(value), None],
        };
        let table = Table {
            caption: String::new(),
            columns: vec!["RR".to_owned(), "AP".to_owned()],
            rows: vec![row("a", 0.25), row("b", 0.5)],
        };
        let page = html(&ReportData { tables: vec![table], ..ReportData::default() });
        assert!(page.contains("<td class=\"best\">0.500</td><td></td>"));
        assert!(page.contains("<td>0.250</td>"));
    }

    #[test]
    fn a_system_has_the_same_colour_in_every_plot() {
        let data = sample();
        let palette = Palette::of(&data);
        assert_eq!(palette.series("bm25"), 0);
        assert_eq!(palette.series("loop, one cycle"), 2);
        let first = &data.recall_by_cycle.as_ref().expect("a plot").lines[0].system;
        assert_eq!(first, "loop, one cycle");
        let plot = plots::by_cycle(data.recall_by_cycle.as_ref().expect("a plot"), &palette);
        let first_line = plot.svg.find("<polyline").expect("a line");
        assert!(plot.svg[first_line..].contains(svg::colour(2)));
    }

    #[test]
    fn a_bin_without_files_has_no_point() {
        let pairs = [Pair { relevance: 0.95, relevant: true }];
        let plot = CalibrationPlot { bins: reliability(&pairs), error: 0.05 };
        let page = html(&ReportData { calibration: Some(plot), ..ReportData::default() });
        assert_eq!(count(&page, "<circle"), 1);
    }
}
