// Renders a chart of the page: heading, summary, plot and legend. uPlot draws the plot; its script defines a global.
// The texts are HTML, so that the chart can be read without the plot.
import { describeCurrentValues, describeMaximum, isEmpty } from "./chart-data.js";
import { formatPeriod, formatTimeOfDay } from "./format.js";

/** @import { Chart, Series } from "./chart-data.js" */

// Each pair of colour and dash is used once, so that people who can't tell the colours apart can tell the lines apart.
const colours = 6;
const dashes = [[], [8, 4], [2, 3], [10, 3, 2, 3], [5, 2]];

/** @type {(name: string) => string} */
const readColour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name);
/** @type {(index: number) => string} */
const lineColour = (index) => `--line-${(index % colours) + 1}`;
/** @type {(index: number) => number[]} */
const lineDash = (index) => /** @type {number[]} */ (dashes[index % dashes.length]);

/** Renders a chart in a figure, and updates it. */
export class ChartView {
  #summary = document.createElement("p");
  #plotBox = Object.assign(document.createElement("div"), { className: "plot", role: "img" });
  // Hidden from screen readers, because the label of the plot has the same values.
  #legend = Object.assign(document.createElement("ul"), { className: "legend", ariaHidden: "true" });
  #chart;
  /** @type {uPlot | undefined} */
  #plot;
  #plottedLabels = "";

  /**
   * Adds the figure to `container`. It is empty until the first update.
   * @param {HTMLElement} container
   * @param {Chart} chart
   */
  constructor(container, chart) {
    this.#chart = chart;
    const heading = document.createElement("h2");
    heading.append(`${chart.title} `, Object.assign(document.createElement("span"), { textContent: chart.subtitle }));
    const figure = document.createElement("figure");
    figure.append(heading, this.#summary, this.#plotBox, this.#legend);
    container.append(figure);
    new ResizeObserver(() => this.#plot?.setSize(sizeOf(this.#plotBox))).observe(this.#plotBox);
    // The plot reads its colours when it is drawn.
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.#plot?.redraw(false));
  }

  /**
   * Shows the chart with new data. Creates a new plot if the chart has other series than before.
   * @param {Chart} chart
   * @param {number[]} times
   */
  update(chart, times) {
    this.#chart = chart;
    const { title, subtitle, seconds, series } = chart;
    this.#summary.textContent = describeMaximum(chart, times);
    this.#summary.className = isEmpty(chart) ? "empty" : "";
    const period = formatPeriod(seconds / 60);
    this.#plotBox.ariaLabel = `${title}, ${subtitle}, in the last ${period}. ${describeCurrentValues(chart)}`;
    this.#plotBox.hidden = this.#legend.hidden = isEmpty(chart);
    const data = /** @type {uPlot.AlignedData} */ ([times, ...series.map(({ values }) => values)]);
    const labels = JSON.stringify(series.map(({ label }) => label));
    if (labels === this.#plottedLabels) this.#plot?.setData(data);
    else {
      this.#createPlot(data);
      this.#plottedLabels = labels;
    }
    this.#showValues();
  }

  /** @param {uPlot.AlignedData} data */
  #createPlot(data) {
    const items = this.#chart.series.map(({ label }, index) => createLegendItem(label, index));
    this.#legend.replaceChildren(...items, document.createElement("li"));
    this.#plot?.destroy();
    const hooks = { setCursor: [() => this.#showValues()] };
    this.#plot = new uPlot(
      { ...sizeOf(this.#plotBox), ...toOptions(this.#chart, () => this.#chart.seconds), hooks },
      data,
      this.#plotBox,
    );
  }

  // Shows the values at the cursor, which all charts share, or the current values without a cursor.
  #showValues() {
    const index = this.#plot?.cursor.idx ?? -1;
    const hasCursor = index >= 0;
    for (const [line, cell] of this.#legend.querySelectorAll("b").entries()) {
      const { values, current } = /** @type {Series} */ (this.#chart.series[line]);
      cell.textContent = this.#chart.format((hasCursor ? values[index] : current) ?? null);
    }
    const time = /** @type {HTMLElement} */ (this.#legend.lastChild);
    time.textContent = hasCursor ? formatTimeOfDay(Number(this.#plot?.data[0][index]), "medium") : "now";
  }
}

/** @type {(box: HTMLElement) => { width: number, height: number }} */
function sizeOf({ clientWidth, clientHeight }) {
  return { width: clientWidth, height: clientHeight };
}

/** @type {(chart: Chart, readPeriod: () => number) => Omit<uPlot.Options, "width" | "height">} */
function toOptions({ format, series }, readPeriod) {
  const axis = {
    stroke: () => readColour("--soft"),
    font: "12px system-ui, sans-serif",
    grid: { stroke: () => readColour("--rule"), width: 1 },
    ticks: { show: false },
  };
  return {
    legend: { show: false },
    cursor: { drag: { x: false, y: false }, sync: { key: "status", scales: ["x", null] }, points: { size: 7 } },
    scales: {
      // Always the whole period, also if the service was started later.
      x: { range: ({ data }) => [(data[0].at(-1) ?? 0) - readPeriod(), data[0].at(-1) ?? 0] },
      y: { range: (_, __, max) => [0, Math.max(max * 1.15, 0.2)] },
    },
    axes: [
      { ...axis, space: 70, size: 28, values: (_, times) => times.map((time) => formatTimeOfDay(time, "short")) },
      { ...axis, space: 34, size: 64, values: (_, values) => values.map(format) },
    ],
    series: [
      {},
      ...series.map(({ label }, index) => ({
        label,
        stroke: () => readColour(lineColour(index)),
        width: 2,
        dash: lineDash(index),
        points: { show: true, size: 5, fill: () => readColour(lineColour(index)), filter: findIsolatedPoints },
      })),
    ],
  };
}

// A point between two gaps has no line, so it is drawn as a dot.
/** @type {(plot: uPlot, series: number) => number[]} */
function findIsolatedPoints({ data }, series) {
  const values = /** @type {(number | null)[]} */ (data[series]);
  return values.flatMap((value, index) =>
    value !== null && (values[index - 1] ?? null) === null && (values[index + 1] ?? null) === null ? index : [],
  );
}

// A sample of the line, its label, and an empty element for the value.
/** @type {(label: string, index: number) => HTMLElement} */
function createLegendItem(label, index) {
  const item = document.createElement("li");
  const namespace = "http://www.w3.org/2000/svg";
  const sample = document.createElementNS(namespace, "svg");
  const line = document.createElementNS(namespace, "line");
  for (const [name, value] of Object.entries({ x1: 0, x2: 26, y1: 5, y2: 5, class: lineColour(index).slice(2) }))
    line.setAttribute(name, `${value}`);
  line.setAttribute("stroke-dasharray", lineDash(index).join(" "));
  sample.append(line);
  item.append(sample, `${label} `, document.createElement("b"));
  return item;
}
