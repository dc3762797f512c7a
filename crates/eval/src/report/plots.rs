//! The five plots, each a function from its data to one SVG.

use super::{
    CalibrationPlot, LatencyPlot, LinePlot, Palette, QualityPlot,
    svg::{Drawing, Frame, Scale, WIDTH, colour, dashes, shortened, text_width},
};

/// A finished plot.
pub(super) struct Plot {
    pub(super) svg: String,
    /// Values that had no place on the axes.
    pub(super) n_undrawn: usize,
}

/// Right edge of the area between the axes: room for half a tick label.
const RIGHT: f64 = WIDTH - 24.0;
/// Left edge where a turned label and tick labels stand.
const LEFT: f64 = 72.0;
/// From the bottom of the frame to the middle of the first row of a legend.
const TO_LEGEND: f64 = 64.0;

/// One row per system: a mark for the mean and a bar for its interval.
pub(super) fn quality(data: &QualityPlot, palette: &Palette) -> Plot {
    const ROW: f64 = 30.0;
    const MAX_CHARS: usize = 36;
    let systems: Vec<_> =
        data.systems.iter().filter(|(_, estimate)| estimate.value.is_finite()).collect();
    let names: Vec<String> = systems.iter().map(|(name, _)| shortened(name, MAX_CHARS)).collect();
    let widest = names.iter().map(|name| text_width(name)).fold(0.0, f64::max);
    let top = 14.0;
    let bottom = top + ROW * systems.len().max(1) as f64;
    // The value stands in a column of its own at the right, clear of every interval.
    let frame = Frame { left: widest + 24.0, right: RIGHT - 60.0, top, bottom };
    let ends = |estimate: &super::Estimate| {
        let interval = estimate.interval.filter(|(low, high)| low.is_finite() && high.is_finite());
        interval.unwrap_or((estimate.value, estimate.value))
    };
    let values: Vec<f64> = systems
        .iter()
        .flat_map(|(_, estimate)| [ends(estimate).0, estimate.value, ends(estimate).1])
        .collect();
    let scale = Scale::around(values.iter().copied(), frame.left, frame.right);
    let mut drawing = Drawing::new(bottom + 52.0);
    drawing.x_axis(frame, scale, &scale.ticks(), &data.measure);
    for (i, ((full_name, estimate), name)) in systems.iter().zip(&names).enumerate() {
        let y = top + ROW * (i as f64 + 0.5);
        let (low, high) = ends(estimate);
        drawing.text("label", "end", (frame.left - 10.0, y + 4.0), name);
        let (x1, x2) = (scale.at(low), scale.at(high));
        for (from, to) in
            [((x1, y), (x2, y)), ((x1, y - 5.0), (x1, y + 5.0)), ((x2, y - 5.0), (x2, y + 5.0))]
        {
            drawing.line("axis", from, to);
        }
        let title = format!("{full_name}: {:.4} ({low:.4} to {high:.4})", estimate.value);
        drawing.mark(palette.series(full_name), (scale.at(estimate.value), y), &title);
        let text = format!("{:.3}", estimate.value);
        drawing.text("label", "end", (RIGHT, y + 4.0), &text);
    }
    drawing.line("axis", (frame.left, frame.top), (frame.left, frame.bottom));
    Plot {
        svg: drawing.finish(&format!(
            "{} of {} systems with intervals",
            data.measure,
            systems.len()
        )),
        n_undrawn: data.systems.len() - systems.len(),
    }
}

/// Lines over the cycles of the loop.
pub(super) fn by_cycle(data: &LinePlot, palette: &Palette) -> Plot {
    let last = xs(data).fold(1.0, f64::max);
    // Half a cycle of room keeps the marks off the axes.
    let scale = Scale::linear(0.5, last + 0.5, LEFT, RIGHT);
    let ticks: Vec<f64> = (1..=last as u32).map(f64::from).collect();
    lines(data, palette, scale, &ticks, "cycle", f64::is_finite)
}

/// Lines over token budgets.
pub(super) fn by_tokens(data: &LinePlot, palette: &Palette) -> Plot {
    let positive = |x: f64| x.is_finite() && 0.0 < x;
    let values: Vec<f64> = xs(data).filter(|x| positive(*x)).collect();
    let scale = Scale::log(values.iter().copied(), LEFT, RIGHT);
    // Budgets are few and chosen; the axis names them instead of round numbers between them.
    let mut ticks = values;
    ticks.sort_by(f64::total_cmp);
    ticks.dedup_by(|a, b| a.total_cmp(b).is_eq());
    if ticks.is_empty() || 16 < ticks.len() {
        ticks = scale.ticks();
    }
    lines(data, palette, scale, &ticks, "budget (tokens)", positive)
}

/// The x of every point that has one.
fn xs(data: &LinePlot) -> impl Iterator<Item = f64> + '_ {
    data.lines.iter().flat_map(|line| line.points.iter().map(|(x, _)| *x)).filter(|x| x.is_finite())
}

fn lines(
    data: &LinePlot,
    palette: &Palette,
    x: Scale,
    ticks: &[f64],
    x_label: &str,
    has_place: impl Fn(f64) -> bool,
) -> Plot {
    let frame = Frame { left: LEFT, right: RIGHT, top: 14.0, bottom: 320.0 };
    let drawn: Vec<Vec<(f64, f64)>> = data
        .lines
        .iter()
        .map(|line| {
            let points = line.points.iter().copied();
            points.filter(|(x, y)| has_place(*x) && y.is_finite()).collect()
        })
        .collect();
    let values = drawn.iter().flatten().map(|(_, value)| *value);
    let y = Scale::around(values, frame.bottom, frame.top);
    let mut drawing = Drawing::new(frame.bottom + 52.0);
    drawing.x_axis(frame, x, ticks, x_label);
    drawing.y_axis(frame, y, &data.measure);
    for (line, points) in data.lines.iter().zip(&drawn) {
        let n = palette.series(&line.system);
        let path: Vec<String> =
            points.iter().map(|&(px, py)| format!("{:.1},{:.1}", x.at(px), y.at(py))).collect();
        if 1 < path.len() {
            drawing.push(&format!(
                "<polyline points=\"{}\" fill=\"none\" stroke=\"{}\" stroke-width=\"2\" stroke-dasharray=\"{}\"/>",
                path.join(" "),
                colour(n),
                dashes(n)
            ));
        }
        for &(px, py) in points {
            let title = format!("{}: {py:.4} at {px}", line.system);
            drawing.mark(n, (x.at(px), y.at(py)), &title);
        }
    }
    let names: Vec<(usize, &str)> = data
        .lines
        .iter()
        .map(|line| (palette.series(&line.system), line.system.as_str()))
        .collect();
    drawing.legend(frame.left, frame.bottom + TO_LEGEND, &names, true);
    let n_points: usize = data.lines.iter().map(|line| line.points.len()).sum();
    Plot {
        svg: drawing.finish(&format!("{} by {x_label} of {} systems", data.measure, names.len())),
        n_undrawn: n_points - drawn.iter().map(Vec::len).sum::<usize>(),
    }
}

/// One mark per system; names stand in a legend, where they cannot collide.
pub(super) fn by_latency(data: &LatencyPlot, palette: &Palette) -> Plot {
    let frame = Frame { left: LEFT, right: RIGHT, top: 14.0, bottom: 320.0 };
    let drawn: Vec<_> = data
        .systems
        .iter()
        .filter(|(_, ms, value)| ms.is_finite() && 0.0 < *ms && value.is_finite())
        .collect();
    let x = Scale::log(drawn.iter().map(|(_, ms, _)| *ms), frame.left, frame.right);
    let y = Scale::around(drawn.iter().map(|(.., value)| *value), frame.bottom, frame.top);
    let mut drawing = Drawing::new(frame.bottom + 52.0);
    let label = if data.latency.is_empty() { "time" } else { &data.latency };
    drawing.x_axis(frame, x, &x.ticks(), &format!("{label} (ms)"));
    drawing.y_axis(frame, y, &data.measure);
    for (name, ms, value) in &drawn {
        let title = format!("{name}: {value:.4} in {ms:.1} ms");
        drawing.mark(palette.series(name), (x.at(*ms), y.at(*value)), &title);
    }
    let names: Vec<(usize, &str)> =
        drawn.iter().map(|(name, ..)| (palette.series(name), name.as_str())).collect();
    drawing.legend(frame.left, frame.bottom + TO_LEGEND, &names, false);
    Plot {
        svg: drawing.finish(&format!(
            "{} against {label} of {} systems",
            data.measure,
            names.len()
        )),
        n_undrawn: data.systems.len() - drawn.len(),
    }
}

/// Precision over relevance per bin with the diagonal, and how many files each bin holds.
pub(super) fn calibration(data: &CalibrationPlot) -> Plot {
    const SIDE: f64 = 320.0;
    const BARS: f64 = 70.0;
    let left = f64::midpoint(LEFT, WIDTH - SIDE - LEFT);
    let frame = Frame { left, right: left + SIDE, top: 14.0, bottom: 14.0 + SIDE };
    let below = Frame { top: frame.bottom + 26.0, bottom: frame.bottom + 26.0 + BARS, ..frame };
    let x = Scale::linear(0.0, 1.0, frame.left, frame.right);
    let y = Scale::linear(0.0, 1.0, frame.bottom, frame.top);
    let mut drawing = Drawing::new(below.bottom + 52.0);
    drawing.y_axis(frame, y, "");
    let label_x = frame.left - 52.0;
    drawing.push(&format!(
        "<text class=\"soft\" transform=\"translate({label_x:.1} {:.1}) rotate(-90)\" text-anchor=\"middle\">share that is relevant</text>",
        f64::midpoint(frame.top, frame.bottom)
    ));
    drawing.line("axis", (frame.left, frame.bottom), (frame.right, frame.bottom));
    drawing.line("ideal", (frame.left, frame.bottom), (frame.right, frame.top));
    drawing.x_axis(below, x, &x.ticks(), "relevance given");
    let most = data.bins.iter().map(|bin| bin.n).max().unwrap_or(0);
    let n_files: usize = data.bins.iter().map(|bin| bin.n).sum();
    for bin in data.bins.iter().filter(|bin| 0 < bin.n) {
        let height = bin.n as f64 / most as f64 * BARS;
        let (x1, x2) = (x.at(bin.low), x.at(bin.high));
        drawing.push(&format!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{height:.1}\" fill=\"{}\" opacity=\"0.55\"><title>{} files</title></rect>",
            x1 + 1.0,
            below.bottom - height,
            x2 - x1 - 2.0,
            colour(0),
            bin.n
        ));
        let title = format!(
            "{:.1} to {:.1}: {:.3} of {} files, mean relevance {:.3}",
            bin.low, bin.high, bin.precision, bin.n, bin.mean_relevance
        );
        drawing.mark(0, (x.at(bin.mean_relevance), y.at(bin.precision)), &title);
    }
    let lines = [
        format!("expected calibration error {:.3}", data.error),
        format!("{n_files} files, at most {most} in a bin"),
    ];
    for (i, line) in lines.iter().enumerate() {
        let at = (frame.right + 24.0, frame.top + 24.0 + 22.0 * i as f64);
        drawing.text("label", "start", at, line);
    }
    Plot { svg: drawing.finish("share of relevant files by relevance given"), n_undrawn: 0 }
}
