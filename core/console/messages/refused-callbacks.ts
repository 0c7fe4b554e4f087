/** Refused callbacks, such as forged ones, in groups by reason and sender network. */
import { html } from '@remix-run/html-template';
import type { ListedRefusals } from '../../engine/callbacks/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Listing } from '../kit/listing.ts';
import { emptyState, filters, time, type Table } from '../../html/components/parts.ts';
import type { Query } from '../../html/components/query.ts';
import { adapterField, adapterLink, callbackTabs, paymentLinks } from './callbacks.ts';

export async function refusedCallbacksPage(
  { adapters, refusedCallbacks }: ConsoleDeps,
  query: Query,
): Promise<Listing> {
  const { adapter } = query;
  const fields = [adapterField(adapters.names())];
  return {
    before: html`${callbackTabs('refused', adapter)} ${filters({ path: '/ops/callbacks/refused', query, fields })}
      <p class="prose">
        <small>
          These callbacks changed nothing and are not stored. The payments are those that their text names. If a
          provider's own callbacks are here, its secret or address is wrong.
        </small>
      </p>`,
    table: refusedTable(await refusedCallbacks(adapter)),
  };
}

/** `isOfOneAdapter`: the page is about one adapter, so the table does not name it. */
export function refusedTable(groups: readonly ListedRefusals[], isOfOneAdapter = false): Table {
  return {
    caption: 'Refused callbacks of the last 30 days, the latest first',
    head: [
      { name: 'Last', kind: 'short' },
      ...(isOfOneAdapter ? [] : [{ name: 'Adapter', kind: 'short' } as const]),
      'Count',
      { name: 'Sender network', kind: 'short' },
      { name: 'What they lack', kind: 'long' },
      'Payments named',
      { name: 'First', kind: 'short' },
    ],
    rows: groups.map((group) => [
      time(group.lastAt),
      ...(isOfOneAdapter ? [] : [adapterLink(group.adapter)]),
      group.count,
      group.network,
      group.reason,
      paymentLinks({ paymentRequestIds: group.payments, unknownPaymentIds: group.unknownPaymentIds }),
      time(group.firstAt),
    ]),
    empty: emptyState({ title: 'No callback was refused in the last 30 days' }),
  };
}
