/** The page with the log of the merchant's API calls. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { keptPerMinute, type Portal } from '../index.ts';
import { addressWith, table, time } from '../../html/components/parts.ts';
import type { Query } from '../../html/components/query.ts';
import type { PortalSession } from './session.ts';

const perPage = 100;

export async function callsPage(portal: Portal, session: PortalSession, { cursor }: Query): Promise<SafeHtml> {
  const { root, link } = session;
  const { items, nextCursor } = await portal.calls(link, { cursor, limit: perPage });
  return html`<p>
      Bodies and queries are not stored. Busy minutes are sampled: for each minute, each process of the API keeps the
      first ${keptPerMinute} answered calls and the first ${keptPerMinute} refused calls.
    </p>
    ${table({
      caption: 'API calls, newest first',
      head: ['Time', 'Method', 'Path, request id', 'Status', 'Milliseconds', 'Key'],
      rows: items.map(({ at, method, path, status, ms, keyId, requestId }) => [
        time(at, { precise: true }),
        method,
        html`${path} <small>${requestId}</small>`,
        status < 400 ? status : html`<span class="badge bad">${status}</span>`,
        ms,
        keyId,
      ]),
      empty: 'No API calls yet.',
    })}
    ${
      nextCursor === null
        ? null
        : html`<p class="pages"><a href="${addressWith(`${root}/calls`, { cursor: nextCursor })}">Older</a></p>`
    }`;
}
