//! Axes, marks and legends: what all plots are made of.
//!
//! Coordinates are those of the SVG: pixels, y downwards. Text is measured by a plain estimate,
//! generous enough that labels do not collide in any ordinary sans-serif face.

use std::fmt::Write as _;

use super::escape;

/// Width of every plot.
pub(super) const WIDTH: f64 = 860.0;
/// Height of one row of a legend.
const LEGEND_ROW: f64 = 22.0;
/// Least distance between the labels of neighbouring ticks.
const LABEL_GAP: f64 = 10.0;

/// Colours that stay apart for colour-blind readers (Okabe and Ito, "Color universal design", 2008);
/// the yellow and black of that set are left out, for they vanish on a light or dark page.
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
/// After the colours have gone round, lines change their dashes and marks their shape.
const DASHES: [&str; 4] = ["", "7 4", "2 3", "9 3 2 3"];

/// The colour of the n-th series.
pub(super) fn colour(n: usize) -> &'static str {
    COLOURS[n % COLOURS.len()]
}

/// The dashes of the n-th series.
pub(super) fn dashes(n: usize) -> &'static str {
    DASHES[n / COLOURS.len() % DASHES.len()]
}

/// Estimated width of a text of 12 or 13 pixels.
pub(super) fn text_width(text: &str) -> f64 {
    text.chars().map(|c| if c.is_ascii() { 7.2 } else { 9.0 }).sum()
}

/// A text cut to a number of characters, with an ellipsis if it was.
pub(super) fn shortened(text: &str, n_chars: usize) -> String {
    if text.chars().count() <= n_chars {
        return text.to_owned();
    }
    text.chars().take(n_chars - 1).chain(['…']).collect()
}

/// How values become pixels along one axis.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    low: f64,
    high: f64,
    from: f64,
    to: f64,
    log: bool,
}

impl Scale {
    /// A linear axis from `low` to `high`, drawn from pixel `from` to pixel `to`.
    pub(super) fn linear(low: f64, high: f64, from: f64, to: f64) -> Scale {
        Scale { low, high, from, to, log: false }
    }

    /// A logarithmic axis around positive values, with a little room at both ends.
    pub(super) fn log(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Scale {
        let (low, high) = bounds(values).unwrap_or((1.0, 10.0));
        let room = (high / low).powf(0.06).max(1.15);
        Scale { low: low / room, high: high * room, from, to, log: true }
    }

    /// A linear axis around values between 0 and 1 that keeps small differences visible: it starts
    /// and ends at round numbers.
    pub(super) fn around(values: impl Iterator<Item = f64> + Clone, from: f64, to: f64) -> Scale {
        let (low, high) = bounds(values).unwrap_or((0.0, 1.0));
        let step = round_step((high - low).max(0.02) / 4.0);
        let low = ((low / step - 0.25).floor() * step).max(0.0);
        let high = ((high / step + 0.25).ceil() * step).min(1.0).max(low + step);
        Scale { low, high, from, to, log: false }
    }

    /// The pixel of a value.
    pub(super) fn at(self, value: f64) -> f64 {
        let share = if self.log {
            (value / self.low).ln() / (self.high / self.low).ln()
        } else {
            (value - self.low) / (self.high - self.low)
        };
        self.from + share * (self.to - self.from)
    }

    /// Round values along the axis.
    pub(super) fn ticks(self) -> Vec<f64> {
        if self.log {
            let decades = self.low.log10().floor() as i32..=self.high.log10().ceil() as i32;
            let ticks = decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|m| m * 10_f64.powi(decade)));
            return ticks.filter(|tick| (self.low..=self.high).contains(tick)).collect();
        }
        let step = round_step((self.high - self.low) / 6.0);
        let first = (self.low / step - 1e-9).ceil();
        let n = ((self.high / step + 1e-9).floor() - first) as usize;
        (0..=n).map(|i| (first + i as f64) * step).collect()
    }
}

/// Smallest and largest value.
fn bounds(values: impl Iterator<Item = f64>) -> Option<(f64, f64)> {
    values.fold(None, |bounds, value| {
        let (low, high) = bounds.unwrap_or((value, value));
        Some((f64::min(low, value), f64::max(high, value)))
    })
}

/// The smallest of 1, 2, 5, 10, ... that is not below `least`.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.log10().floor());
    let steps = [1.0, 2.0, 5.0, 10.0];
    steps.map(|m| m * power).into_iter().find(|step| least <= step * (1.0 + 1e-9)).unwrap_or(power)
}

/// A tick as text: `0.25`, `8k`, `1.5k`.
pub(super) fn tick_text(value: f64) -> String {
    let (value, unit) = match value {
        v if 1e6 <= v => (v / 1e6, "M"),
        v if 1e3 <= v => (v / 1e3, "k"),
        v => (v, ""),
    };
    let text = format!("{value:.3}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    format!("{text}{unit}")
}

/// A drawing under construction.
pub(super) struct Drawing {
    body: String,
    height: f64,
}

/// The rectangle between the axes.
#[derive(Clone, Copy)]
pub(super) struct Frame {
    pub(super) left: f64,
    pub(super) right: f64,
    pub(super) top: f64,
    pub(super) bottom: f64,
}

impl Drawing {
    pub(super) fn new(height: f64) -> Drawing {
        Drawing { body: String::new(), height }
    }

    /// Adds an element as it is.
    pub(super) fn push(&mut self, element: &str) {
        self.body.push_str(element);
        self.body.push('\n');
    }

    /// A straight line of a style class.
    pub(super) fn line(&mut self, class: &str, from: (f64, f64), to: (f64, f64)) {
        let ((x1, y1), (x2, y2)) = (from, to);
        self.push(&format!(
            "<line class=\"{class}\" x1=\"{x1:.1}\" y1=\"{y1:.1}\" x2=\"{x2:.1}\" y2=\"{y2:.1}\"/>"
        ));
    }

    /// A text; `anchor` is `start`, `middle` or `end`.
    pub(super) fn text(&mut self, class: &str, anchor: &str, (x, y): (f64, f64), text: &str) {
        self.push(&format!(
            "<text class=\"{class}\" x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{}</text>",
            escape(text)
        ));
    }

    /// A mark of the n-th series; the shape changes after each round of colours.
    pub(super) fn mark(&mut self, n: usize, (x, y): (f64, f64), title: &str) {
        let (fill, title) = (colour(n), escape(title));
        let r = 5.0;
        let shape = match n / COLOURS.len() % 3 {
            0 => format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{r}\" fill=\"{fill}\">"),
            1 => format!(
                "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"9\" height=\"9\" fill=\"{fill}\">",
                x - 4.5,
                y - 4.5
            ),
            _ => format!(
                "<path d=\"M{x:.1} {:.1}L{:.1} {:.1}H{:.1}Z\" fill=\"{fill}\">",
                y - 6.0,
                x + 6.0,
                y + 5.0,
                x - 6.0
            ),
        };
        let name = shape[1..].split(' ').next().unwrap_or_default();
        self.push(&format!("{shape}<title>{title}</title></{name}>"));
    }

    /// The horizontal axis below the frame: grid, ticks whose labels do not collide, and the label.
    pub(super) fn x_axis(&mut self, frame: Frame, scale: Scale, ticks: &[f64], label: &str) {
        let mut free_from = f64::NEG_INFINITY;
        for tick in ticks {
            let x = scale.at(*tick);
            let text = tick_text(*tick);
            let half = text_width(&text) / 2.0;
            self.line("grid", (x, frame.top), (x, frame.bottom));
            self.line("axis", (x, frame.bottom), (x, frame.bottom + 4.0));
            if free_from <= x - half {
                self.text("label", "middle", (x, frame.bottom + 19.0), &text);
                free_from = x + half + LABEL_GAP;
            }
        }
        self.line("axis", (frame.left, frame.bottom), (frame.right, frame.bottom));
        let middle = f64::midpoint(frame.left, frame.right);
        self.text("soft", "middle", (middle, frame.bottom + 40.0), label);
    }

    /// The vertical axis left of the frame, its label turned.
    pub(super) fn y_axis(&mut self, frame: Frame, scale: Scale, label: &str) {
        for tick in scale.ticks() {
            let y = scale.at(tick);
            self.line("grid", (frame.left, y), (frame.right, y));
            self.text("label", "end", (frame.left - 8.0, y + 4.0), &tick_text(tick));
        }
        self.line("axis", (frame.left, frame.top), (frame.left, frame.bottom));
        let (x, y) = (16.0, f64::midpoint(frame.top, frame.bottom));
        let label = escape(label);
        self.push(&format!(
            "<text class=\"soft\" transform=\"translate({x} {y:.1}) rotate(-90)\" text-anchor=\"middle\">{label}</text>"
        ));
    }

    /// A legend in rows below `top`, of series by number and name; the drawing grows by what it needs.
    pub(super) fn legend(&mut self, left: f64, top: f64, names: &[(usize, &str)], with_line: bool) {
        let (mut x, mut y) = (left, top);
        for &(n, name) in names {
            let text = shortened(name, 48);
            let width = text_width(&text) + 52.0;
            if left < x && WIDTH - 8.0 < x + width {
                (x, y) = (left, y + LEGEND_ROW);
            }
            if with_line {
                let (colour, dashes) = (colour(n), dashes(n));
                self.push(&format!(
                    "<line x1=\"{x:.1}\" y1=\"{y:.1}\" x2=\"{:.1}\" y2=\"{y:.1}\" stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"/>",
                    x + 26.0
                ));
            }
            self.mark(n, (x + 13.0, y), name);
            self.text("label", "start", (x + 32.0, y + 4.0), &text);
            x += width;
        }
        self.height = self.height.max(y + LEGEND_ROW / 2.0 + 4.0);
    }

    /// The finished element; `description` is for readers that do not see it.
    pub(super) fn finish(self, description: &str) -> String {
        let mut svg = String::new();
        // Writing into a string cannot fail.
        let _ = write!(
            svg,
            "<svg viewBox=\"0 0 {WIDTH} {:.0}\" role=\"img\" aria-label=\"{}\">\n{}</svg>\n",
            self.height,
            escape(description),
            self.body
        );
        svg
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_ticks(scale: Scale, expected: &[&str]) {
        let ticks: Vec<String> = scale.ticks().into_iter().map(tick_text).collect();
        assert_eq!(ticks, expected);
    }

    #[test]
    fn linear_ticks_are_round_and_inside() {
        check_ticks(Scale::linear(0.0, 1.0, 0.0, 1.0), &["0", "0.2", "0.4", "0.6", "0.8", "1"]);
        check_ticks(Scale::linear(0.45, 0.6, 0.0, 1.0), &["0.45", "0.5", "0.55", "0.6"]);
    }

    #[test]
    fn log_ticks_are_one_two_five() {
        check_ticks(
            Scale::log([3.0, 400.0].into_iter(), 0.0, 1.0),
            &["5", "10", "20", "50", "100", "200", "500"],
        );
    }

    #[test]
    fn an_axis_around_values_holds_them_with_room() {
        let scale = Scale::around([0.47, 0.58].into_iter(), 0.0, 100.0);
        assert!(0.0 < scale.at(0.47) && scale.at(0.58) < 100.0);
        assert!(0.44 <= scale.low && scale.high <= 0.65, "{scale:?}");
    }

    #[test]
    fn an_axis_never_leaves_0_to_1() {
        let scale = Scale::around([0.0, 1.0].into_iter(), 0.0, 1.0);
        assert!(scale.low.abs() < 1e-12 && (scale.high - 1.0).abs() < 1e-12);
    }

    #[test]
    fn large_ticks_are_short() {
        assert_eq!(tick_text(8000.0), "8k");
        assert_eq!(tick_text(1500.0), "1.5k");
        assert_eq!(tick_text(2e6), "2M");
        assert_eq!(tick_text(0.25), "0.25");
        assert_eq!(tick_text(10.0), "10");
    }

    #[test]
    fn a_long_name_is_cut() {
        assert_eq!(shortened("abcdef", 4), "abc…");
        assert_eq!(shortened("abcd", 4), "abcd");
    }
}
