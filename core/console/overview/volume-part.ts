/** Volume and success of an hour, a day or a week, next to the same time a week before. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { slotMs, sumVolumes, type Volumes, type VolumeSum } from '../../engine/payments/index.ts';
import type { VolumeRow } from '../../database/collections/volume.ts';
import type { Environment } from '../../base/environment.ts';
import { DAY, HOUR, MINUTE } from '../../base/async/time.ts';
import { chart } from '../kit/chart.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ShowTable } from '../kit/listing.ts';
import {
  addressWith,
  clock,
  fold,
  money,
  note,
  stats,
  tabs,
  time,
  type Cell,
  type Column,
  type Stat,
} from '../../html/components/parts.ts';
import type { Query } from '../../html/components/query.ts';
import { providerLink } from '../payments/payment-cells.ts';
import { percent } from './traffic-part.ts';

const spans = ['hour', 'day', 'week'] as const;
type Span = (typeof spans)[number];

export interface VolumeView {
  readonly span: Span;
  readonly mode: Environment;
}

/** Unknown values get the default: today, and the mode that the operator works in. */
export function readVolumeView({ span, mode }: Query, usual: Environment): VolumeView {
  return {
    span: spans.find((one) => one === span) ?? 'day',
    mode: mode === 'live' || mode === 'test' ? mode : usual,
  };
}

interface Period {
  readonly title: string;
  /** The same time in the week before: `last Friday`. */
  readonly before: string;
  /** Only for a day that is not over: the time of the day that ends both periods. */
  readonly until?: Date;
  readonly from: number;
  readonly to: number;
  readonly stepMs: number;
  /** The end of the scale, which may be in the future. */
  readonly end: number;
}

const weekMs = 7 * DAY;

/** `now` is the end of the period. All days are days of UTC. */
export function periodOf(span: Span, now: Date): Period {
  const to = Math.ceil(now.getTime() / slotMs) * slotMs;
  const weekday = now.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
  switch (span) {
    case 'hour':
      return { title: 'Last hour', before: `last ${weekday}, same hour`, from: to - HOUR, to, end: to, stepMs: slotMs };
    case 'day': {
      const from = Math.floor(now.getTime() / DAY) * DAY;
      const before = `last ${weekday}`;
      return { title: `Today, ${weekday}`, before, until: now, from, to, end: from + DAY, stepMs: HOUR };
    }
    case 'week': {
      const from = Math.floor(now.getTime() / DAY) * DAY - 6 * DAY;
      return { title: 'Last 7 days', before: 'the 7 days before', from, to, end: from + weekMs, stepMs: DAY };
    }
  }
}

export async function volumePart(
  deps: Pick<ConsoleDeps, 'adapters' | 'volumes' | 'now'>,
  query: Query,
  { span, mode }: VolumeView,
  table: ShowTable,
): Promise<SafeHtml> {
  const found = await deps.volumes();
  const at = deps.now();
  const period = periodOf(span, at);
  const { from, to, title, before } = period;
  const compared = comparedWith(period);
  const rows = rowsIn(found, mode, from, to);
  const earlier = rowsIn(found, mode, from - weekMs, to - weekMs);
  const switches = html`<div class="section-head">
    ${switchOf(query, 'span', 'Time span', { hour: 'Hour', day: 'Day', week: 'Week' }, span)}
    ${switchOf(query, 'mode', 'Mode', { live: 'Live', test: 'Test' }, mode)}
  </div>`;
  const uncounted =
    found.countedTo.getTime() < to - slotMs
      ? note('calm', html`Payments since ${time(found.countedTo, { exact: true })} are still being counted.`)
      : null;
  if (rows.length === 0 && earlier.length === 0)
    return html`${switches} ${uncounted}
      <p class="empty">${title}: no ${mode} payment succeeded or failed, and none ${compared}.</p>`;
  return html`${switches} ${uncounted}
    <div class="split">${stats(tilesOf(rows, earlier, compared))} ${volumeChart(found, mode, period)}</div>
    ${fold(
      'By provider',
      table('volume', {
        caption: `${title} by provider, compared with ${before}`,
        ...providerTable(deps, rows, earlier),
        empty: '',
      }),
    )}`;
}

function comparedWith({ before, until }: Pick<Period, 'before' | 'until'>): SafeHtml | string {
  return until ? html`${before} until ${clock(until)}` : before;
}

function switchOf<T extends string>(
  query: Query,
  name: 'span' | 'mode',
  label: string,
  titles: Readonly<Record<T, string>>,
  current: T,
): SafeHtml {
  return tabs(
    label,
    (Object.keys(titles) as T[]).map((value) => ({
      title: titles[value],
      path: addressWith('/ops', { ...query, list: undefined, done: undefined, [name]: value }),
      isCurrent: value === current,
    })),
  );
}

function rowsIn({ slots }: Volumes, mode: Environment, from: number, to: number): readonly VolumeRow[] {
  return slots
    .filter(({ at }) => at.getTime() >= from && at.getTime() < to)
    .flatMap(({ rows }) => rows.filter(({ environment }) => environment === mode));
}

const nothing: VolumeSum = { succeeded: 0, failed: 0, declined: 0, amount: '0' };

/** The share that banks approved of the payments that they decided about. */
function approvalOf({ succeeded, declined }: VolumeSum): number | undefined {
  return succeeded + declined === 0 ? undefined : succeeded / (succeeded + declined);
}

function technicalOf({ failed, declined }: VolumeSum): number {
  return failed - declined;
}

function tilesOf(
  rows: readonly VolumeRow[],
  earlier: readonly VolumeRow[],
  before: SafeHtml | string,
): readonly Stat[] {
  const everything = (all: readonly VolumeRow[]): VolumeSum => sumVolumes(all, () => '').get('') ?? nothing;
  const [now, then] = [everything(rows), everything(earlier)];
  const [byCurrency, byCurrencyThen] = [rows, earlier].map((all) => sumVolumes(all, ({ currency }) => currency));
  const currencies = [...new Set([...byCurrency!.keys(), ...byCurrencyThen!.keys()])].toSorted(
    (one, other) => countOf(byCurrency!, other) - countOf(byCurrency!, one) || (one < other ? -1 : 1),
  );
  const [rate, rateThen] = [approvalOf(now), approvalOf(then)];
  const isWorse = rate !== undefined && rateThen !== undefined && rate < rateThen - 0.05;
  return [
    ...currencies.slice(0, maxCurrencies).map((currency) => ({
      label: `Volume in ${currency}`,
      value: money(byCurrency!.get(currency)?.amount ?? '0', currency),
      note: html`${money(byCurrencyThen!.get(currency)?.amount ?? '0', currency)} ${before}`,
    })),
    { label: 'Paid', value: now.succeeded, note: html`${then.succeeded} ${before}` },
    {
      label: 'Approved by banks',
      value: percent(rate),
      note: rateThen === undefined ? `${now.declined} declined` : html`${percent(rateThen)} ${before}`,
      ...(isWorse && { look: 'warn' as const }),
    },
    {
      label: 'Technical failures',
      value: technicalOf(now),
      note: html`${technicalOf(then)} ${before}`,
      ...(technicalOf(now) > technicalOf(then) && { look: 'warn' as const }),
    },
  ];
}

/** Tiles of currencies. The table has all of them. */
const maxCurrencies = 3;

function countOf(sums: ReadonlyMap<string, VolumeSum>, currency: string): number {
  return sums.get(currency)?.succeeded ?? 0;
}

/** The columns of the time before are left out if nothing was paid then. */
function providerTable(
  deps: Pick<ConsoleDeps, 'adapters'>,
  rows: readonly VolumeRow[],
  earlier: readonly VolumeRow[],
): { readonly head: readonly (string | Column)[]; readonly rows: readonly (readonly Cell[])[] } {
  const [now, then] = [rows, earlier].map((all) => sumVolumes(all, ({ adapter }) => adapter));
  const adapters = [...new Set([...now!.keys(), ...then!.keys()])].toSorted(
    (one, other) => countOf(now!, other) - countOf(now!, one) || (one < other ? -1 : 1),
  );
  const volumeOf = (all: readonly VolumeRow[], adapter: string): Cell => {
    const own = all.filter((row) => row.adapter === adapter && row.succeeded > 0);
    const sums = sumVolumes(own, ({ currency }) => currency);
    return sums.size === 0
      ? '–'
      : html`${[...sums].map(([currency, { amount }]) => html`${money(amount, currency)} `)}`;
  };
  const thenOf = (adapter: string): VolumeSum => then!.get(adapter) ?? nothing;
  const hadVolume = adapters.some((adapter) => thenOf(adapter).succeeded > 0);
  const hadRate = adapters.some((adapter) => approvalOf(thenOf(adapter)) !== undefined);
  const number = (name: string): Column => ({ name, kind: 'number' });
  return {
    head: [
      'Provider',
      number('Volume'),
      ...(hadVolume ? [number('Volume before')] : []),
      number('Paid'),
      number('Declined'),
      number('Technical failures'),
      number('Approved'),
      ...(hadRate ? [number('Approved before')] : []),
    ],
    rows: adapters.map((adapter) => {
      const sum = now!.get(adapter) ?? nothing;
      return [
        providerLink(deps, adapter),
        volumeOf(rows, adapter),
        ...(hadVolume ? [volumeOf(earlier, adapter)] : []),
        sum.succeeded,
        sum.declined,
        technicalOf(sum),
        percent(approvalOf(sum)),
        ...(hadRate ? [percent(approvalOf(thenOf(adapter)))] : []),
      ];
    }),
  };
}

function volumeChart(found: Volumes, mode: Environment, { from, to, end, stepMs, title, before }: Period): SafeHtml {
  const starts = Array.from({ length: Math.round((end - from) / stepMs) }, (_, step) => from + step * stepMs);
  const paidIn = (start: number): number =>
    rowsIn(found, mode, start, start + stepMs).reduce((sum, { succeeded }) => sum + succeeded, 0);
  const at = starts.map((start) => new Date(start));
  const isDays = stepMs === DAY;
  const isToday = stepMs === HOUR;
  const series = [
    { name: title, values: starts.map((start) => (start < to ? paidIn(start) : undefined)) },
    { name: before, values: starts.map((start) => paidIn(start - weekMs)) },
  ];
  const label = `Paid, ${isToday ? 'today' : title.toLowerCase()}`;
  const axis = {
    span: `by ${isDays ? 'day' : stepMs === HOUR ? 'hour' : `${slotMs / MINUTE} minutes`}`,
    isTick: (start: Date) => isDays || stepMs < HOUR || start.getUTCHours() % 6 === 0,
    ...(isDays && {
      textOf: (start: Date) => start.toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' }),
    }),
  };
  return html`<section class="tile">
    <h3>${isToday ? html`Paid, today since ${clock(new Date(from))}` : label}</h3>
    ${chart({ label, at, series, textOf: String, axis, height: chartHeight })}
  </section>`;
}

/** As high as the figures next to it. */
const chartHeight = 140;
