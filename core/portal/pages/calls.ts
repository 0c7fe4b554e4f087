/** The page with the log of the merchant's API calls. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Portal } from '../index.ts';
import { addressWith, badge, duration, emptyState, table, time } from '../../html/components/parts.ts';
import type { Query } from '../../html/components/query.ts';
import { docsAddress } from './page.ts';
import type { PortalSession } from './session.ts';

const perPage = 100;

export async function callsPage(portal: Portal, session: PortalSession, { cursor }: Query): Promise<SafeHtml> {
  const { root, link } = session;
  const { items, nextCursor } = await portal.calls(link, { cursor, limit: perPage });
  return html`<p class="prose">
      Calls with your keys, without their bodies and queries. In busy minutes only some calls are shown.
    </p>
    ${table({
      caption: 'API calls, newest first',
      head: [
        { name: 'Time', kind: 'short' },
        'Method',
        { name: 'Path, request id', kind: 'long' },
        { name: 'Status', kind: 'short' },
        { name: 'Duration', kind: 'number' },
        { name: 'Key', kind: 'short' },
      ],
      rows: items.map(({ at, method, path, status, code, ms, keyId, requestId }) => [
        time(at, { precise: true }),
        method,
        html`${pathText(root, path)} <small>${requestId}</small>`,
        html`${badge(String(status), status < 400 ? 'good' : 'bad')} ${errorLink(session, code)}`,
        duration(ms),
        keyId,
      ]),
      empty: emptyState({ title: 'No API calls yet', text: 'Calls with your keys in this mode appear here.' }),
    })}
    ${
      nextCursor === null
        ? null
        : html`<p class="pages"><a href="${addressWith(`${root}/calls`, { cursor: nextCursor })}">Older</a></p>`
    }`;
}

/** With a link to the payment that the call is about. */
function pathText(root: string, path: string): SafeHtml | string {
  const [, before, id, rest] = /^(\/payment-requests\/)(\d{1,15})(\/.*)?$/s.exec(path) ?? [];
  return id === undefined ? path : html`${before}<a href="${root}/payments/${id}">${id}</a>${rest}`;
}

/** Leads to the explanation of the error. */
function errorLink(session: PortalSession, code: string | undefined): SafeHtml | null {
  return code === undefined ? null : html`<a href="${docsAddress(session, 'errors')}#${code}">${code}</a>`;
}
