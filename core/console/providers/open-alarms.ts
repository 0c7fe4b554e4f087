/** The open alarms on the page of an adapter and of an account. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { meaningOf } from '../../engine/alarms/index.ts';
import { badge, time } from '../../html/components/parts.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { ShowTable } from '../kit/listing.ts';

/** How many open alarms are read, the latest first. */
export const readAlarms = 500;

type Subject = Awaited<ReturnType<ConsoleDeps['alarms']['list']>>[number]['subject'];

/** Returns null if no open alarm is about the subject. */
export async function openAlarmsTable(
  { alarms }: Pick<ConsoleDeps, 'alarms'>,
  isAbout: (subject: Subject) => boolean,
  { caption, table }: { readonly caption: string; readonly table: ShowTable },
): Promise<SafeHtml | null> {
  const about = (await alarms.list(readAlarms)).filter(({ subject }) => subject.type === 'adapter' && isAbout(subject));
  if (about.length === 0) return null;
  return table('alarms', {
    caption,
    head: ['Last raised', 'State', 'Count', { name: 'Problem', kind: 'long' }],
    rows: about.map(({ _id, kind, state, count, lastSeenAt, reason }) => [
      time(lastSeenAt),
      badge(state),
      count,
      html`<a href="/ops/alarms/${encodeURIComponent(_id)}">${meaningOf(kind).title}</a> <small>${reason}</small>`,
    ]),
    empty: '',
  });
}
