/**
 * Times and durations. The page has the absolute time in UTC; the script replaces it with the time since then ("12 min
 * ago") or with the reader's local time, and shows both zones on hover. Pages therefore do not depend on the clock.
 */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Cell } from './table.ts';

/** The non-breaking space keeps the zone on the line of its time. */
const zone = '\u00a0UTC';

export interface TimeLook {
  /** Shows milliseconds, and always the absolute time, for example in a timeline. */
  readonly precise?: boolean;
  /** Always shows the absolute time, for example when a secret expires. */
  readonly exact?: boolean;
  /** Counts seconds within a minute, for what happens several times a minute. */
  readonly seconds?: boolean;
}

/** `–` if there is no time. */
export function time(
  at: Date | null | undefined,
  { precise = false, exact = precise, seconds = false }: TimeLook = {},
): SafeHtml | string {
  if (!at) return '–';
  const iso = at.toISOString();
  const text = `${iso.slice(0, 10)} ${iso.slice(11, precise ? 23 : 19)}${zone}`;
  if (exact) return html`<time datetime="${iso}" data-exact>${text}</time>`;
  return seconds
    ? html`<time datetime="${iso}" data-seconds>${text}</time>`
    : html`<time datetime="${iso}">${text}</time>`;
}

/** The time of the day, such as `11:20 UTC`. The script replaces it with the reader's local time. */
export function clock(at: Date): SafeHtml {
  return html`<time datetime="${at.toISOString()}" data-clock>${at.toISOString().slice(11, 16)}${zone}</time>`;
}

/** Shows a duration in the unit that fits; `–` below a second. */
export function span(seconds: number): Cell {
  if (seconds < 1) return '–';
  return html`<data value="${Math.round(seconds)}">${spanText(seconds)}</data>`;
}

/** Shows how long a call or a run took: milliseconds, or seconds with one decimal. */
export function duration(ms: number): SafeHtml {
  return html`<data value="${ms}">${ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(1)} s`}</data>`;
}

export function spanText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
