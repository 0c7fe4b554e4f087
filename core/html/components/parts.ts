/** Components of the pages for operators and merchants, in addition to tables: times, states, and forms. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { answerText as plainAnswerText } from '../../base/text/answer-text.ts';
import { maskText } from '../../base/log/log-masks.ts';
import type { Cell } from './table.ts';

export { actionsHeading, addressWith, linksOf, table, type Cell, type Table, type TablePlace } from './table.ts';

/** The non-breaking space keeps the zone on the line of its time. */
const zone = '\u00a0UTC';

/** Shows a time with its zone, to the second or to the millisecond; `–` if there is no time. */
export function time(
  at: Date | null | undefined,
  { precise = false }: { readonly precise?: boolean } = {},
): SafeHtml | string {
  if (!at) return '–';
  const iso = at.toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, precise ? 23 : 19)}${zone}</time>`;
}

/** One entry of a list of facts. */
export function fact(name: string, value: Cell): SafeHtml {
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

/** Shows a state as text with a colour. */
export function badge(state: string): SafeHtml {
  const look = good.has(state) ? 'good' : bad.has(state) ? 'bad' : 'calm';
  return html`<span class="badge ${look}">${toWords(state)}</span>`;
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

export interface ActionForm {
  /** The address that the form posts to. */
  readonly action: string;
  readonly label: string;
  /** Fields that are shown next to the button. */
  readonly fields?: SafeHtml;
  readonly isDangerous?: boolean;
  /** True if one of the fields is a file. */
  readonly hasFile?: boolean;
}

/** A form with one button. `formToken` belongs to the session that the page was shown to. */
export function postForm(
  formToken: string,
  { action, label, fields, isDangerous = false, hasFile = false }: ActionForm,
): SafeHtml {
  const encoding = hasFile ? 'multipart/form-data' : 'application/x-www-form-urlencoded';
  return html`<form method="post" action="${action}" enctype="${encoding}" class="act">
    <input type="hidden" name="formToken" value="${formToken}" />
    ${fields}
    <button class="${isDangerous ? 'danger' : ''}">${label}</button>
  </form>`;
}

/** Asks for confirmation of a dangerous action. The entered values are posted again, with the confirmation. */
export function confirmForm({
  action,
  effect,
  back,
  values,
}: {
  readonly action: string;
  readonly effect: string;
  readonly back: string;
  readonly values: Readonly<Record<string, string>>;
}): SafeHtml {
  return html`<div class="panel">
    <p>${effect}</p>
    <form method="post" action="${action}" class="acts centred">
      ${hidden({ ...values, sure: 'yes' })}
      <button class="danger">Confirm</button>
      <a href="${back}">Cancel</a>
    </form>
  </div>`;
}

/** Shows a value once, such as a new secret. `seen` is the label of the link that leads away. */
export function oneTimeSecret(
  lines: readonly (readonly [name: string, value: string])[],
  back: string,
  seen = 'Done',
): SafeHtml {
  return html`<dl class="facts wide">${lines.map(([name, value]) => fact(name, value))}</dl>
    <p class="pages"><a href="${back}">${seen}</a></p>`;
}

/** After an action, the address has only this marker. A link therefore cannot make our page show text of its own. */
export function doneNote(query: Readonly<Record<string, unknown>>): SafeHtml | null {
  return query['done'] === 'yes'
    ? html`<p class="note good" role="status">Action submitted. It is recorded in the audit log.</p>`
    : null;
}

export interface Field {
  readonly name: string;
  readonly label: string;
  readonly value?: string | undefined;
  readonly type?: 'text' | 'search' | 'datetime-local';
  readonly isRequired?: boolean;
}

export function textField({ name, label, value = '', type = 'text', isRequired = false }: Field): SafeHtml {
  return isRequired
    ? html`<label>${label}<input type="${type}" name="${name}" value="${value}" required /></label>`
    : html`<label>${label}<input type="${type}" name="${name}" value="${value}" /></label>`;
}

/** A select element. With `any`, as in a search, it also offers no selection under that label. */
export function choice(
  name: string,
  label: string,
  options: readonly string[],
  value: string | undefined,
  {
    any = 'any',
    textOf = toWords,
  }: { readonly any?: string | false; readonly textOf?: (option: string) => string } = {},
): SafeHtml {
  return html`<label
    >${label}<select name="${name}">
      ${any === false ? null : html`<option value="">${any}</option>`}
      ${options.map((one) =>
        one === value
          ? html`<option value="${one}" selected>${textOf(one)}</option>`
          : html`<option value="${one}">${textOf(one)}</option>`,
      )}
    </select></label
  >`;
}

function toWords(state: string): string {
  return state.replaceAll('_', ' ');
}

/** A part of the page that the script updates while the page is open. */
export function live(name: string, body: SafeHtml): SafeHtml {
  return html`<div id="live-${name}" data-live>${body}</div>`;
}

/** Announces changes of a part that updates automatically to users of a screen reader. */
export function announced(body: SafeHtml): SafeHtml {
  return html`<div data-announce>${body}</div>`;
}

/** Hidden values that are posted together with the fields next to a button. */
export function hidden(values: Readonly<Record<string, string | undefined>>): SafeHtml {
  const given = Object.entries(values).flatMap(([name, value]) => (value ? [[name, value] as const] : []));
  return html`${given.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}`;
}

/** Shows a duration in the unit that fits; `–` below a second. */
export function span(seconds: number): Cell {
  if (seconds < 1) return '–';
  return html`<data value="${Math.round(seconds)}">${spanText(seconds)}</data>`;
}

export function spanText(seconds: number): string {
  if (seconds < 120) return `${Math.round(seconds)} s`;
  return seconds < 7200 ? `${Math.round(seconds / 60)} min` : `${Math.round(seconds / 3600)} h`;
}
