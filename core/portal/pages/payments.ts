/** The list of the merchant's payments. It shows no data of a card or a payer. */
import { html, type SafeHtml } from '@remix-run/html-template';
import {
  allStatusLabels,
  problemMarks,
  moneyParts,
  type FoundPayment,
  type Problem,
} from '../../engine/payments/index.ts';
import { mainAccount, parseAccountRef } from '../../engine/providers/index.ts';
import type { Portal } from '../index.ts';
import {
  addressWith,
  emptyState,
  filters,
  money,
  note,
  readPeriod,
  searchOf,
  table,
  time,
  type Cell,
} from '../../html/components/parts.ts';
import { paymentBadges } from '../../html/components/payment-badges.ts';
import { notATime, type Query } from '../../html/components/query.ts';
import { docsAddress } from './page.ts';
import type { PortalSession } from './session.ts';

const perPage = 50;

export async function paymentsPage(portal: Portal, session: PortalSession, query: Query, now: Date): Promise<SafeHtml> {
  const { root, link } = session;
  const path = `${root}/payments`;
  const { reference, account, cursor } = query;
  const status = allStatusLabels.find((label) => label === query['status']);
  const span = readPeriod(query, now);
  const { items, nextCursor } = await portal.payments(link, {
    ...(status && { status }),
    ...(reference !== undefined && { referenceId: reference }),
    ...(account !== undefined && { providerAccount: account }),
    ...(span?.from && { createdFrom: span.from }),
    ...(span?.to && { createdBefore: span.to }),
    ...(cursor !== undefined && { cursor }),
    limit: perPage,
  });
  // A merchant that moved to another account still has payments at the earlier one.
  const used = items.flatMap(({ providerAccount }) => providerAccount ?? []);
  const accounts = [...new Set([...(await portal.accounts(link)), ...used])];
  const hasAccounts = account !== undefined || accounts.some((one) => parseAccountRef(one).account !== mainAccount);
  return html`${filters({
    path,
    query,
    period: { label: 'Created' },
    fields: [
      { name: 'reference', label: 'Your reference', type: 'search' },
      { name: 'status', label: 'Status', options: allStatusLabels },
      ...(hasAccounts ? [{ name: 'account', label: 'Account', options: accounts }] : []),
    ],
  })}
  ${span === null ? note('bad', notATime) : null}
  ${table({
    caption: 'Payments, newest first',
    head: [
      { name: 'Created', kind: 'short' },
      { name: 'Payment', kind: 'short' },
      { name: 'Status', kind: 'short' },
      'Amount',
      'Your reference',
      ...(hasAccounts ? ['Account'] : []),
      { name: 'Details', kind: 'long' },
    ],
    rows: items.map((one) => [
      time(one.createdAt),
      html`<a href="${path}/${one.id}">${one.id}</a>`,
      stateCell(one),
      money(one.amount, one.currency),
      one.referenceId === null ? '–' : html`<span class="long">${one.referenceId}</span>`,
      ...(hasAccounts ? [one.providerAccount ?? '–'] : []),
      detailsOf(one, session),
    ]),
    empty: emptyState({ title: 'No payments found', text: 'Change the search, or choose a longer time.' }),
  })}
  ${
    nextCursor === null
      ? null
      : html`<p class="pages">
          <a href="${addressWith(path, { ...searchOf(query), cursor: nextCursor })}">Older</a>
        </p>`
  }`;
}

/** Problems that concern the merchant. The others are the work of operators. */
const shownProblems: ReadonlySet<Problem> = new Set([
  'dispute_open',
  'charged_back',
  'charged_twice',
  'underpaid',
  'overpaid',
  'refund_failed',
  'refund_needs_merchant',
  'no_route',
]);

export function merchantProblems(problems: readonly Problem[]): readonly Problem[] {
  return problems.filter((one) => shownProblems.has(one));
}

function stateCell(found: FoundPayment): SafeHtml {
  const { status, problems } = found;
  const marks = problemMarks(merchantProblems(problems));
  return paymentBadges({ status, problems: marks, ...moneyParts(found) });
}

/** What the status does not say: why the payment failed or cannot be paid, and coins that do not pay it. */
function detailsOf(found: FoundPayment, session: PortalSession): Cell {
  const { status, problems, failure, sandboxRule, noRoute, underpaid } = found;
  if (status === 'failed')
    return sandboxRule === null ? failure : html`${failure} <a href="${docsAddress(session, 'testing')}">Testing</a>`;
  if (noRoute !== null) return `The payer can’t pay it: ${noRoute}.`;
  return problems.includes('underpaid') ? underpaid : null;
}
