/** What the pages are made of: tables, times, amounts, states, and the forms of acts. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { maskText } from '../../log-masks.ts';
import type { Session } from './session.ts';

export type Cell = SafeHtml | string | number | null;

export interface Table {
  /** Says what it shows, also to who does not see it. */
  readonly caption: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
  /** Instead of a table without rows. */
  readonly empty: string;
}

export function table({ caption, head, rows, empty }: Table): SafeHtml {
  if (rows.length === 0) return html`<p class="empty">${empty}</p>`;
  return html`<div class="scroll" role="region" aria-label="${caption}" tabindex="0">
    <table>
      <caption>
        ${caption}
      </caption>
      <thead>
        <tr>
          ${head.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${rows.map(
          (cells) =>
            html`<tr>
              ${cells.map((cell) => html`<td>${cell}</td>`)}
            </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

/** To the second, or precisely to the millisecond, with its zone; `–` where there is none. */
export function time(
  at: Date | null | undefined,
  { precise = false }: { readonly precise?: boolean } = {},
): SafeHtml | string {
  if (!at) return '–';
  const iso = at.toISOString();
  return html`<time datetime="${iso}">${iso.slice(0, 10)} ${iso.slice(11, precise ? 23 : 19)} UTC</time>`;
}

/** One of a list of facts. */
export function fact(name: string, value: string | number): SafeHtml {
  return html`<div>
    <dt>${name}</dt>
    <dd>${value}</dd>
  </div>`;
}

const good: ReadonlySet<string> = new Set(['paid', 'succeeded', 'delivered', 'done', 'resolved']);
const bad: ReadonlySet<string> = new Set(['failed', 'exhausted', 'dead_letter', 'malformed', 'open', 'expired']);

/** A state as a word, coloured beside it. */
export function badge(word: string): SafeHtml {
  const look = good.has(word) ? 'good' : bad.has(word) ? 'bad' : 'calm';
  return html`<span class="badge ${look}">${word.replaceAll('_', ' ')}</span>`;
}

/** What merchants and payers wrote: a run of digits that may be a card number is masked. */
export function given(text: string | null): string {
  return text === null ? '–' : maskText(text);
}

export interface ActForm {
  /** Where it is posted to. */
  readonly action: string;
  readonly label: string;
  /** What is beside its button. */
  readonly fields?: SafeHtml;
  readonly isDangerous?: boolean;
}

/** Null where the role of who looks may not do it. */
export function actForm(
  { operator, formToken }: Session,
  role: 'support' | 'admin',
  { action, label, fields, isDangerous = false }: ActForm,
): SafeHtml | null {
  if (!mayAct(operator.role, role)) return null;
  return html`<form method="post" action="${action}" class="act">
    <input type="hidden" name="formToken" value="${formToken}" />
    ${fields}
    <button class="${isDangerous ? 'danger' : ''}">${label}</button>
  </form>`;
}

/** `support` may do what is not dangerous, `admin` everything, `viewer` nothing. */
export function mayAct(role: Session['operator']['role'], needed: 'support' | 'admin'): boolean {
  return role === 'admin' || (role === 'support' && needed === 'support');
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

/** One of the options; with `any`, as where one looks for something, also none of them. */
export function choice(
  name: string,
  label: string,
  options: readonly string[],
  value: string | undefined,
  { any = true }: { readonly any?: boolean } = {},
): SafeHtml {
  return html`<label
    >${label}<select name="${name}">
      ${any ? html`<option value="">any</option>` : null}
      ${options.map((one) =>
        one === value
          ? html`<option value="${one}" selected>${one.replaceAll('_', ' ')}</option>`
          : html`<option value="${one}">${one.replaceAll('_', ' ')}</option>`,
      )}
    </select></label
  >`;
}

/** The address of the same page with other values. */
export function addressWith(path: string, values: Readonly<Record<string, string | undefined>>): string {
  const query = new URLSearchParams(
    Object.entries(values).flatMap(([name, value]) => (value ? [[name, value] as [string, string]] : [])),
  ).toString();
  return query === '' ? path : `${path}?${query}`;
}
