/** Alarms: what needs somebody, and what to do about it. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { presentAlarm } from '../../alarms/index.ts';
import type { Alarm } from '../../documents/alarm.ts';
import { notFound } from '../../errors.ts';
import { badge, table, textField, time, type Cell } from '../../http/dashboard/parts.ts';
import { actForm } from './act-form.ts';
import type { ConsoleDeps } from './deps.ts';
import type { Session } from './session.ts';

const shown = 500;

export async function alarmsPage({ alarms }: ConsoleDeps): Promise<SafeHtml> {
  const found = await alarms.list(shown);
  return table({
    caption: 'Alarms that need somebody, the latest first',
    head: ['Last seen', 'First seen', 'State', 'Times', 'About', 'What it is'],
    rows: found.map((alarm) => {
      const [lastSeen, ...rest] = alarmCells(alarm);
      return [lastSeen, time(alarm.firstSeenAt), ...rest];
    }),
    empty: 'Nothing needs you.',
  });
}

/** When it was last seen, its state, how often, what it is about, what it is. */
export function alarmCells(alarm: Alarm): readonly [Cell, ...Cell[]] {
  const { id, lastSeenAt, state, count, subject, reason, meaning } = presentAlarm(alarm);
  return [
    time(lastSeenAt),
    badge(state),
    count,
    html`<a href="/ops/alarms/${encodeURIComponent(id)}">${subject.type} ${subject.id}</a>`,
    html`${meaning} <small>${reason}</small>`,
  ];
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
  const link =
    subject.type === 'payment'
      ? `/ops/payments/${subject.id}`
      : subject.type === 'callback'
        ? `/ops/callbacks/${encodeURIComponent(subject.id)}`
        : undefined;
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
