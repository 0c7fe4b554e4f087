/**
 * Components of the pages for operators and merchants. README.md of this part says which one to use. The small ones are
 * here; tables, forms, filters and times have files of their own.
 */
import { html, type SafeHtml } from '@remix-run/html-template';
import { answerText as plainAnswerText } from '../../base/text/answer-text.ts';
import { maskText } from '../../base/log/log-masks.ts';
import { shownMoney } from '../../base/text/money-text.ts';
import { showsRefusal, toWords } from './form.ts';
import type { Cell } from './table.ts';
import { time } from './time.ts';

export * from './filters.ts';
export * from './form.ts';
export {
  actionsHeading,
  addressWith,
  linksOf,
  selectHeading,
  table,
  type Cell,
  type Column,
  type Table,
  type TablePlace,
} from './table.ts';
export * from './time.ts';

/** One entry of a list of facts. */
export function fact(name: SafeHtml | string, value: Cell): SafeHtml {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

const good: ReadonlySet<string> = new Set([
  'paid',
  'succeeded',
  'delivered',
  'working',
  'done',
  'resolved',
  'on',
  'up_to_date',
  'active',
  'ok',
  'up',
]);
const bad: ReadonlySet<string> = new Set([
  'failed',
  'exhausted',
  'dead_letter',
  'malformed',
  'open',
  'expired',
  'failing',
  'disabled',
  'behind',
  'wrong',
  'unresponsive',
  'down',
]);
const warn: ReadonlySet<string> = new Set(['draining', 'acknowledged', 'unresolved', 'needs_merchant']);

/** `good` and `bad` are results, `warn` needs attention soon, `calm` is everything else. */
export type Look = 'good' | 'bad' | 'warn' | 'calm';

/** Shows a state as text with a colour. Without `look`, the usual states have their usual colours. */
export function badge(state: string, look: Look = lookOf(state)): SafeHtml {
  return html`<span class="badge ${look}">${toWords(state)}</span>`;
}

function lookOf(state: string): Look {
  if (good.has(state)) return 'good';
  if (bad.has(state)) return 'bad';
  return warn.has(state) ? 'warn' : 'calm';
}

/** Describes the result of an attempt to deliver a notification. */
export function answerText(attempt: Parameters<typeof plainAnswerText>[0]): string {
  return plainAnswerText(attempt).replace(/ (?=ms)/, '\u00a0');
}

/** Keeps text on one line, such as an amount with its currency. */
export function noWrap(text: string): SafeHtml {
  return html`<span class="whole">${text}</span>`;
}

/** Text written by merchants or payers. A run of digits that may be a card number is masked. */
export function maskedText(text: string | null): string {
  return text === null ? '–' : maskText(text);
}

/** Shows a value once, such as a new secret. `seen` is the label of the link that leads away. */
export function oneTimeSecret(
  lines: readonly (readonly [name: string, value: string, look?: Look])[],
  back: string,
  { seen = 'Done', intro }: { readonly seen?: string | undefined; readonly intro?: string | undefined } = {},
): SafeHtml {
  return html`${intro === undefined ? null : html`<p>${intro}</p>`}
    <dl class="facts wide">
      ${lines.map(([name, value, look]) =>
        fact(look === undefined ? name : badge(name, look), isLongWord(value) ? copyable(value) : value),
      )}
    </dl>
    <p class="pages"><a class="button main" href="${back}">${seen}</a></p>`;
}

/** True for a value that people copy rather than read: a key, a secret or an address. */
function isLongWord(value: string): boolean {
  return value.length >= 16 && !/\s/.test(value);
}

/** A value with a button that copies it. Without script there is no button. */
export function copyable(value: string, { shown = value }: { readonly shown?: string } = {}): SafeHtml {
  return html`<span class="copyable"
    ><code>${shown}</code> <button type="button" class="small" data-copy="${value}" hidden>Copy</button></span
  >`;
}

/** Says what an action did: `Refund of €59.00 requested.` */
export function toast(text: string): SafeHtml {
  return html`<p class="note good toast" role="status">${text}</p>`;
}

/** An amount in the way of its currency, such as €59.00, on one line. Tables align it to the right. */
export function money(amount: string, currency: string): SafeHtml {
  return html`<data class="whole" value="${amount}">${shownMoney(amount, currency)}</data>`;
}

/** Data of one thing, in two columns: name and value. */
export function details(entries: readonly (readonly [name: string, value: Cell])[]): SafeHtml {
  return html`<dl class="details">${entries.map(([name, value]) => fact(name, value))}</dl>`;
}

export interface Stat {
  readonly label: string;
  readonly value: Cell;
  /** A remark below the value, for example a comparison. */
  readonly note?: SafeHtml | string | null;
  readonly look?: Look;
  /** Where the tile leads. */
  readonly path?: string;
}

/** A row of figures. */
export function stats(tiles: readonly Stat[]): SafeHtml {
  return html`<ul class="stats">
    ${tiles.map(
      ({ label, value, note = null, look, path }) =>
        html`<li class="stat ${look ?? ''}">
          <p class="label">${path === undefined ? label : html`<a href="${path}">${label}</a>`}</p>
          <p class="figure">${value}</p>
          ${note === null ? null : html`<p class="hint">${note}</p>`}
        </li>`,
    )}
  </ul>`;
}

export interface TimelineEntry {
  readonly at: Date | null;
  readonly title: SafeHtml | string;
  /** More about the entry, below its title. */
  readonly text?: SafeHtml | string | null;
  readonly look?: Look;
}

/** What happened to one thing, in the order of the entries. */
export function timeline(entries: readonly TimelineEntry[]): SafeHtml {
  return html`<ol class="timeline">
    ${entries.map(
      ({ at, title, text = null, look = 'calm' }) =>
        html`<li class="${look}">
          <p class="what">${title}</p>
          ${text === null ? null : html`<p class="hint">${text}</p>`}
          <p class="when">${time(at, { precise: true })}</p>
        </li>`,
    )}
  </ol>`;
}

export interface Tab {
  readonly title: string;
  readonly path: string;
  readonly isCurrent?: boolean;
  readonly count?: number | undefined;
}

/** Views of the same list or thing, each with an address of its own. */
export function tabs(label: string, all: readonly Tab[]): SafeHtml {
  return html`<nav class="tabs" aria-label="${label}">
    <ul>
      ${all.map(({ title, path, isCurrent = false, count }) => {
        const text = html`${title} ${count === undefined ? null : html`<span class="count">${count}</span>`}`;
        return isCurrent
          ? html`<li><a href="${path}" aria-current="page">${text}</a></li>`
          : html`<li><a href="${path}">${text}</a></li>`;
      })}
    </ul>
  </nav>`;
}

export interface Empty {
  /** `No payments yet`. */
  readonly title: string;
  /** What fills the list, or how to find something. */
  readonly text?: SafeHtml | string | null;
  /** The link to what fills the list. */
  readonly action?: { readonly label: string; readonly path: string } | null;
}

/** Shown instead of an empty list. */
export function emptyState({ title, text = null, action = null }: Empty): SafeHtml {
  return html`<div class="empty">
    <p class="what">${title}</p>
    ${text === null ? null : html`<p>${text}</p>`} ${action && linkButton(action.label, action.path)}
  </div>`;
}

/** A link that looks like a button, because it leads to the page of an action. */
export function linkButton(
  label: string,
  path: string,
  { isMain = true }: { readonly isMain?: boolean } = {},
): SafeHtml {
  return html`<a class="button ${isMain ? 'main' : ''}" href="${path}">${label}</a>`;
}

/** The heading of a section, with its links or buttons on the same line. */
export function sectionHead(title: string, actions: SafeHtml | null = null): SafeHtml {
  return html`<div class="section-head">
    <h2>${title}</h2>
    ${actions}
  </div>`;
}

/** A message on the page. `bad` is read out immediately. */
export function note(look: Look, body: SafeHtml | string): SafeHtml {
  return html`<div class="note ${look}" role="${look === 'bad' ? 'alert' : 'status'}">${body}</div>`;
}

/** More of a page that most readers do not need. */
export function fold(summary: SafeHtml | string, body: SafeHtml, isOpen = false): SafeHtml {
  return html`<details class="fold" ${isOpen ? html.raw`open` : null}>
    <summary>${summary}</summary>
    ${body}
  </details>`;
}

/** A button that opens the form of an action below it, without script. Its label ends with an ellipsis. */
export function actionMenu(label: string, form: SafeHtml): SafeHtml {
  return html`<details class="drop" name="action" ${showsRefusal(form) ? html.raw`open` : null}>
    <summary class="button">${label}</summary>
    <div class="panel">${form}</div>
  </details>`;
}

/** A part of the page that the script updates while the page is open. */
export function live(name: string, body: SafeHtml): SafeHtml {
  return html`<div id="live-${name}" data-live>${body}</div>`;
}

/** Announces changes of a part that updates automatically to users of a screen reader. */
export function announced(body: SafeHtml): SafeHtml {
  return html`<div data-announce>${body}</div>`;
}
