/** The audit: who did what, from where, why, before and after. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { acts, isAct } from '../../audit/index.ts';
import { addressWith, badge, choice, table, textField, time } from '../../http/dashboard/parts.ts';
import type { Query } from '../../http/dashboard/query.ts';
import type { ConsoleDeps } from './deps.ts';

const perPage = 100;
const path = '/ops/audit';

export async function auditPage({ audit }: ConsoleDeps, { act, by, before }: Query): Promise<SafeHtml> {
  const known = act !== undefined && isAct(act) ? act : undefined;
  const { items, nextBefore } = await audit.list({
    ...(known && { act: known }),
    ...(by !== undefined && { by }),
    ...(before !== undefined && /^\d{1,15}$/.test(before) && { before: Number(before) }),
    limit: perPage,
  });
  return html`<form method="get" action="${path}" class="filters">
      ${choice('act', 'Act', Object.keys(acts), known)} ${textField({ name: 'by', label: 'Who', value: by })}
      <button class="main">Show</button>
    </form>
    ${table({
      caption: 'What operators did, the newest first',
      head: ['When', 'Who', 'From', 'What', 'About', 'Why', 'Before', 'After', 'State'],
      rows: items.map((one) => [
        time(one.at),
        html`${one.actor.name} <small>${one.actor.type}</small>`,
        one.actor.from,
        isAct(one.act) ? acts[one.act] : one.act,
        `${one.subject.type} ${one.subject.id}`,
        one.reason ?? '–',
        textOf(one.before),
        textOf(one.after),
        html`${badge(one.state)} ${one.error}`,
      ]),
      empty: 'Nobody has done anything like this.',
    })}
    ${
      nextBefore === null
        ? null
        : html`<p class="pages">
            <a href="${addressWith(path, { act: known, by, before: String(nextBefore) })}">Older</a>
          </p>`
    }`;
}

function textOf(value: unknown): string {
  return value === null || value === undefined ? '–' : JSON.stringify(value);
}
