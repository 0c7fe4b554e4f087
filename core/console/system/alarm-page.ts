/** The page of one alarm: the problem, what it is about, how to fix it, and what happened to it. */
import { html, type SafeHtml } from '@remix-run/html-template';
import {
  acknowledgedBy,
  adapterOf,
  environmentOf,
  ownerIdOf,
  partsOf,
  presentAlarm,
} from '../../engine/alarms/index.ts';
import type { Alarm, AlarmEvent } from '../../database/collections/alarm.ts';
import type { PaymentDetails } from '../../engine/payments/index.ts';
import { notFound } from '../../base/errors.ts';
import type { ConsoleDeps } from '../deps.ts';
import { paymentIdOf } from '../kit/action.ts';
import { isAllowed } from '../kit/action-form.ts';
import { optionalReason } from '../kit/buttons.ts';
import type { PageBody } from '../kit/page.ts';
import {
  badge,
  details,
  hidden,
  maskedText,
  money,
  pageField,
  textField,
  time,
  timeline,
  toWords,
  type Cell,
  type Look,
  type TimelineEntry,
} from '../../html/components/parts.ts';
import type { Session } from '../sign-in/session.ts';
import { merchantPath } from '../merchants/merchants.ts';
import { providerLink, providerPath } from '../payments/payment-cells.ts';
import { cureForms } from './alarm-cures.ts';
import { operatorName, severityBadge, subjectOf } from './alarms.ts';

/** Throws NF001 if the alarm does not exist. */
export async function alarmTitle(deps: Pick<ConsoleDeps, 'alarms'>, id: string): Promise<string> {
  return presentAlarm(await readAlarm(deps, id)).title;
}

async function readAlarm({ alarms }: Pick<ConsoleDeps, 'alarms'>, id: string): Promise<Alarm> {
  const found = await alarms.get(id);
  if (!found) throw notFound('an alarm of this id');
  return found;
}

/** Throws NF001 if the alarm does not exist. */
export async function alarmPage(deps: ConsoleDeps, id: string, session: Session): Promise<PageBody> {
  const alarm = await readAlarm(deps, id);
  const { subject, reason, state, severity, meaning, nextStep, cure } = presentAlarm(alarm);
  const payment = subject.type === 'payment' ? await deps.readPayment(paymentIdOf(partsOf(subject).name)) : undefined;
  const pages = await pagesOf(deps, alarm);
  const others = (cure.startsWith(nextStep) ? cure.slice(nextStep.length) : cure).trim();
  const body = html`<p class="lead">${severityBadge(severity)} ${badge(state)} ${withPayments(reason)}</p>
    ${details(await factsOf(deps, alarm, payment))}
    <h2>What to do</h2>
    <p class="prose">${meaning}</p>
    <p class="prose"><strong>First:</strong> ${withCommands(nextStep)}</p>
    ${others === '' ? null : html`<p class="prose">${withCommands(others)}</p>`}
    ${state === 'resolved' ? null : await cureForms(deps, session, alarm, payment)}
    <p class="pages">${pages.map(([label, path]) => html`<a href="${path}">${label}</a> `)}</p>
    ${handlingForm(session, alarm)}
    <h2>Timeline</h2>
    ${timeline(eventsOf(alarm).toReversed().map(toEntry))}`;
  return { body, mode: environmentOf(alarm) ?? payment?.environment };
}

type Details = Parameters<typeof details>[0];

async function factsOf(deps: ConsoleDeps, alarm: Alarm, payment: PaymentDetails | undefined): Promise<Details> {
  const { subject, count, firstSeenAt, lastSeenAt } = alarm;
  // An earlier version stored no money: then the whole payment is at stake.
  const stake = alarm.money ?? payment;
  const ownerId = ownerIdOf(alarm) ?? payment?.ownerId;
  const merchant = ownerId === undefined ? undefined : (await deps.owners.get(ownerId))?.name;
  const adapter = subject.type === 'adapter' ? adapterOf(subject) : payment?.attempts.at(-1)?.adapter;
  const environment = environmentOf(alarm) ?? payment?.environment;
  const by = operatorName(acknowledgedBy(alarm)?.by);
  const given: readonly (readonly [string, Cell | undefined])[] = [
    ['Subject', html`<a href="${pageOf(subject)}">${subjectOf(deps, alarm, merchant)}</a>`],
    ['Amount at stake', stake && money(stake.amount, stake.currency)],
    ['Merchant', merchant === undefined ? undefined : html`<a href="/ops/merchants/${ownerId}">${merchant}</a>`],
    ['Payer', payment && payerText(payment)],
    ['Provider', adapter === undefined ? undefined : providerLink(deps, adapter)],
    ['Mode', environment],
    ['Raised', count === 1 ? 'once' : `${count} times`],
    ['First raised', time(firstSeenAt)],
    ['Last raised', time(lastSeenAt)],
    ['Acknowledged by', by],
  ];
  return given.flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const]));
}

function payerText({ payer: { name, email } }: PaymentDetails): Cell {
  if (name === null) return maskedText(email);
  return email === null ? maskedText(name) : html`${maskedText(name)} <small>${email}</small>`;
}

/** One reason field with a button for each action. Null: nothing can be done, or the role may not do it. */
function handlingForm({ operator, formToken, page }: Session, { _id, state }: Alarm): SafeHtml | null {
  if (state === 'resolved' || !isAllowed(operator.role, 'support')) return null;
  const path = `/ops/alarms/${encodeURIComponent(_id)}`;
  return html`<h2>Handle the alarm</h2>
    <form method="post" action="${path}/${state === 'open' ? 'acknowledge' : 'resolve'}" class="act">
      ${hidden({ formToken, [pageField]: page })} ${textField({ name: 'reason', label: optionalReason })}
      ${state === 'open' ? html`<button class="main">Acknowledge</button>` : null}
      <button formaction="${path}/resolve">Resolve</button>
    </form>`;
}

/** For an alarm of an earlier version, only when it was raised is known. */
function eventsOf({ history, firstSeenAt, lastSeenAt, count }: Alarm): readonly AlarmEvent[] {
  const known = history ?? [{ at: firstSeenAt, what: 'raised' }];
  const isRepeated = count > 1 && lastSeenAt.getTime() > (known.at(-1)?.at.getTime() ?? 0);
  return isRepeated ? [...known, { at: lastSeenAt, what: 'raised', reason: `for the ${count}th time` }] : known;
}

/** A later version may have stored an event that this version does not know. */
const eventWords: Readonly<Record<string, string>> = {
  raised: 'Raised',
  raised_again: 'Raised again, soon after it was resolved automatically',
  reported: 'Reported',
  acknowledged: 'Acknowledged',
  resolved: 'Resolved',
} satisfies Record<AlarmEvent['what'], string>;

const eventLooks: Readonly<Record<string, Look>> = {
  raised: 'bad',
  raised_again: 'bad',
  reported: 'calm',
  acknowledged: 'warn',
  resolved: 'good',
} satisfies Record<AlarmEvent['what'], Look>;

function toEntry({ at, what, by, reason, to = [] }: AlarmEvent): TimelineEntry {
  const who = operatorName(by);
  const receivers = to.map((name) => (name === 'webhook' ? 'the webhook' : name)).join(', ');
  const done =
    what === 'resolved' && who === undefined ? 'Resolved automatically' : (eventWords[what] ?? toWords(what));
  return {
    at,
    title: [done, ...(receivers === '' ? [] : [`to ${receivers}`]), ...(who === undefined ? [] : [`by ${who}`])].join(
      ' ',
    ),
    text: reason === undefined ? null : maskedText(reason),
    look: eventLooks[what] ?? 'calm',
  };
}

/** The page of the subject of an alarm. */
function pageOf({ type, id }: Alarm['subject']): string {
  switch (type) {
    case 'payment':
      return `/ops/payments/${partsOf({ id }).name}`;
    case 'callback':
      return `/ops/callbacks/${encodeURIComponent(id)}`;
    case 'adapter':
      return providerPath(partsOf({ id }).name);
    case 'owner':
      return merchantPath(partsOf({ id }).name);
    case 'job':
      return '/ops/jobs';
    case 'queue':
      return queuePages[id] ?? '/ops';
    case 'host':
    case 'process':
      return '/ops#live-hosts';
    default:
      // A later version raised the alarm.
      return '/ops/alarms';
  }
}

const queuePages: Readonly<Record<string, string>> = {
  callbacks: '/ops/callbacks?state=waiting',
  notifications: '/ops/notifications?state=waiting',
  reconcile: '/ops/checks',
};

/** The pages on which the operator can act on an alarm, with the labels of their links. */
async function pagesOf(
  { owners, settlements }: Pick<ConsoleDeps, 'owners' | 'settlements'>,
  { kind, subject }: Alarm,
): Promise<readonly (readonly [label: string, path: string])[]> {
  const { type, id } = subject;
  const labels: Readonly<Record<string, string>> = {
    payment: 'View payment',
    callback: 'View callback',
    adapter: 'View provider',
    owner: 'View merchant',
    job: 'View jobs',
    queue: 'View queue',
    host: 'View hosts',
    process: 'View processes',
  } satisfies Record<Alarm['subject']['type'], string>;
  const page = [labels[type] ?? 'View alarms', pageOf(subject)] as const;
  if (kind === 'notifications_exhausted') {
    const owner = (await owners.get(Number(partsOf(subject).name)))?.name ?? '';
    return [['View notifications', `/ops/notifications?${searchOf({ state: 'exhausted', owner })}`], page];
  }
  if (kind === 'callback_unreadable')
    return [['View callbacks', `/ops/callbacks?${searchOf({ state: 'malformed', adapter: id })}`], page];
  if (kind === 'endpoint_disabled') return [['View webhooks', merchantPath(partsOf(subject).name, 'webhooks')], page];
  if (kind === 'settlement_difference') {
    const { name, environment } = partsOf(subject);
    const run = await settlements.latestDiffering(name, environment);
    return [
      run === undefined ? ['View settlement', '/ops/settlement'] : ['View differences', `/ops/settlement/${run}`],
      page,
    ];
  }
  return kind === 'backlog_old' ? [page, ['View jobs', '/ops/jobs'], ['View hosts', '/ops']] : [page];
}

function searchOf(members: Readonly<Record<string, string>>): string {
  return new URLSearchParams(members).toString();
}

/** Links the payments that a reason names. */
function withPayments(reason: string): SafeHtml {
  const parts = reason.split(/\b(payment \d{1,15}|GW-\d{1,15}-\d+)/);
  return html`${parts.map((part, at) => {
    const [, id] = at % 2 === 1 ? (/(\d+)/.exec(part) ?? []) : [];
    return id === undefined ? part : html`<a href="/ops/payments/${id}">${part}</a>`;
  })}`;
}

/** `paywright` with the words and options of a command. Only these commands have one word. */
const command = /\b(paywright (?:doctor|replay|settle|[a-z]+ [a-z]+)(?: --[a-z]+(?: <[a-z]+>)?)*)/;

/** Sets the commands that a sentence names in the typeface of code. */
function withCommands(sentence: string): SafeHtml {
  const parts = sentence.split(command);
  return html`${parts.map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : part))}`;
}
