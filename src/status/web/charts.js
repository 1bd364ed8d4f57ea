// A chart of the page: heading, summary, plot and legend. The plot is uPlot's, a global of its own script; what is
// text is ours, so that it can be read without the plot.
import { clock, describeNow, isEmpty, summarize } from "./words.js";

/** @typedef {import("./words.js").Chart} Chart */

const hour = 3600; // seconds
// Colour and dash of a line: as many pairs as their product, so that lines differ also where colours don't.
const colours = 6;
const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2]];

/** @type {(name: string) => string} */
const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
/** @type {(index: number) => string} */
const lineColour = (index) => `--line-${(index % colours) + 1}`;
/** @type {(index: number) => number[]} */
const lineDash = (index) => /** @type {number[]} */ (dashes[index % dashes.length]);

/**
 * Adds a chart to `place`, without figures. What it gives shows some in it: where they have other lines than before, in a new plot.
 * @param {HTMLElement} place
 * @param {Chart} chart
 * @returns {(chart: Chart, times: number[]) => void}
 */
export function addChart(place, { title, about }) {
  const figure = place.appendChild(document.createElement("figure"));
  const heading = figure.appendChild(document.createElement("h2"));
  heading.append(`${title} `, Object.assign(document.createElement("span"), { textContent: about }));
  const summary = figure.appendChild(document.createElement("p"));
  const box = Object.assign(document.createElement("div"), { className: "plot", role: "img" });
  // What it says is in the label of the plot, too.
  const legend = Object.assign(document.createElement("ul"), { className: "legend", ariaHidden: "true" });
  figure.append(box, legend);
  /** @type {uPlot | undefined} */
  let plot;
  let labels = "";
  /** @type {Chart} */
  let shown;

  // The values at the cursor, which all charts share, or else the present ones.
  const tell = () => {
    const at = plot?.cursor.idx ?? -1;
    const value = (/** @type {Chart["lines"][number]} */ { values, now }) => (at < 0 ? now : values[at]);
    legend.querySelectorAll("b").forEach((cell, index) => {
      cell.textContent = shown.say(value(/** @type {Chart["lines"][number]} */ (shown.lines[index])) ?? null);
    });
    const when = /** @type {HTMLElement} */ (legend.lastChild);
    when.textContent = at < 0 ? "now" : clock(Number(plot?.data[0][at]), "medium");
  };

  new ResizeObserver(() => plot?.setSize(sizeOf(box))).observe(box);
  // Colours are read when a plot is drawn.
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => plot?.redraw(false));

  return (chart, times) => {
    shown = chart;
    const { lines } = chart;
    summary.textContent = summarize(chart, times);
    summary.className = isEmpty(lines) ? "none" : "";
    box.ariaLabel = `${title}, ${about}, in the last hour. ${describeNow(chart)}`;
    box.hidden = legend.hidden = isEmpty(lines);
    const data = /** @type {uPlot.AlignedData} */ ([times, ...lines.map(({ values }) => values)]);
    const wanted = JSON.stringify(lines.map(({ label }) => label));
    if (wanted === labels) plot?.setData(data);
    else {
      plot?.destroy();
      legend.replaceChildren(...lines.map(({ label }, index) => toItem(label, index)), document.createElement("li"));
      plot = new uPlot({ ...sizeOf(box), ...toOptions(chart), hooks: { setCursor: [tell] } }, data, box);
      labels = wanted;
    }
    tell();
  };
}

/** @type {(box: HTMLElement) => { width: number, height: number }} */
function sizeOf({ clientWidth, clientHeight }) {
  return { width: clientWidth, height: clientHeight };
}

/** @type {(chart: Chart) => Omit<uPlot.Options, "width" | "height">} */
function toOptions({ say, lines }) {
  const axis = {
    stroke: () => colour("--soft"),
    font: "12px system-ui, sans-serif",
    grid: { stroke: () => colour("--rule"), width: 1 },
    ticks: { show: false },
  };
  return {
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, sync: { key: "status", scales: ["x", null] }, points: { size: 7 } },
    scales: {
      // Always the hour, also where the service has run for a minute, or just begins.
      x: { range: ({ data }) => [(data[0].at(-1) ?? 0) - hour, data[0].at(-1) ?? 0] },
      y: { range: (_, __, most) => [0, Math.max(most * 1.15, 0.2)] },
    },
    axes: [
      { ...axis, space: 70, size: 28, values: (_, times) => times.map((at) => clock(at, "short")) },
      { ...axis, space: 34, size: 64, values: (_, values) => values.map(say) },
    ],
    series: [
      {},
      ...lines.map(({ label }, index) => ({
        label,
        stroke: () => colour(lineColour(index)),
        width: 2,
        dash: lineDash(index),
        points: { show: true, size: 5, fill: () => colour(lineColour(index)), filter: findLonely },
      })),
    ],
  };
}

// A point between two gaps has no line: it needs a dot to be seen.
/** @type {(plot: uPlot, series: number) => number[]} */
function findLonely({ data }, series) {
  const values = /** @type {(number | null)[]} */ (data[series]);
  return values.flatMap((value, at) =>
    value !== null && (values[at - 1] ?? null) === null && (values[at + 1] ?? null) === null ? at : [],
  );
}

// The line as it is drawn, its name, and room for a value.
/** @type {(label: string, index: number) => HTMLElement} */
function toItem(label, index) {
  const item = document.createElement("li");
  const svg = "http://www.w3.org/2000/svg";
  const sample = document.createElementNS(svg, "svg");
  const line = document.createElementNS(svg, "line");
  for (const [name, value] of Object.entries({ x1: 0, x2: 26, y1: 5, y2: 5, class: lineColour(index).slice(2) }))
    line.setAttribute(name, `${value}`);
  line.setAttribute("stroke-dasharray", lineDash(index).join(" "));
  sample.append(line);
  item.append(sample, `${label} `, document.createElement("b"));
  return item;
}
