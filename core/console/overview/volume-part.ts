/** Volume and success of an hour, a day or a week, next to the same time a week before. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { slotMs, sumVolumes, type Volumes } from '../../engine/payments/index.ts';
import type { VolumeRow } from '../../database/collections/volume.ts';
import type { Environment } from '../../base/environment.ts';
import { DAY, HOUR, MINUTE } from '../../base/async/time.ts';
import { chart } from '../kit/chart.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ShowTable } from '../kit/listing.ts';
import {
  addressWith,
  fold,
  money,
  note,
  stats,
  tabs,
  time,
  type Cell,
  type Stat,
} from '../../html/components/parts.ts';
import type { Query } from '../../html/components/query.ts';
import { percent } from './traffic-part.ts';

const spans = ['hour', 'day', 'week'] as const;
type Span = (typeof spans)[number];

export interface VolumeView {
  readonly span: Span;
  readonly mode: Environment;
}

/** Unknown values get the default: today, and live payments where there are any. */
export function readVolumeView({ span, mode }: Query, liveKeys: boolean): VolumeView {
  return {
    span: spans.find((one) => one === span) ?? 'day',
    mode: mode === 'live' || mode === 'test' ? mode : liveKeys ? 'live' : 'test',
  };
}

interface Period {
  readonly title: string;
  /** The same time in the week before: `last Friday until 10:20`. */
  readonly before: string;
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
  const clock = now.toISOString().slice(11, 16);
  const weekday = now.toLocaleDateString('en', { weekday: 'long', timeZone: 'UTC' });
  switch (span) {
    case 'hour':
      return { title: 'Last hour', before: `last ${weekday}, same hour`, from: to - HOUR, to, end: to, stepMs: slotMs };
    case 'day': {
      const from = Math.floor(now.getTime() / DAY) * DAY;
      const before = `last ${weekday} until ${clock} UTC`;
      return { title: `Today, ${weekday}`, before, from, to, end: from + DAY, stepMs: HOUR };
    }
    case 'week': {
      const from = Math.floor(now.getTime() / DAY) * DAY - 6 * DAY;
      return { title: 'Last 7 days', before: 'the 7 days before', from, to, end: from + weekMs, stepMs: DAY };
    }
  }
}

export async function volumePart(
  { volumes, now }: Pick<ConsoleDeps, 'volumes' | 'now'>,
  query: Query,
  { span, mode }: VolumeView,
  table: ShowTable,
): Promise<SafeHtml> {
  const found = await volumes();
  const at = now();
  const period = periodOf(span, at);
  const { from, to, title, before } = period;
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
      <p class="empty">${title}: no ${mode} payment succeeded or failed, and none ${before}.</p>`;
  return html`${switches} ${uncounted} ${stats(tilesOf(rows, earlier, before))}
  ${table('volume', {
    caption: `${title} by provider, compared with ${before}`,
    head: [
      'Provider',
      { name: 'Volume', kind: 'number' },
      { name: 'Volume before', kind: 'number' },
      { name: 'Paid', kind: 'number' },
      { name: 'Failed', kind: 'number' },
      { name: 'Success rate', kind: 'number' },
      { name: 'Success rate before', kind: 'number' },
    ],
    rows: providerRows(rows, earlier),
    empty: '',
  })}
  ${volumeChart(found, mode, period)}`;
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

type Sums = Pick<VolumeRow, 'succeeded' | 'failed' | 'amount'>;
const nothing: Sums = { succeeded: 0, failed: 0, amount: '0' };

function rateOf({ succeeded, failed }: Sums): number | undefined {
  return succeeded + failed === 0 ? undefined : succeeded / (succeeded + failed);
}

function tilesOf(rows: readonly VolumeRow[], earlier: readonly VolumeRow[], before: string): readonly Stat[] {
  const everything = (all: readonly VolumeRow[]): Sums => sumVolumes(all, () => '').get('') ?? nothing;
  const [now, then] = [everything(rows), everything(earlier)];
  const [byCurrency, byCurrencyThen] = [rows, earlier].map((all) => sumVolumes(all, ({ currency }) => currency));
  const currencies = [...new Set([...byCurrency!.keys(), ...byCurrencyThen!.keys()])].toSorted(
    (one, other) => countOf(byCurrency!, other) - countOf(byCurrency!, one) || (one < other ? -1 : 1),
  );
  const [rate, rateThen] = [rateOf(now), rateOf(then)];
  const isWorse = rate !== undefined && rateThen !== undefined && rate < rateThen - 0.05;
  return [
    ...currencies.slice(0, maxCurrencies).map((currency) => ({
      label: `Volume in ${currency}`,
      value: money(byCurrency!.get(currency)?.amount ?? '0', currency),
      note: html`${money(byCurrencyThen!.get(currency)?.amount ?? '0', currency)} ${before}`,
    })),
    { label: 'Paid', value: now.succeeded, note: `${then.succeeded} ${before}` },
    {
      label: 'Success rate',
      value: percent(rate),
      note: `${percent(rateThen)} ${before}`,
      ...(isWorse && { look: 'warn' as const }),
    },
  ];
}

/** Tiles of currencies. The table has all of them. */
const maxCurrencies = 3;

function countOf(sums: ReadonlyMap<string, Sums>, currency: string): number {
  return sums.get(currency)?.succeeded ?? 0;
}

function providerRows(rows: readonly VolumeRow[], earlier: readonly VolumeRow[]): readonly (readonly Cell[])[] {
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
  return adapters.map((adapter) => {
    const { succeeded, failed } = now!.get(adapter) ?? nothing;
    return [
      html`<a href="/ops/adapters/${adapter}">${adapter}</a>`,
      volumeOf(rows, adapter),
      volumeOf(earlier, adapter),
      succeeded,
      failed,
      percent(rateOf({ ...nothing, succeeded, failed })),
      percent(rateOf(then!.get(adapter) ?? nothing)),
    ];
  });
}

function volumeChart(found: Volumes, mode: Environment, { from, to, end, stepMs, title, before }: Period): SafeHtml {
  const starts = Array.from({ length: Math.round((end - from) / stepMs) }, (_, step) => from + step * stepMs);
  const paidIn = (start: number): number =>
    rowsIn(found, mode, start, start + stepMs).reduce((sum, { succeeded }) => sum + succeeded, 0);
  const at = starts.map((start) => new Date(start));
  const series = [
    { name: title, values: starts.map((start) => (start < to ? paidIn(start) : undefined)) },
    { name: before.replace(/ until .*/, ''), values: starts.map((start) => paidIn(start - weekMs)) },
  ];
  const label = `Paid, ${title.toLowerCase()}`;
  const isDays = stepMs === DAY;
  const axis = {
    span: `by ${isDays ? 'day' : stepMs === HOUR ? 'hour' : `${slotMs / MINUTE} minutes`}`,
    isTick: (start: Date) => isDays || stepMs < HOUR || start.getUTCHours() % 6 === 0,
    textOf: (start: Date) =>
      isDays
        ? start.toLocaleDateString('en', { weekday: 'short', timeZone: 'UTC' })
        : start.toISOString().slice(11, 16),
  };
  return fold(
    'Show as a chart',
    html`<div class="tiles">
      <section class="tile">
        <h3>${label}</h3>
        ${chart({ label, at, series, textOf: String, axis })}
      </section>
    </div>`,
  );
}
