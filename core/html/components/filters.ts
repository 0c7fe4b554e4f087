/**
 * The search of a list: fields, presets of the time span, and one chip per active filter, which removes it. A search is
 * an address, so it can be kept as a bookmark and shared.
 */
import { html, type SafeHtml } from '@remix-run/html-template';
import { DAY } from '../../base/async/time.ts';
import { choice, hidden, textField, toWords } from './form.ts';
import { readTime, type Query } from './query.ts';
import { addressWith } from './table.ts';

export interface FilterField {
  readonly name: string;
  readonly label: string;
  /** The values to choose from. Absent: a text field. */
  readonly options?: readonly string[];
  /** Names a value for people. Default: the value, with spaces for underscores. */
  readonly textOf?: (value: string) => string;
  readonly type?: 'text' | 'search' | 'datetime-local';
  readonly placeholder?: string;
  readonly hint?: string;
  readonly inputMode?: 'decimal' | 'numeric';
  readonly suggestions?: readonly string[];
  /** True for a field that few searches need. It is folded until it is used. */
  readonly isRare?: boolean;
}

export interface Filters {
  readonly path: string;
  readonly query: Query;
  readonly fields: readonly FilterField[];
  /** Adds the presets and the fields of a time span. `label` says of what, for example `Created`. */
  readonly period?: { readonly label: string };
  /** Parts of the address that the search keeps, such as the selected tab. */
  readonly kept?: readonly string[];
  /** The label of the button. Default: `Search`. */
  readonly label?: string;
  /** Shown after the presets, for example saved searches. */
  readonly beside?: SafeHtml | null;
}

const periods = {
  today: 'Today',
  yesterday: 'Yesterday',
  '7d': '7 days',
  '30d': '30 days',
  month: 'This month',
} as const;
type Period = keyof typeof periods;

/** Addresses one page of a list, and not what is searched. */
const places: ReadonlySet<string> = new Set(['cursor', 'before', 'page', 'list', 'done', 'as', 'table']);

export function filters(shown: Filters): SafeHtml {
  const { path, query, period, kept = [], label = 'Search', beside = null } = shown;
  const fields = [...shown.fields, ...(period ? spanFields(period.label) : [])];
  const [rare, usual] = [fields.filter(({ isRare }) => isRare), fields.filter(({ isRare }) => !isRare)];
  const used = rare.filter(({ name }) => query[name] !== undefined).length;
  const more = html`<details class="more" ${used > 0 ? html.raw`open` : null}>
    <summary>More filters</summary>
    <div class="fields">${rare.map((field) => fieldOf(field, query))}</div>
  </details>`;
  return html`<form method="get" action="${path}" class="filters" role="search">
      ${hidden(Object.fromEntries(kept.map((name) => [name, query[name]])))}
      ${usual.map((field) => fieldOf(field, query))} <button class="main">${label}</button> ${
        rare.length > 0 ? more : null
      }
    </form>
    ${period || beside ? html`<div class="presets">${period ? presets(shown) : null} ${beside}</div>` : null}
    ${chips(shown, fields)}`;
}

function fieldOf({ name, label, options, textOf = toWords, ...more }: FilterField, query: Query): SafeHtml {
  const value = query[name];
  if (options) return choice(name, label, options, value, { any: 'Any', textOf });
  const { type = 'text', placeholder, hint, inputMode, suggestions } = more;
  return textField({
    name,
    label,
    value,
    type,
    ...(placeholder !== undefined && { placeholder }),
    ...(hint !== undefined && { hint }),
    ...(inputMode && { inputMode }),
    ...(suggestions && { suggestions }),
  });
}

function spanFields(label: string): readonly FilterField[] {
  return [
    { name: 'from', label: `${label} from (UTC)`, type: 'datetime-local', isRare: true },
    { name: 'to', label: `${label} before (UTC)`, type: 'datetime-local', isRare: true },
  ];
}

function presets({ path, query, period }: Filters): SafeHtml {
  return html`<nav aria-label="${period?.label ?? ''}">
    <ul>
      ${Object.entries(periods).map(([name, text]) => {
        const address = addressWith(path, { ...searchOf(query), from: undefined, to: undefined, period: name });
        const isCurrent = query['period'] === name && query['from'] === undefined && query['to'] === undefined;
        return isCurrent
          ? html`<li><a href="${address}" aria-current="true">${text}</a></li>`
          : html`<li><a href="${address}">${text}</a></li>`;
      })}
    </ul>
  </nav>`;
}

/** Nothing if no filter is active. */
function chips({ path, query, period, kept = [] }: Filters, fields: readonly FilterField[]): SafeHtml | null {
  const search = searchOf(query);
  const active = fields.flatMap(({ name, label, textOf = (value: string) => value }) => {
    const value = search[name];
    return value === undefined ? [] : [{ name, text: `${label}: ${textOf(value)}` }];
  });
  const preset = isPeriod(search['period']) ? periods[search['period']] : undefined;
  if (period && preset !== undefined) active.push({ name: 'period', text: `${period.label}: ${preset}` });
  if (active.length === 0) return null;
  const plain = Object.fromEntries(kept.map((name) => [name, query[name]]));
  return html`<ul class="chips" aria-label="Active filters">
    ${active.map(
      ({ name, text }) =>
        html`<li>
          <a class="chip" href="${addressWith(path, { ...search, [name]: undefined })}" aria-label="Remove ${text}"
            >${text} <span aria-hidden="true">×</span></a
          >
        </li>`,
    )}
    <li><a href="${addressWith(path, plain)}">Clear all</a></li>
  </ul>`;
}

/** The query without what addresses a page of the list. */
export function searchOf(query: Query): Query {
  return Object.fromEntries(Object.entries(query).filter(([name]) => !places.has(name)));
}

function isPeriod(text: string | undefined): text is Period {
  return text !== undefined && Object.hasOwn(periods, text);
}

/**
 * The time span that `filters` asks for with `period`, in days of UTC. Times that were typed win over a preset. Null if
 * one of them is not a time.
 */
export function readPeriod(
  { from: typedFrom, to: typedTo, period }: Query,
  now: Date,
): { readonly from?: Date; readonly to?: Date } | null {
  const [from, to] = [readTime(typedFrom), readTime(typedTo)];
  if (from === null || to === null) return null;
  if (from || to) return { ...(from && { from }), ...(to && { to }) };
  if (!isPeriod(period)) return {};
  const today = Math.floor(now.getTime() / DAY) * DAY;
  switch (period) {
    case 'today':
      return { from: new Date(today) };
    case 'yesterday':
      return { from: new Date(today - DAY), to: new Date(today) };
    case '7d':
      return { from: new Date(today - 6 * DAY) };
    case '30d':
      return { from: new Date(today - 29 * DAY) };
    case 'month':
      return { from: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), 1)) };
  }
}
