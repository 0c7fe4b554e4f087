/** The page with the log of the merchant's API calls. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Portal } from '../index.ts';
import { addressWith, badge, emptyState, table, time } from '../../html/components/parts.ts';
import type { Query } from '../../html/components/query.ts';
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
        'Milliseconds',
        { name: 'Key', kind: 'short' },
      ],
      rows: items.map(({ at, method, path, status, code, ms, keyId, requestId }) => [
        time(at, { precise: true }),
        method,
        html`${path} <small>${requestId}</small>`,
        html`${badge(String(status), status < 400 ? 'good' : 'bad')} ${errorLink(root, code)}`,
        ms,
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

/** Leads to the explanation of the error. */
function errorLink(root: string, code: string | undefined): SafeHtml | null {
  const docs = `${root.replace(/\/portal$/, '')}/docs/errors`;
  return code === undefined ? null : html`<a href="${docs}#${code}">${code}</a>`;
}
