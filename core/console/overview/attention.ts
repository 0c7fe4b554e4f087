/**
 * What needs an operator, the most urgent first: open alarms, and what raises no alarm but needs an operator. Many
 * things of one kind are one row.
 */
import { html, type SafeHtml } from '@remix-run/html-template';
import { addDecimals } from '@paywright/contract';
import {
  adapterOf,
  compareMoney,
  environmentOf,
  ownerIdOf,
  presentAlarm,
  severities,
  type Severity,
} from '../../engine/alarms/index.ts';
import type { Alarm, AlarmAbout } from '../../database/collections/alarm.ts';
import type { PaymentAttention } from '../../engine/payments/index.ts';
import type { Environment } from '../../base/environment.ts';
import { groupBy } from '../../base/group-by.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ShowTable } from '../kit/listing.ts';
import { addressWith, announced, money, note, time, type Cell } from '../../html/components/parts.ts';
import { merchantPath } from '../merchants/merchants.ts';
import { providerText } from '../payments/payment-cells.ts';
import { severityBadge, subjectOf } from '../system/alarms.ts';
import { providerFigures } from './figures.ts';
import { unresponsiveProcesses } from './processes.ts';
import { hostOf } from '../../html/components/delivery.ts';

/** One thing, or several of one kind. */
export interface Item {
  readonly severity: Severity;
  readonly title: string;
  /** Where the operator can act. */
  readonly path: string;
  /** The list of everything of this kind. */
  readonly listPath: string;
  readonly subject: string;
  readonly reason?: string;
  readonly ownerId?: number | undefined;
  readonly environment?: Environment | undefined;
  /** Until when the operator must act. */
  readonly deadline?: Date | null | undefined;
  readonly moneys: readonly NonNullable<AlarmAbout['money']>[];
  readonly first: Date | null;
  readonly last: Date | null;
  readonly count: number;
}

/** More of one kind become one row. */
const ungroupedAtMost = 3;
const shownItems = 12;
/** A provider fails if at least this share of its calls failed in the last hour, and it had at least so many. */
const failingShare = 0.5;
const failingCalls = 5;

export interface Attention {
  /** Everything that needs an operator, the most urgent first. */
  readonly items: readonly Item[];
  readonly openAlarms: number;
  /** Open disputes, also those with an alarm about their payment. */
  readonly openDisputes: number;
  /** Alarms that an operator acknowledged. */
  readonly handled: number;
}

export async function readAttention(deps: ConsoleDeps): Promise<Attention> {
  const [alarms, payments, ...others] = await Promise.all([
    deps.alarms.find({ limit: Infinity }),
    deps.attention(),
    deps.failingEndpoints(),
    deps.hosts(),
    deps.traffic(),
    deps.adapterStates.read(),
    deps.backlog(),
  ]);
  const open = alarms.filter(({ state }) => state === 'open');
  const items = [...open.map((alarm) => alarmItem(deps, alarm)), ...otherItems(deps, alarms, payments, others)];
  return {
    items: items.toSorted(byUrgency),
    openAlarms: open.length,
    openDisputes: payments.filter(({ what }) => what === 'dispute_open').length,
    handled: alarms.length - open.length,
  };
}

export async function attentionPart(deps: ConsoleDeps, table: ShowTable): Promise<SafeHtml> {
  const { items, handled } = await readAttention(deps);
  const handledNote =
    handled === 0
      ? null
      : html` <a href="/ops/alarms?state=acknowledged"
            >${handled} ${handled === 1 ? 'alarm is' : 'alarms are'} being handled</a
          >.`;
  if (items.length === 0)
    return announced(
      note(
        'good',
        html`<strong>All right.</strong> No alarm is open, and nothing waits for an operator.${handledNote}`,
      ),
    );
  const groups = grouped(items).toSorted(byUrgency);
  const merchants = await namesOf(deps, groups);
  const [worst] = groups;
  return html`${announced(
    note(
      worst!.severity === 'critical' ? 'bad' : 'warn',
      html`<strong>${items.length === 1 ? '1 thing needs' : `${items.length} things need`} you.</strong> First:
        ${sentenceOf(worst!)}.${handledNote}`,
    ),
  )}
  ${table('attention', {
    caption: 'What needs attention, the most urgent first',
    head: [
      { name: 'Severity', kind: 'short' },
      'Problem',
      'Subject',
      { name: 'Amount', kind: 'number' },
      { name: 'Since', kind: 'short' },
    ],
    rows: groups.slice(0, shownItems).map((item) => rowOf(item, merchants)),
    empty: '',
    ...(groups.length > shownItems && {
      rest: { text: `The ${shownItems} most urgent of ${groups.length} are shown.`, path: '/ops/alarms' },
    }),
  })}`;
}

function rowOf(item: Item, merchants: ReadonlyMap<number, string>): readonly Cell[] {
  const { severity, title, path, subject, reason, ownerId, environment, moneys, first, deadline } = item;
  const merchant = ownerId === undefined ? undefined : merchants.get(ownerId);
  const notes = [
    subject.startsWith(merchant ?? '\0') ? undefined : merchant,
    environment === 'test' ? 'test' : undefined,
  ];
  const small = notes.filter((one) => one !== undefined).join(', ');
  return [
    severityBadge(severity),
    html`<a href="${path}">${title}</a>
      ${deadline ? html`<small>answer by ${time(deadline, { exact: true })}</small>` : null}
      ${reason === undefined ? null : html`<small>${reason}</small>`}`,
    small === '' ? subject : html`${subject}<br /><small>${small}</small>`,
    moneys.length === 0 ? '–' : html`${moneys.map(({ amount, currency }) => html`${money(amount, currency)} `)}`,
    time(first),
  ];
}

function sentenceOf({ title, path, subject }: Item): SafeHtml {
  return html`<a href="${path}">${title}</a> (${subject})`;
}

function alarmItem(deps: ConsoleDeps, alarm: Alarm): Item {
  const { id, kind, severity, title, reason, firstSeenAt, lastSeenAt, money: stake } = presentAlarm(alarm);
  return {
    severity,
    title,
    path: `/ops/alarms/${encodeURIComponent(id)}`,
    listPath: addressWith('/ops/alarms', { kind }),
    subject: subjectOf(deps, alarm, undefined),
    reason,
    ownerId: ownerIdOf(alarm),
    environment: environmentOf(alarm),
    moneys: stake ? [stake] : [],
    first: firstSeenAt,
    last: lastSeenAt,
    count: 1,
  };
}

/** What is read in addition to alarms and payments. */
type Others = readonly [
  endpoints: Awaited<ReturnType<ConsoleDeps['failingEndpoints']>>,
  hosts: Awaited<ReturnType<ConsoleDeps['hosts']>>,
  traffic: Awaited<ReturnType<ConsoleDeps['traffic']>>,
  adapters: Awaited<ReturnType<ConsoleDeps['adapterStates']['read']>>,
  backlog: Awaited<ReturnType<ConsoleDeps['backlog']>>,
];

/** `alarms`: an alarm about the same thing says more. */
function otherItems(
  deps: ConsoleDeps,
  alarms: readonly Alarm[],
  payments: readonly PaymentAttention[],
  [endpoints, hosts, traffic, { states }, { deadLetters }]: Others,
): readonly Item[] {
  const known = new Set(
    alarms.flatMap(({ subject: { type, id } }) => (type === 'payment' ? [Number.parseInt(id, 10)] : [])),
  );
  return [
    ...payments.filter(({ paymentId }) => !known.has(paymentId)).map((one) => paymentItem(deps, one)),
    ...endpoints.map(({ ownerId, environment, origin, failingSince }): Item => ({
      severity: 'warning',
      title: 'Webhook endpoint failing',
      path: merchantPath(ownerId, 'webhooks'),
      listPath: '/ops/notifications?state=failing',
      subject: hostOf(origin),
      reason: 'No delivery has succeeded since then.',
      ownerId,
      environment,
      moneys: [],
      first: failingSince,
      last: null,
      count: 1,
    })),
    ...unresponsiveProcesses(hosts).map(({ name, reason }): Item => {
      const path = '/ops#live-processes';
      const title = 'Process does not respond';
      return { ...plainItem, severity: 'warning', title, path, listPath: path, subject: name, reason };
    }),
    ...failingProviders(deps, alarms, { traffic, states }),
    ...deadLetterItems(deps, alarms, deadLetters),
  ];
}

const plainItem = { moneys: [], first: null, last: null, count: 1 } as const;

const paymentTexts: Readonly<
  Record<PaymentAttention['what'], { readonly severity: Severity; readonly title: string; readonly list: string }>
> = {
  refund_unanswered: {
    severity: 'warning',
    title: 'Refund not confirmed by the provider',
    list: '/ops/payments?problem=refund_pending',
  },
  refund_pending: {
    severity: 'info',
    title: 'Refund pending for more than 3 days',
    list: '/ops/payments?problem=refund_pending',
  },
  dispute_open: {
    severity: 'warning',
    title: 'Dispute waits for an answer',
    list: '/ops/disputes',
  },
  no_route: {
    severity: 'warning',
    title: 'No provider can take the payment',
    list: '/ops/payments?problem=no_route',
  },
  pending_long: {
    severity: 'warning',
    title: 'Payment pending for more than a day',
    list: '/ops/payments?problem=pending_long',
  },
};

function paymentItem(
  deps: ConsoleDeps,
  {
    what,
    paymentId,
    ownerId,
    environment,
    money: stake,
    reference,
    adapter,
    since,
    deadline,
    reason,
  }: PaymentAttention,
): Item {
  const { severity, title, list } = paymentTexts[what];
  return {
    severity,
    title,
    path: `/ops/payments/${paymentId}`,
    listPath: `${list}${list.includes('?') ? '&' : '?'}mode=${environment ?? 'all'}`,
    subject: `payment ${paymentId}`,
    reason:
      reason ?? [reference, adapter && `at ${providerText(deps, adapter)}`].filter((part) => part !== null).join(' '),
    ownerId,
    environment,
    moneys: stake ? [stake] : [],
    first: since,
    deadline,
    last: null,
    count: 1,
  };
}

function failingProviders(
  deps: ConsoleDeps,
  alarms: readonly Alarm[],
  { traffic, states }: { readonly traffic: Others[2]; readonly states: Others[3]['states'] },
): readonly Item[] {
  const kinds = ['breaker_open', 'provider_misconfigured'];
  const known = new Set(alarms.flatMap(({ kind, subject }) => (kinds.includes(kind) ? [adapterOf(subject)] : [])));
  return Object.keys(states).flatMap((name): Item[] => {
    const { calls, errorRate = 0 } = providerFigures(traffic, name);
    if (known.has(name) || calls < failingCalls || errorRate < failingShare) return [];
    const path = `/ops/adapters/${encodeURIComponent(name)}`;
    const reason = `${Math.round(errorRate * 100)} % of its calls failed in the last hour`;
    const severity = errorRate > 0.9 ? 'critical' : 'warning';
    return [
      {
        ...plainItem,
        severity,
        title: 'Provider fails',
        path,
        listPath: '/ops/adapters',
        subject: providerText(deps, name),
        reason,
      },
    ];
  });
}

/** Dead letters whose alarm was resolved by hand. */
function deadLetterItems(
  deps: ConsoleDeps,
  alarms: readonly Alarm[],
  found: Others[4]['deadLetters'],
): readonly Item[] {
  if (alarms.some(({ kind }) => kind === 'callback_dead_letter' || kind === 'callback_unreadable')) return [];
  return found.map(({ provider, outcome, count }): Item => {
    const path = addressWith('/ops/callbacks', { state: outcome, adapter: provider });
    const title = outcome === 'malformed' ? 'Callbacks couldn’t be read' : 'Callbacks couldn’t be processed';
    return {
      ...plainItem,
      severity: 'warning',
      title,
      path,
      listPath: path,
      subject: providerText(deps, provider),
      reason: `${count} kept`,
    };
  });
}

function grouped(items: readonly Item[]): readonly Item[] {
  return [...groupBy(items, ({ title, environment }) => `${title} ${environment ?? ''}`).values()].flatMap((all) => {
    if (all.length <= ungroupedAtMost) return all;
    const [first] = all;
    const { subject: _, reason: __, ownerId: ___, ...rest } = first!;
    const sums = groupBy(
      all.flatMap(({ moneys }) => moneys),
      ({ currency }) => currency,
    );
    return [
      {
        ...rest,
        path: first!.listPath,
        subject: `${all.length} of them`,
        moneys: [...sums].map(([currency, same]) => ({
          currency,
          amount: addDecimals('0', ...same.map(({ amount }) => amount)),
        })),
        first: timeOf(
          all.map((item) => item.first),
          Math.min,
        ),
        last: timeOf(
          all.map((item) => item.last),
          Math.max,
        ),
        deadline: timeOf(
          all.map((item) => item.deadline ?? null),
          Math.min,
        ),
        count: all.length,
      },
    ];
  });
}

function timeOf(times: readonly (Date | null)[], choose: (...ms: number[]) => number): Date | null {
  const known = times.flatMap((at) => (at === null ? [] : [at.getTime()]));
  return known.length === 0 ? null : new Date(choose(...known));
}

function byUrgency(one: Item, other: Item): number {
  const [mine, theirs] = [one, other].map(({ moneys }) => moneys.toSorted(compareMoney).at(-1));
  return (
    severities.indexOf(one.severity) - severities.indexOf(other.severity) ||
    Number(one.environment === 'test') - Number(other.environment === 'test') ||
    compareDeadlines(one, other) ||
    compareMoney(theirs, mine) ||
    (other.last ?? other.first ?? new Date(0)).getTime() - (one.last ?? one.first ?? new Date(0)).getTime()
  );
}

/** The soonest deadline first; what has none comes last. */
function compareDeadlines({ deadline: mine }: Item, { deadline: theirs }: Item): number {
  if (!mine || !theirs) return Number(!mine) - Number(!theirs);
  return mine.getTime() - theirs.getTime();
}

async function namesOf(
  { owners }: Pick<ConsoleDeps, 'owners'>,
  items: readonly Item[],
): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(items.flatMap(({ ownerId }) => ownerId ?? []))];
  return new Map(
    await Promise.all(ids.map(async (id) => [id, (await owners.get(id))?.name ?? `merchant ${id}`] as const)),
  );
}
