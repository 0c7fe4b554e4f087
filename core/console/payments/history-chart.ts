/** Draws the history of a payment over time: a lane for each attempt, callback and notification. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { HistoryEntry } from '../../engine/payments/index.ts';
import { groupBy } from '../../base/group-by.ts';
import { SECOND } from '../../base/async/time.ts';
import { maskedText } from '../../html/components/parts.ts';

/** In units of the SVG, which grows with its page. */
const width = 960;
const labels = 215;
/** Half the width of the text at either end. */
const margin = 38;
const laneHeight = 26;
const axisHeight = 30;
const labelLength = 32;
const tickDistance = 84;
const maxLanes = 40;

interface Lane {
  readonly name: string;
  readonly marks: readonly HistoryEntry[];
}

interface Scale {
  (at: Date): number;
}

/** Null if too little happened for a chart. The table next to it has the same data. */
export function historyChart(history: readonly HistoryEntry[]): SafeHtml | null {
  if (history.length < 2) return null;
  const all = lanesOf(history);
  const lanes = all.slice(0, maxLanes);
  const shown = lanes.flatMap(({ marks }) => marks);
  const moments = momentsOf(shown);
  const scale = scaleOf(moments);
  const height = lanes.length * laneHeight + axisHeight;
  const text = `Timeline of the payment over ${spanText(moments.at(-1)! - moments[0]!)}: the table has the same data.`;
  return html`<div class="scroll picture" role="region" aria-label="Timeline chart" tabindex="0">
      <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="${text}">
        ${axisOf(moments, scale, height)}
        ${lanes.map((lane, at) => laneOf(lane, at * laneHeight, scale, moments.at(-1)!))}
      </svg>
    </div>
    <p>
      <small
        >Gaps are not to scale.
        ${all.length > lanes.length ? `${all.length - lanes.length} more rows are only in the table.` : null}</small
      >
    </p>`;
}

function lanesOf(history: readonly HistoryEntry[]): readonly Lane[] {
  return [...groupBy(history, laneName)].map(([name, marks]) => ({ name, marks }));
}

function laneName({ kind, about }: HistoryEntry): string {
  if (kind === 'callback') return `callback ${about}`;
  if (kind === 'call') return `calls of ${about}`;
  if (kind === 'notification' || kind === 'delivery') return `notification ${about}`;
  return about;
}

/** The distinct times in milliseconds, the earliest first. */
function momentsOf(marks: readonly HistoryEntry[]): readonly number[] {
  const all = marks.flatMap(({ at, span }) => [at, ...(span ? [span.from, ...(span.to ? [span.to] : [])] : [])]);
  return [...new Set(all.map((at) => at.getTime()))].toSorted((one, other) => one - other);
}

/** A logarithmic scale of gaps: a gap of an hour is wider than one of a second, but not 3600 times as wide. */
function scaleOf(moments: readonly number[]): Scale {
  const gaps = moments.map((at, index) => (index === 0 ? 0 : Math.log1p((at - moments[index - 1]!) / 20)));
  const whole = gaps.reduce((sum, gap) => sum + gap, 0) || 1;
  const positions = new Map<number, number>();
  let sum = 0;
  for (const [index, at] of moments.entries()) {
    sum += gaps[index]!;
    positions.set(at, labels + margin + (sum / whole) * (width - labels - 2 * margin));
  }
  return (at) => positions.get(at.getTime()) ?? labels + margin;
}

function axisOf(moments: readonly number[], scale: Scale, height: number): SafeHtml {
  const ticks: { readonly x: number; readonly text: string; readonly at: string | null }[] = [];
  for (const at of moments) {
    const x = scale(new Date(at));
    const last = ticks.at(-1);
    if (last && x - last.x < tickDistance) continue;
    ticks.push({
      x,
      text: ticks.length === 0 ? clockOf(new Date(at)) : `+${spanText(at - moments[0]!)}`,
      at: ticks.length === 0 ? new Date(at).toISOString() : null,
    });
  }
  const bottom = height - axisHeight;
  return html`${ticks.map(
    ({ x, text, at }) =>
      html`<line x1="${x.toFixed(1)}" y1="0" x2="${x.toFixed(1)}" y2="${bottom + 6}" class="tick" />
        <text x="${x.toFixed(1)}" y="${bottom + 20}" class="when" ${at && html`data-clock="${at}"`}>${text}</text>`,
  )}`;
}

/** In UTC. The script of the components shows the reader's time instead. */
function clockOf(at: Date): string {
  return `${at.toISOString().slice(11, 19)} UTC`;
}

function laneOf({ name, marks }: Lane, top: number, scale: Scale, end: number): SafeHtml {
  const middle = top + laneHeight / 2;
  const label = name.length > labelLength ? `${name.slice(0, labelLength - 1)}…` : name;
  return html`<g>
    <line x1="${labels}" y1="${middle}" x2="${width}" y2="${middle}" class="lane" />
    <text x="4" y="${middle + 4}"><title>${name}</title>${label}</text>
    ${marks.map((mark) => markOf(mark, middle, scale, end))}
  </g>`;
}

function markOf({ at, kind, text, look, span }: HistoryEntry, middle: number, scale: Scale, end: number): SafeHtml {
  const title = html`${clockOf(at)} ${maskedText(`${kind}: ${text}`)}`;
  const clock = html`data-clock="${at.toISOString()}"`;
  if (!span) {
    return html`<circle cx="${scale(at).toFixed(1)}" cy="${middle}" r="5" class="${look}"
      ><title ${clock}>${title}</title></circle
    >`;
  }
  const from = scale(span.from);
  const to = scale(span.to ?? new Date(end));
  const tall = kind === 'attempt' ? 14 : 9;
  return html`<rect
    x="${from.toFixed(1)}"
    y="${middle - tall / 2}"
    width="${Math.max(4, to - from).toFixed(1)}"
    height="${tall}"
    rx="3"
    class="${span.to ? look : `${look} open`}"
    ><title ${clock}>${title}</title></rect
  >`;
}

function spanText(ms: number): string {
  if (ms < SECOND) return `${ms} ms`;
  const seconds = ms / SECOND;
  if (seconds < 60) return `${seconds.toFixed(seconds < 10 ? 1 : 0)} s`;
  if (seconds < 3600) return `${Math.round(seconds / 60)} min`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)} h` : `${Math.round(seconds / 86_400)} days`;
}
