/** Finds a payment by what a merchant or a payer knows about it. */
import { isDecimal } from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Environment } from '../../base/environment.ts';
import { allStatusLabels, type FoundPayment, type PaymentSearch } from '../../engine/payments/index.ts';
import { moneyText } from '../../base/text/money-text.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Listing } from '../kit/listing.ts';
import { badge, choice, maskedText, textField, time, noWrap } from '../../html/components/parts.ts';
import { paymentLink } from './payment-link.ts';
import { notATime, readTime, type Query } from '../../html/components/query.ts';

const perPage = 50;
const modes: readonly Environment[] = ['live', 'test'];
const path = '/ops/payments';

export async function paymentsPage(
  deps: ConsoleDeps,
  { query, rows = perPage }: { readonly query: Query; readonly rows: number | undefined },
): Promise<Listing> {
  const search = await readSearch(deps, query);
  const { items, nextCursor } =
    'problem' in search
      ? { items: [], nextCursor: null }
      : await deps.searchPayments({ ...search.search, limit: rows });
  const owners = await ownerNames(deps, items);
  return {
    before: html`<form method="get" action="${path}" class="filters" role="search">
        ${textField({ name: 'text', label: 'ID, reference or email', value: query['text'], type: 'search' })}
        ${textField({ name: 'amount', label: 'Amount', value: query['amount'] })}
        ${textField({ name: 'unit', label: 'Currency', value: query['unit'] })}
        ${textField({ name: 'lastFour', label: 'Last four digits', value: query['lastFour'] })}
        ${textField({ name: 'owner', label: 'Merchant', value: query['owner'] })}
        ${choice('status', 'Status', allStatusLabels, query['status'])} ${choice('mode', 'Mode', modes, query['mode'])}
        ${textField({ name: 'from', label: 'Created from (UTC)', value: query['from'], type: 'datetime-local' })}
        ${textField({ name: 'to', label: 'Created before (UTC)', value: query['to'], type: 'datetime-local' })}
        <button class="main">Find</button>
      </form>
      ${'problem' in search ? html`<p class="note bad" role="alert">${search.problem}</p>` : null}`,
    table: {
      caption: 'Payments, newest first',
      head: ['Payment', 'Created', 'Mode', 'Merchant', 'Status', 'Amount', 'Provider', 'Card', 'Reference', 'Payer'],
      rows: items.map((one) => [
        paymentLink(one.id),
        time(one.createdAt),
        one.environment,
        owners.get(one.ownerId) ?? `merchant ${one.ownerId}`,
        html`${badge(one.status)} ${flags(one)}`,
        noWrap(moneyText(one.amount, one.currency)),
        one.adapter ?? 'never submitted',
        one.cardLastDigits === null ? '–' : noWrap(`…${one.cardLastDigits}`),
        maskedText(one.referenceId),
        one.email ?? '–',
      ]),
      empty: 'No payments found. Enter the full reference or email.',
    },
    ...(nextCursor !== null && { older: { ...query, cursor: nextCursor } }),
  };
}

function flags({ chargedBack, needsReview, underpaid }: FoundPayment): SafeHtml[] {
  return [
    ...(chargedBack ? [html`<span class="badge bad">charged back</span>`] : []),
    ...(needsReview ? [html`<span class="badge bad">needs review</span>`] : []),
    ...(underpaid === null ? [] : [html`<span class="badge bad">${underpaid}</span>`]),
  ];
}

async function ownerNames(
  { owners }: ConsoleDeps,
  items: readonly FoundPayment[],
): Promise<ReadonlyMap<number, string>> {
  const ids = [...new Set(items.map(({ ownerId }) => ownerId))];
  const found = await Promise.all(ids.map(async (id) => [id, (await owners.get(id))?.name] as const));
  return new Map(found.flatMap(([id, name]) => (name === undefined ? [] : [[id, name] as const])));
}

/** The search, or a message that says what is wrong with the query. */
async function readSearch(
  { owners }: ConsoleDeps,
  { text, amount, unit, lastFour, owner, status, mode, from, to, cursor }: Query,
): Promise<{ readonly search: Omit<PaymentSearch, 'limit'> } | { readonly problem: string }> {
  if (amount !== undefined && !isDecimal(amount))
    return { problem: 'The amount must be a decimal number, for example 25.90.' };
  if (lastFour !== undefined && !/^\d{4}$/.test(lastFour))
    return { problem: 'Enter the last four digits of the card as exactly four digits.' };
  const label = allStatusLabels.find((one) => one === status);
  if (status !== undefined && !label) return { problem: 'There is no such status.' };
  const merchant = owner === undefined ? undefined : await owners.find(owner);
  if (owner !== undefined && !merchant) return { problem: 'No merchant has exactly this name.' };
  const [createdFrom, createdBefore] = [readTime(from), readTime(to)];
  if (createdFrom === null || createdBefore === null) return { problem: notATime };
  const environment = modes.find((one) => one === mode);
  return {
    search: {
      ...(text !== undefined && { text }),
      ...(amount !== undefined && { amount }),
      ...(unit !== undefined && { unit: unit.toUpperCase() }),
      ...(lastFour !== undefined && { lastFour }),
      ...(merchant && { ownerId: merchant.id }),
      ...(environment && { environment }),
      ...(label && { status: label }),
      ...(createdFrom && { createdFrom }),
      ...(createdBefore && { createdBefore }),
      ...(cursor !== undefined && { cursor }),
    },
  };
}
