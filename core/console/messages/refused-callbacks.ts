/** Refused callbacks, such as forged ones, in groups by reason and sender network. */
import { html } from '@remix-run/html-template';
import { refusalText, type ListedRefusals } from '../../engine/callbacks/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Listing } from '../kit/listing.ts';
import { emptyState, filters, time, type Cell, type Table } from '../../html/components/parts.ts';
import type { Query } from '../../html/components/query.ts';
import { adapterField, callbackTabs, paymentLinks, senderLink } from './callbacks.ts';

export async function refusedCallbacksPage(deps: ConsoleDeps, query: Query): Promise<Listing> {
  const { adapter } = query;
  const fields = [adapterField(deps)];
  const groups = await deps.refusedCallbacks(adapter);
  const count = groups.reduce((sum, one) => sum + one.count, 0);
  return {
    before: html`${callbackTabs('refused', adapter, count)}
      ${filters({ path: '/ops/callbacks/refused', query, fields })}
      <p class="prose">
        <small>
          Nothing was changed by these callbacks, and they are not stored. The payments are those that their text names.
          If a provider’s own callbacks are here, its secret or its address is wrong: compare both with the provider’s
          console.
        </small>
      </p>`,
    table: refusedTable(deps, groups),
  };
}

/** `isOfOneAdapter`: the page is about one adapter, so the table does not name it. */
export function refusedTable(
  deps: Pick<ConsoleDeps, 'adapters'>,
  groups: readonly ListedRefusals[],
  isOfOneAdapter = false,
): Table {
  return {
    caption: 'Refused callbacks of the last 30 days, the latest first',
    head: [
      { name: 'Last', kind: 'short' },
      ...(isOfOneAdapter ? [] : [{ name: 'Provider', kind: 'short' } as const]),
      'Count',
      { name: 'Sender network', kind: 'short' },
      { name: 'Why', kind: 'long' },
      'Payments named',
      { name: 'First', kind: 'short' },
    ],
    rows: groups.map((group) => [
      time(group.lastAt),
      ...(isOfOneAdapter ? [] : [senderLink(deps, group.adapter)]),
      group.count,
      group.network,
      reasonCell(group.reason),
      paymentLinks({ paymentRequestIds: group.payments, unknownPaymentIds: group.unknownPaymentIds }),
      time(group.firstAt),
    ]),
    empty: emptyState({ title: 'No callback was refused in the last 30 days' }),
  };
}

function reasonCell(lack: string): Cell {
  const { text, detail } = refusalText(lack);
  return detail === null ? text : html`${text} <small>${detail}</small>`;
}
