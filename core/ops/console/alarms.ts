/** Alarms: what needs somebody, and what to do about it. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { presentAlarm } from '../../alarms/index.ts';
import type { Alarm } from '../../documents/alarm.ts';
import { notFound } from '../../errors.ts';
import type { ConsoleDeps } from './deps.ts';
import type { Listing } from './listing.ts';
import { badge, textField, time, type Cell } from '../../http/dashboard/parts.ts';
import { actForm } from './act-form.ts';
import type { Session } from './session.ts';

const shown = 500;
export const alarmHead = ['Last seen', 'First seen', 'State', 'Times', 'About', 'What it is'] as const;

export async function alarmsPage({ alarms }: ConsoleDeps): Promise<Listing> {
  return {
    table: {
      caption: 'Alarms that need somebody, the latest first',
      head: alarmHead,
      rows: alarmRows(await alarms.list(shown)),
      empty: 'Nothing needs you.',
    },
  };
}

export function alarmRows(alarms: readonly Alarm[]): readonly (readonly Cell[])[] {
  return alarms.map((alarm) => {
    const { id, firstSeenAt, lastSeenAt, state, count, subject, reason, meaning } = presentAlarm(alarm);
    return [
      time(lastSeenAt),
      time(firstSeenAt),
      badge(state),
      count,
      html`<a href="/ops/alarms/${encodeURIComponent(id)}">${subject.type} ${shortId(subject.id)}</a>`,
      html`${meaning} <small>${reason}</small>`,
    ];
  });
}
/** Throws NF001 where there is none. */
export async function alarmPage({ alarms }: ConsoleDeps, id: string, session: Session): Promise<SafeHtml> {
  const found = await alarms.get(id);
  if (!found) throw notFound('an alarm of this id');
  const { subject, reason, state, count, firstSeenAt, lastSeenAt, meaning, cure } = presentAlarm(found);
  const act = (name: string, label: string): SafeHtml | null =>
    actForm(session, 'support', {
      action: `/ops/alarms/${encodeURIComponent(id)}/${name}`,
      label,
      fields: textField({ name: 'reason', label: 'Why, for the audit' }),
    });
  const about = `${subject.type} ${subject.id}`;
  const link = pageOf(subject);
  return html`<p>${badge(state)} ${meaning}</p>
    <p>${link === undefined ? about : html`<a href="${link}">${about}</a>`}: ${reason}</p>
    <p>${count} × since ${time(firstSeenAt)}, last ${time(lastSeenAt)}</p>
    <h2>What to do</h2>
    <p>${cure}</p>
    <div class="acts">
      ${state === 'open' ? act('acknowledge', 'I look after it') : null}
      ${state === 'resolved' ? null : act('resolve', 'Its cause is gone')}
    </div>`;
}

/** Where what an alarm is about is looked at; undefined where no page shows it. */
function pageOf({ type, id }: Alarm['subject']): string | undefined {
  switch (type) {
    case 'payment':
      return `/ops/payments/${id}`;
    case 'callback':
      return `/ops/callbacks/${encodeURIComponent(id)}`;
    case 'adapter':
      return `/ops/adapters/${encodeURIComponent(id)}`;
    case 'owner':
      return `/ops/merchants/${encodeURIComponent(id)}`;
    case 'job':
      return '/ops/jobs';
    case 'queue':
    case 'host':
      return '/ops';
  }
}

/** Ids of callbacks are long: their beginning tells them apart. */
function shortId(id: string): string {
  return id.length > 24 ? `${id.slice(0, 12)}…` : id;
}
