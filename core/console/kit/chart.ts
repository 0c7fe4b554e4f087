/**
 * Draws a chart of the last hour as SVG on the server. So the chart works without script, has the colours of the page,
 * and is updated together with the page. The values of a minute are shown while the pointer is on it. A table next to
 * the chart has the same values.
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
}

export interface ChartAxis {
  /** Describes the axis in words, for example `by hour`. */
  readonly span: string;
  readonly isTick: (at: Date) => boolean;
  readonly textOf: (at: Date) => string;
}

function axisOf({ axis, at }: Chart): ChartAxis {
  const minutes = {
    span: `the last ${at.length} minutes`,
    isTick: (minute: Date) => minute.getUTCMinutes() % minutesOfTick === 0,
    textOf: clock,
  };
  return axis ?? minutes;
}

/** Maximum number of series that colours and dashes can distinguish. */
export const seriesLooks = 4;

/** In units of the SVG, which grows with its tile. */
const [width, plotHeight] = [360, 90];
/** Margins for the texts around the plot. */
const [left, right, below] = [52, 10, 22];
/** The values at the pointer are shown above the plot, in lines of this many series. */
const [lineHeight, seriesOfLine] = [14, 2];
const minutesOfTick = 15;

interface Plot {
  readonly bottom: number;
  readonly top: number;
  readonly step: number;
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
  return html`<svg class="chart" viewBox="0 0 ${width} ${bottom + below}" role="img" aria-label="${text}">
      ${ticks.map((value) => scaleLine(plot, value, textOf(value)))} ${timeAxis(at, plot, axis)}
      ${isBars ? null : series.map(({ values }, look) => lineOf(values, look, plot))}
      ${at.map((_, minute) => minuteOf(shown, minute, plot))}
    </svg>
    ${isBars || series.length < 2 ? null : legend(series)}`;
}

/** Includes the middle only if its text is short and differs from the text of the end. */
function ticksOf(top: number, textOf: Chart['textOf']): readonly number[] {
  const middle = top / 2;
  const isPlain = top <= 1 ? textOf(middle).length <= textOf(top).length : Number.isInteger(middle);
  return isPlain && textOf(middle) !== textOf(top) ? [0, middle, top] : [0, top];
}

function plotOf({ at, series, top, isBars = false }: Chart): Plot {
  const most = Math.max(0, ...series.flatMap(({ values }) => values.map((value) => value ?? 0)));
  const end = top ?? niceTop(most);
  const step = (width - left - right) / Math.max(1, at.length);
  const bottom = Math.ceil(series.length / seriesOfLine) * lineHeight + 6 + plotHeight;
  return {
    bottom,
    top: end,
    step,
    x: (minute) => left + (minute + (isBars ? 0 : 0.5)) * step,
    y: (value) => bottom - (Math.min(value, end) / end) * plotHeight,
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
  return html`<line x1="${left}" y1="${at}" x2="${width - right}" y2="${at}" class="scale" /><text
      x="${left - 6}"
      y="${(y(value) + 4).toFixed(1)}"
      class="value"
      >${text}</text
    >`;
}

function timeAxis(at: readonly Date[], { bottom, x }: Plot, { isTick, textOf }: ChartAxis): SafeHtml {
  // Omits a tick so near to the beginning that it would cover the time zone.
  const ticks = [...at.entries()].filter(([index, minute]) => isTick(minute) && x(index) > left + below);
  return html`<text x="${left - 6}" y="${bottom + 16}" class="value">UTC</text>${ticks.map(([index, minute]) => {
      const position = x(index).toFixed(1);
      return html`<line x1="${position}" y1="${bottom}" x2="${position}" y2="${bottom + 4}" class="tick" /><text
          x="${position}"
          y="${bottom + 16}"
          class="when"
          >${textOf(minute)}</text
        >`;
    })}`;
}

function lineOf(values: readonly (number | undefined)[], look: number, { x, y }: Plot): SafeHtml {
  let isDrawing = false;
  const path = values.map((value, minute) => {
    const continues = isDrawing;
    isDrawing = value !== undefined;
    if (value === undefined) return '';
    const point = `${x(minute).toFixed(1)} ${y(value).toFixed(1)}`;
    // A value without neighbours is drawn as a point.
    return continues ? `L${point}` : `M${point}h0`;
  });
  return html`<path d="${path.join('')}" class="line look-${look}" />`;
}

/** A bar, and the values of its minute, which are shown while the pointer is there. */
function minuteOf(shown: Chart, minute: number, plot: Plot): SafeHtml {
  const { at, series, textOf, isBars = false } = shown;
  const { bottom, step, y } = plot;
  const from = left + minute * step;
  const values = series.map(({ name, values: all }) => {
    const text = textAt(all[minute], textOf);
    return series.length === 1 ? text : `${name} ${text}`;
  });
  const value = series[0]?.values[minute] ?? 0;
  const tall = value === 0 ? 0 : Math.max(2, bottom - y(value));
  const bar =
    isBars && tall > 0
      ? html`<rect
          x="${from.toFixed(1)}"
          y="${(bottom - tall).toFixed(1)}"
          width="${(step - 1).toFixed(1)}"
          height="${tall.toFixed(1)}"
          class="bar"
        />`
      : null;
  const lines = [...Array(Math.ceil(values.length / seriesOfLine)).keys()].map((line) =>
    values.slice(line * seriesOfLine, (line + 1) * seriesOfLine).join(', '),
  );
  return html`<g class="minute"
    ><rect x="${from.toFixed(1)}" y="0" width="${step.toFixed(1)}" height="${bottom}" class="reach" />${bar}${lines.map(
      (line, index) =>
        html`<text x="${width - right}" y="${12 + index * lineHeight}" class="said"
          >${index === 0 ? `${axisOf(shown).textOf(at[minute]!)} UTC: ` : ''}${line}</text
        >`,
    )}</g
  >`;
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
