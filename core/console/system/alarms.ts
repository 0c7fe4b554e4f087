/** Alarms: what needs somebody, and what to do about it. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { adapterOf, partsOf, presentAlarm } from '../../engine/alarms/index.ts';
import type { Alarm } from '../../database/collections/alarm.ts';
import { notFound } from '../../base/errors.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Listing } from '../kit/listing.ts';
import { badge, textField, time, type Cell } from '../../html/dashboard/parts.ts';
import type { Query } from '../../html/dashboard/query.ts';
import { actionForm } from '../kit/action-form.ts';
import type { Session } from '../sign-in/session.ts';

const perPage = 100;
export const alarmHead = ['Last seen', 'First seen', 'State', 'Times', 'About', 'What it is'] as const;

export async function alarmsPage(
  deps: ConsoleDeps,
  { query, rows = perPage }: { readonly query: Query; readonly rows: number | undefined },
): Promise<Listing> {
  const { cursor } = query;
  const { items, nextCursor } = await deps.alarms.page({ limit: rows, ...(cursor !== undefined && { cursor }) });
  return {
    table: {
      caption: 'Alarms that need somebody, the latest first',
      head: alarmHead,
      rows: await alarmRows(deps, items),
      empty: 'Nothing needs you.',
    },
    ids: items.map(({ _id }) => _id),
    ...(nextCursor !== null && { older: { ...query, cursor: nextCursor } }),
  };
}

export async function alarmRows(
  { owners }: Pick<ConsoleDeps, 'owners'>,
  alarms: readonly Alarm[],
): Promise<readonly (readonly Cell[])[]> {
  return Promise.all(
    alarms.map(async (alarm) => {
      const { id, firstSeenAt, lastSeenAt, state, count, subject, reason, meaning } = presentAlarm(alarm);
      return [
        time(lastSeenAt),
        time(firstSeenAt),
        badge(state),
        count,
        html`<a href="/ops/alarms/${encodeURIComponent(id)}">${await aboutText({ owners }, subject)}</a>`,
        html`${meaning} <small>${reason}</small>`,
      ];
    }),
  );
}

/** Throws NF001 where there is none. */
export async function alarmPage(deps: ConsoleDeps, id: string, session: Session): Promise<SafeHtml> {
  const found = await deps.alarms.get(id);
  if (!found) throw notFound('an alarm of this id');
  const { subject, reason, state, count, firstSeenAt, lastSeenAt, meaning, cure } = presentAlarm(found);
  const act = (name: string, label: string): SafeHtml | null =>
    actionForm(session, 'support', {
      action: `/ops/alarms/${encodeURIComponent(id)}/${name}`,
      label,
      fields: textField({ name: 'reason', label: 'Why, for the audit' }),
    });
  const about = await aboutText(deps, subject, { isWhole: true });
  const pages = await pagesOf(deps, found);
  return html`<p>${badge(state)} ${meaning}</p>
    <p><a href="${pageOf(subject)}">${about}</a>: ${withPayments(reason)}</p>
    <p>${count} × since ${time(firstSeenAt)}, last ${time(lastSeenAt)}</p>
    <h2>What to do</h2>
    <p>${cure}</p>
    <p class="pages">${pages.map(([label, path]) => html`<a href="${path}">${label}</a> `)}</p>
    <div class="acts">
      ${state === 'open' ? act('acknowledge', 'I look after it') : null}
      ${state === 'resolved' ? null : act('resolve', 'Its cause is gone')}
    </div>`;
}

/** Where what an alarm is about is looked at. */
function pageOf({ type, id }: Alarm['subject']): string {
  switch (type) {
    case 'payment':
      return `/ops/payments/${id}`;
    case 'callback':
      return `/ops/callbacks/${encodeURIComponent(id)}`;
    case 'adapter':
      return `/ops/adapters/${encodeURIComponent(adapterOf({ id }))}`;
    case 'owner':
      return `/ops/merchants/${encodeURIComponent(partsOf({ id }).name)}`;
    case 'job':
      return '/ops/jobs';
    case 'queue':
      return queuePages[id] ?? '/ops';
    case 'host':
    case 'process':
      return '/ops#live-hosts';
  }
}

const queuePages: Readonly<Record<string, string>> = {
  callbacks: '/ops/callbacks?state=waiting',
  notifications: '/ops/notifications?state=waiting',
  reconcile: '/ops/checks',
};

/** Where the operator does what an alarm asks for. */
async function pagesOf(
  { owners }: Pick<ConsoleDeps, 'owners'>,
  { kind, subject }: Alarm,
): Promise<readonly (readonly [label: string, path: string])[]> {
  const { type, id } = subject;
  const labels = {
    payment: 'To the payment',
    callback: 'To the callback',
    adapter: 'To the adapter',
    owner: 'To the merchant',
    job: 'To the jobs',
    queue: 'To what waits',
    host: 'To the hosts',
    process: 'To the processes',
  } as const satisfies Readonly<Record<Alarm['subject']['type'], string>>;
  const page = [labels[type], pageOf(subject)] as const;
  if (kind === 'notifications_exhausted') {
    const owner = (await owners.get(Number(partsOf(subject).name)))?.name ?? '';
    return [['To the notifications', `/ops/notifications?${searchOf({ state: 'exhausted', owner })}`], page];
  }
  if (kind === 'callback_unreadable')
    return [['To the callbacks', `/ops/callbacks?${searchOf({ state: 'malformed', adapter: id })}`], page];
  return kind === 'backlog_old' ? [page, ['To the jobs', '/ops/jobs'], ['To the hosts', '/ops']] : [page];
}

function searchOf(members: Readonly<Record<string, string>>): string {
  return new URLSearchParams(members).toString();
}

/** A merchant by its name; ids of callbacks are hashes, and their beginning tells them apart. */
async function aboutText(
  { owners }: Pick<ConsoleDeps, 'owners'>,
  { type, id }: Alarm['subject'],
  { isWhole = false }: { readonly isWhole?: boolean } = {},
): Promise<string> {
  if (type === 'owner') {
    const { name } = partsOf({ id });
    const owner = await owners.get(Number(name));
    return owner ? `${owner.name}${id.slice(name.length)}` : `owner ${id}`;
  }
  return `${type} ${type === 'callback' && !isWhole ? `${id.slice(0, 12)}…` : id}`;
}

/** The payments that a reason names can be looked at. */
function withPayments(reason: string): SafeHtml {
  const parts = reason.split(/\b(payment \d{1,15}|GW-\d{1,15}-\d+)/);
  return html`${parts.map((part, at) => {
    const [, id] = at % 2 === 1 ? (/(\d+)/.exec(part) ?? []) : [];
    return id === undefined ? part : html`<a href="/ops/payments/${id}">${part}</a>`;
  })}`;
}
