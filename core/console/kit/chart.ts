/**
 * Draws a chart as SVG on the server. So the chart works without script, has the colours of the page, and is updated
 * together with the page. The values of a step are shown while the pointer is on it. A table next to the chart has the
 * same values.
 *
 * The chart is as wide as its tile, and its texts are as large as other texts: positions along the time are shares of
 * the width, and only the lines are stretched.
 */
import { html, type SafeHtml } from '@remix-run/html-template';

export interface Chart {
  /** Names what the chart shows. */
  readonly label: string;
  /** The minutes, the latest last. */
  readonly at: readonly Date[];
  /** At most `seriesLooks` series. Undefined: the value of that minute is unknown. */
  readonly series: readonly { readonly name: string; readonly values: readonly (number | undefined)[] }[];
  readonly textOf: (value: number) => string;
  /** The end of the scale. Absent: a round number above the largest value. */
  readonly top?: number;
  /** Draws the first series as bars instead of lines. */
  readonly isBars?: boolean;
  /** What `at` contains. Absent: minutes. */
  readonly axis?: ChartAxis;
  /** The height of the plot in pixels. Absent: 90. */
  readonly height?: number;
}

export interface ChartAxis {
  /** Describes the axis in words, for example `by hour`. */
  readonly span: string;
  readonly isTick: (at: Date) => boolean;
  /** The text of a tick. Absent: the time of the day. */
  readonly textOf?: (at: Date) => string;
}

function axisOf({ axis, at }: Chart): ChartAxis {
  const minutes = {
    span: `the last ${at.length} minutes`,
    isTick: (minute: Date) => minute.getUTCMinutes() % minutesOfTick === 0,
  };
  return axis ?? minutes;
}

/** Maximum number of series that colours and dashes can distinguish. */
export const seriesLooks = 4;

const usualHeight = 90;
/** Pixels for the times below the plot. The style sheet has the margins at its sides. */
const below = 22;
/** The width of the part in which lines are drawn. It is stretched to the width of the plot. */
const lineWidth = 1000;
/** The values at the pointer are shown above the plot, in lines of this many series. */
const [lineHeight, seriesOfLine] = [14, 2];
const minutesOfTick = 15;

interface Plot {
  readonly bottom: number;
  readonly top: number;
  readonly height: number;
  /** The width of a step as a share of the plot, from 0 to 1. */
  readonly step: number;
  /** The place of a step, as a share of the plot. */
  readonly x: (minute: number) => number;
  readonly y: (value: number) => number;
}

export function chart(shown: Chart): SafeHtml {
  const { label, at, series, textOf, isBars = false } = shown;
  const plot = plotOf(shown);
  const { bottom, top } = plot;
  const ticks = ticksOf(top, textOf);
  const latest = series.map(({ name, values }) => `${name} ${textAt(values.at(-1), textOf)}`).join(', ');
  const axis = axisOf(shown);
  const text = `${label}, ${axis.span}, 0 to ${textOf(top)}: latest ${latest}`;
  return html`<svg class="chart" height="${bottom + below}" role="img" aria-label="${text}">
      ${ticks.map((value) => scaleLine(plot, value, textOf(value)))} ${timeAxis(at, plot, axis)}
      ${isBars ? null : linesOf(series, plot)} ${at.map((_, minute) => minuteOf(shown, minute, plot))}
    </svg>
    ${isBars || series.length < 2 ? null : legend(series)}`;
}

/** Includes the middle only if its text is short and differs from the text of the end. */
function ticksOf(top: number, textOf: Chart['textOf']): readonly number[] {
  const middle = top / 2;
  const isPlain = top <= 1 ? textOf(middle).length <= textOf(top).length : Number.isInteger(middle);
  return isPlain && textOf(middle) !== textOf(top) ? [0, middle, top] : [0, top];
}

function plotOf({ at, series, top, isBars = false, height = usualHeight }: Chart): Plot {
  const most = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const end = top ?? niceTop(most);
  const step = 1 / Math.max(1, at.length);
  const bottom = Math.ceil(series.length / seriesOfLine) * lineHeight + 6 + height;
  return {
    bottom,
    top: end,
    height: bottom,
    step,
    x: (minute) => (minute + (isBars ? 0 : 0.5)) * step,
    y: (value) => bottom - (Math.min(value, end) / end) * height,
  };
}

/** The next of 1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20 and so on. */
function niceTop(most: number): number {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, most)));
  const tops = [1, 1.2, 1.5, 2, 3, 4, 5, 6, 8, 10].map((times) => times * unit);
  return tops.find((value) => Number.isInteger(value) && value >= most) ?? most;
}

function scaleLine({ y }: Plot, value: number, text: string): SafeHtml {
  const at = y(value).toFixed(1);
  return html`<line x1="0" y1="${at}" x2="100%" y2="${at}" class="scale" /><text
      x="-6"
      y="${(y(value) + 4).toFixed(1)}"
      class="value"
      >${text}</text
    >`;
}

function timeAxis(at: readonly Date[], { bottom, x }: Plot, { isTick, textOf }: ChartAxis): SafeHtml {
  // Omits a tick so near to the beginning that it would cover the time zone.
  const ticks = [...at.entries()].filter(([index, minute]) => isTick(minute) && x(index) > nearBeginning);
  return html`<text x="-6" y="${bottom + 16}" class="value" data-clock-zone>UTC</text>${ticks.map(([index, minute]) => {
      const position = share(x(index));
      const place = html`x="${position}" y="${bottom + 16}" class="when"`;
      return html`<line x1="${position}" y1="${bottom}" x2="${position}" y2="${bottom + 4}" class="tick" />${
          textOf
            ? html`<text ${place}>${textOf(minute)}</text>`
            : html`<text ${place} data-clock-at="${minute.toISOString()}">${clock(minute)}</text>`
        }`;
    })}`;
}

/** As a share of the plot. */
const nearBeginning = 0.05;

function share(part: number): string {
  return `${(part * 100).toFixed(2)}%`;
}

function linesOf(series: Chart['series'], plot: Plot): SafeHtml {
  return html`<svg
    class="lines-of"
    height="${plot.height}"
    viewBox="0 0 ${lineWidth} ${plot.height}"
    preserveAspectRatio="none"
  >
    ${series.map(({ values }, look) => lineOf(values, look, plot))}
  </svg>`;
}

function lineOf(values: readonly (number | undefined)[], look: number, { x, y }: Plot): SafeHtml {
  let isDrawing = false;
  const path = values.map((value, minute) => {
    const continues = isDrawing;
    isDrawing = value !== undefined;
    if (value === undefined) return '';
    const point = `${(x(minute) * lineWidth).toFixed(1)} ${y(value).toFixed(1)}`;
    // A value without neighbours is drawn as a point.
    return continues ? `L${point}` : `M${point}h0`;
  });
  return html`<path d="${path.join('')}" class="line look-${look}" />`;
}

/** A bar, and the values of its minute, which are shown while the pointer is there. */
function minuteOf(shown: Chart, minute: number, plot: Plot): SafeHtml {
  const { at, series, textOf, isBars = false } = shown;
  const { bottom, step, y } = plot;
  const from = minute * step;
  const values = series.map(({ name, values: all }) => {
    const text = textAt(all[minute], textOf);
    return series.length === 1 ? text : `${name} ${text}`;
  });
  const value = series[0]?.values[minute] ?? 0;
  const tall = value === 0 ? 0 : Math.max(2, bottom - y(value));
  const bar =
    isBars && tall > 0
      ? html`<rect
          x="${share(from)}"
          y="${(bottom - tall).toFixed(1)}"
          width="${share(step * barShare)}"
          height="${tall.toFixed(1)}"
          class="bar"
        />`
      : null;
  const lines = [...Array(Math.ceil(values.length / seriesOfLine)).keys()].map((line) =>
    values.slice(line * seriesOfLine, (line + 1) * seriesOfLine).join(', '),
  );
  return html`<g class="minute"
    ><rect x="${share(from)}" y="0" width="${share(step)}" height="${bottom}" class="reach" />${bar}${lines.map(
      (line, index) =>
        html`<text x="100%" y="${12 + index * lineHeight}" class="said"
          >${index === 0 ? html`${whenOf(axisOf(shown), at[minute]!)}: ` : null}${line}</text
        >`,
    )}</g
  >`;
}

/** A bar covers most of its step. */
const barShare = 0.82;

function whenOf({ textOf }: ChartAxis, at: Date): SafeHtml | string {
  if (textOf) return textOf(at);
  return html`<tspan data-clock-at="${at.toISOString()}">${clock(at)}</tspan><tspan data-clock-zone> UTC</tspan>`;
}

function legend(series: Chart['series']): SafeHtml {
  return html`<ul class="legend">
    ${series.map(
      ({ name }, look) =>
        html`<li>
          <svg viewBox="0 0 24 8" aria-hidden="true"><path d="M0 4H24" class="line look-${look}" /></svg>${name}
        </li>`,
    )}
  </ul>`;
}

function textAt(value: number | undefined, textOf: Chart['textOf']): string {
  return value === undefined ? '–' : textOf(value);
}

function clock(at: Date): string {
  return at.toISOString().slice(11, 16);
}
