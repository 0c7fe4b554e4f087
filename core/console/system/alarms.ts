/** Alarms: what needs attention, and what to do about it. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { adapterOf, partsOf, presentAlarm } from '../../engine/alarms/index.ts';
import type { Alarm } from '../../database/collections/alarm.ts';
import { notFound } from '../../base/errors.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Listing } from '../kit/listing.ts';
import { badge, textField, time, type Cell } from '../../html/components/parts.ts';
import type { Query } from '../../html/components/query.ts';
import { optionalReason } from '../kit/buttons.ts';
import { actionForm } from '../kit/action-form.ts';
import type { Session } from '../sign-in/session.ts';

const perPage = 100;
export const alarmHead = ['Last raised', 'First raised', 'State', 'Count', 'Subject', 'Problem'] as const;

export async function alarmsPage(
  deps: ConsoleDeps,
  { query, rows = perPage }: { readonly query: Query; readonly rows: number | undefined },
): Promise<Listing> {
  const { cursor } = query;
  const { items, nextCursor } = await deps.alarms.page({ limit: rows, ...(cursor !== undefined && { cursor }) });
  return {
    table: {
      caption: 'Unresolved alarms, most recent first',
      head: alarmHead,
      rows: await alarmRows(deps, items),
      empty: 'No unresolved alarms.',
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

/** Throws NF001 if the alarm does not exist. */
export async function alarmPage(deps: ConsoleDeps, id: string, session: Session): Promise<SafeHtml> {
  const found = await deps.alarms.get(id);
  if (!found) throw notFound('an alarm of this id');
  const { subject, reason, state, count, firstSeenAt, lastSeenAt, meaning, cure } = presentAlarm(found);
  const form = (name: string, label: string): SafeHtml | null =>
    actionForm(session, 'support', {
      action: `/ops/alarms/${encodeURIComponent(id)}/${name}`,
      label,
      fields: textField({ name: 'reason', label: optionalReason }),
    });
  const about = await aboutText(deps, subject, { isWhole: true });
  const pages = await pagesOf(deps, found);
  return html`<p>${badge(state)} ${meaning}</p>
    <p><a href="${pageOf(subject)}">${about}</a>: ${withPayments(reason)}</p>
    <p>Raised ${count === 1 ? 'once' : `${count} times`}, first ${time(firstSeenAt)}, last ${time(lastSeenAt)}</p>
    <h2>What to do</h2>
    <p>${cure}</p>
    <p class="pages">${pages.map(([label, path]) => html`<a href="${path}">${label}</a> `)}</p>
    <div class="acts">
      ${state === 'open' ? form('acknowledge', 'Acknowledge') : null}
      ${state === 'resolved' ? null : form('resolve', 'Resolve')}
    </div>`;
}

/** The page of the subject of an alarm. */
function pageOf({ type, id }: Alarm['subject']): string {
  switch (type) {
    case 'payment':
      return `/ops/payments/${partsOf({ id }).name}`;
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

/** The pages on which the operator can act on an alarm, with the labels of their links. */
async function pagesOf(
  { owners }: Pick<ConsoleDeps, 'owners'>,
  { kind, subject }: Alarm,
): Promise<readonly (readonly [label: string, path: string])[]> {
  const { type, id } = subject;
  const labels = {
    payment: 'View payment',
    callback: 'View callback',
    adapter: 'View adapter',
    owner: 'View merchant',
    job: 'View jobs',
    queue: 'View queue',
    host: 'View hosts',
    process: 'View processes',
  } as const satisfies Readonly<Record<Alarm['subject']['type'], string>>;
  const page = [labels[type], pageOf(subject)] as const;
  if (kind === 'notifications_exhausted') {
    const owner = (await owners.get(Number(partsOf(subject).name)))?.name ?? '';
    return [['View notifications', `/ops/notifications?${searchOf({ state: 'exhausted', owner })}`], page];
  }
  if (kind === 'callback_unreadable')
    return [['View callbacks', `/ops/callbacks?${searchOf({ state: 'malformed', adapter: id })}`], page];
  return kind === 'backlog_old' ? [page, ['View jobs', '/ops/jobs'], ['View hosts', '/ops']] : [page];
}

function searchOf(members: Readonly<Record<string, string>>): string {
  return new URLSearchParams(members).toString();
}

/** Names a merchant by its name, and a callback by the beginning of its id, which is a hash. */
async function aboutText(
  { owners }: Pick<ConsoleDeps, 'owners'>,
  { type, id }: Alarm['subject'],
  { isWhole = false }: { readonly isWhole?: boolean } = {},
): Promise<string> {
  if (type === 'owner') {
    const { name } = partsOf({ id });
    const owner = await owners.get(Number(name));
    return owner ? `${owner.name}${id.slice(name.length)}` : `merchant ${id}`;
  }
  return `${type} ${type === 'callback' && !isWhole ? `${id.slice(0, 12)}…` : id}`;
}

/** Links the payments that a reason names. */
function withPayments(reason: string): SafeHtml {
  const parts = reason.split(/\b(payment \d{1,15}|GW-\d{1,15}-\d+)/);
  return html`${parts.map((part, at) => {
    const [, id] = at % 2 === 1 ? (/(\d+)/.exec(part) ?? []) : [];
    return id === undefined ? part : html`<a href="/ops/payments/${id}">${part}</a>`;
  })}`;
}
