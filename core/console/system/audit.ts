/** The audit log: a sentence per action, with its reason, and the changed values folded. */
import { html, type SafeHtml } from '@remix-run/html-template';
import {
  auditedActions,
  auditSentence,
  isActionName,
  readSubject,
  type AuditSubject,
  type AuditView,
} from '../../engine/audit/index.ts';
import {
  badge,
  details,
  emptyState,
  filters,
  fold,
  note,
  readPeriod,
  time,
  type Cell,
  type Table,
} from '../../html/components/parts.ts';
import { notATime, type Query } from '../../html/components/query.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Listing } from '../kit/listing.ts';
import { accountPath } from '../payments/payment-cells.ts';
import { capitalise } from '../../base/text/capitalise.ts';

const perPage = 100;
const path = '/ops/audit';

export async function auditPage(
  { audit, owners, now }: ConsoleDeps,
  { query, rows = perPage }: { readonly query: Query; readonly rows: number | undefined },
): Promise<Listing> {
  const { act, by, about, before } = query;
  const subject = about === undefined ? undefined : readSubject(about);
  // `since` is the address of an earlier version.
  const period = readPeriod({ ...query, from: query['from'] ?? query['since'] }, now());
  const known = act !== undefined && isActionName(act) ? act : undefined;
  const problem =
    about !== undefined && !subject
      ? 'Enter what the action is about as its type and its ID, for example payment 1764000000123 or merchant Book shop.'
      : period === null
        ? notATime
        : undefined;
  const { items, nextBefore } =
    problem !== undefined
      ? { items: [], nextBefore: null }
      : await audit.list({
          ...(known && { act: known }),
          ...(by !== undefined && { by }),
          ...(subject && { subject }),
          ...(period?.from && { since: period.from }),
          ...(period?.to && { until: period.to }),
          ...(before !== undefined && /^\d{1,15}$/.test(before) && { before: Number(before) }),
          limit: rows,
        });
  const merchants = new Map((await owners.list()).map(({ id, name }) => [name, id]));
  return {
    before: html`${filters({
      path,
      query,
      period: { label: 'Time' },
      fields: [
        { name: 'by', label: 'Person', options: await audit.people() },
        {
          name: 'act',
          label: 'Action',
          options: Object.keys(auditedActions),
          textOf: (name) => (isActionName(name) ? auditedActions[name] : name),
        },
        { name: 'about', label: 'About', placeholder: 'payment 10042' },
      ],
    })}
    ${problem === undefined ? null : note('bad', problem)}`,
    table: {
      caption: 'What operators did, newest first',
      head: auditHead,
      rows: auditRows(items, merchants),
      empty: emptyState({ title: 'No actions found' }),
    },
    ...(nextBefore !== null && { older: { ...query, before: String(nextBefore) } }),
  };
}

export const auditHead = [
  { name: 'When', kind: 'short' },
  { name: 'What', kind: 'long' },
  'Reason',
  { name: 'From', kind: 'short' },
] as const satisfies Table['head'];

/** `merchants` has the ids of merchants by name, for links. */
export function auditRows(
  items: readonly AuditView[],
  merchants: ReadonlyMap<string, number> = new Map(),
): readonly (readonly Cell[])[] {
  return items.map((one) => rowOf(one, merchants));
}

function rowOf(one: AuditView, merchants: ReadonlyMap<string, number>): readonly Cell[] {
  return [
    time(one.at),
    html`${auditSentence(one).map((part) =>
      typeof part === 'string' ? part : linkTo(part.subject, part.text, merchants),
    )}
    ${one.state === 'done' ? null : badge(one.state === 'failed' ? 'failed' : 'no result', 'bad')} ${detailsOf(one)}`,
    one.reason ?? '–',
    one.actor.from,
  ];
}

/** Links what has a page. */
function linkTo({ type, id }: AuditSubject, text: string, merchants: ReadonlyMap<string, number>): SafeHtml | string {
  const merchant = type === 'owner' ? merchants.get(id) : undefined;
  const paths: Readonly<Record<string, string | undefined>> = {
    payment: `/ops/payments/${id}`,
    account: accountPath(id),
    adapter: `/ops/adapters/${encodeURIComponent(id)}`,
    alarm: `/ops/alarms/${encodeURIComponent(id)}`,
    callback: `/ops/callbacks/${encodeURIComponent(id)}`,
    settlement: `/ops/settlement/${encodeURIComponent(id)}`,
    owner: merchant === undefined ? undefined : `/ops/merchants/${merchant}`,
  };
  const page = paths[type];
  return page === undefined ? text : html`<a href="${page}">${text}</a>`;
}

/** The recorded values before and after. Nothing if none were recorded. */
function detailsOf({ before, after, actor, sequence, error }: AuditView): SafeHtml {
  const [had, has] = [valuesOf(before), valuesOf(after)];
  const names = [...new Set([...had.keys(), ...has.keys()])];
  const entries = names.map((name) => {
    const [from, to] = [had.get(name), has.get(name)];
    return [toLabel(name), from === undefined || from === to ? (to ?? '–') : `${from} → ${to ?? '–'}`] as const;
  });
  return fold(
    'Details',
    details([
      ['Entry', sequence],
      ['Recorded as', `${actor.type} ${actor.name}`],
      ...(error === null ? [] : [['Error', error] as const]),
      ...entries,
    ]),
  );
}

/** The values of an object by their path, as text: `notifyUrl`, `refunds 1 amount`. */
function valuesOf(value: unknown, path = ''): Map<string, string> {
  if (value === null || value === undefined) return new Map(path === '' ? [] : [[path, 'none']]);
  if (typeof value !== 'object') return new Map([[path, String(value as string | number | boolean)]]);
  const isList = Array.isArray(value);
  if (isList && value.every((one) => typeof one === 'string'))
    return new Map([[path, value.length === 0 ? 'none' : value.join(', ')]]);
  const entries = Object.entries(value).flatMap(([name, member]) => {
    const step = isList ? String(Number(name) + 1) : name;
    return [...valuesOf(member, path === '' ? step : `${path} ${step}`)];
  });
  return new Map(entries);
}

/** `previousValidUntil` gives `Previous valid until`. */
function toLabel(name: string): string {
  const words = name.replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return capitalise(words);
}
