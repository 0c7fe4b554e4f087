/** The audit log: who did what, from which address and for which reason, with the values before and after. */
import { html } from '@remix-run/html-template';
import { auditedActions, isActionName, type AuditSubject, type AuditView } from '../../engine/audit/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Listing } from '../kit/listing.ts';
import { badge, choice, textField, time, type Cell } from '../../html/components/parts.ts';
import { notATime, readTime, type Query } from '../../html/components/query.ts';

const perPage = 100;
const path = '/ops/audit';

export async function auditPage(
  { audit }: ConsoleDeps,
  { query, rows = perPage }: { readonly query: Query; readonly rows: number | undefined },
): Promise<Listing> {
  const { act, by, about, since: from, before } = query;
  const subject = readSubject(about);
  const since = readTime(from);
  const known = act !== undefined && isActionName(act) ? act : undefined;
  const problem =
    subject === null
      ? 'Enter the subject as its type and its ID, for example payment 1764000000123.'
      : since === null
        ? notATime
        : undefined;
  const { items, nextBefore } =
    problem !== undefined
      ? { items: [], nextBefore: null }
      : await audit.list({
          ...(known && { act: known }),
          ...(by !== undefined && { by }),
          ...(subject && { subject }),
          ...(since && { since }),
          ...(before !== undefined && /^\d{1,15}$/.test(before) && { before: Number(before) }),
          limit: rows,
        });
  return {
    before: html`<form method="get" action="${path}" class="filters">
        ${choice('act', 'Action', Object.keys(auditedActions), known)}
        ${textField({ name: 'by', label: 'Who', value: by })}
        ${textField({ name: 'about', label: 'Subject, for example payment 1764000000123', value: about })}
        ${textField({ name: 'since', label: 'Since (UTC)', value: from, type: 'datetime-local' })}
        <button class="main">Show</button>
      </form>
      ${problem === undefined ? null : html`<p class="note bad" role="alert">${problem}</p>`}`,
    table: {
      caption: 'Operator actions, newest first',
      head: auditHead,
      rows: auditRows(items),
      empty: 'No actions found.',
    },
    ...(nextBefore !== null && { older: { ...query, before: String(nextBefore) } }),
  };
}

/** Reads the spelling of the column and the one of the command. Null if it is neither. */
function readSubject(about: string | undefined): AuditSubject | undefined | null {
  if (about === undefined) return undefined;
  const [, type, id] = /^([a-z_]+)[ :](.+)$/s.exec(about) ?? [];
  return type === undefined || id === undefined ? null : { type, id };
}

export const auditHead = ['When', 'Who', 'Address', 'Action', 'Subject', 'Reason', 'Before', 'After', 'State'] as const;

export function auditRows(items: readonly AuditView[]): readonly (readonly Cell[])[] {
  return items.map((one) => [
    time(one.at),
    html`${one.actor.name} <small>${one.actor.type}</small>`,
    one.actor.from,
    isActionName(one.act) ? auditedActions[one.act] : one.act,
    `${one.subject.type} ${one.subject.id}`,
    one.reason ?? '–',
    textOf(one.before),
    textOf(one.after),
    html`${badge(one.state)} ${one.error}`,
  ]);
}

/** Lists the members of an object. */
function textOf(value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value !== 'object' || Array.isArray(value)) return JSON.stringify(value);
  const members = Object.entries(value).map(([name, member]) => `${name}: ${memberText(member)}`);
  return members.length === 0 ? '–' : members.join(', ');
}

function memberText(member: unknown): string {
  if (member === null) return 'none';
  if (Array.isArray(member) && member.every((one) => typeof one === 'string'))
    return member.length === 0 ? 'none' : member.join(' ');
  return typeof member === 'string' ? member : JSON.stringify(member);
}
