/** Finding a payment: by what somebody who asks about it knows. */
import { isDecimal } from '@gateway/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Environment } from '../../environment.ts';
import { moneyText, statusIdOf, statusWords, type FoundPayment, type PaymentSearch } from '../../payments/index.ts';
import { addressWith, badge, choice, given, table, textField, time } from '../../http/dashboard/parts.ts';
import type { Query } from '../../http/dashboard/query.ts';
import type { ConsoleDeps } from './deps.ts';

const perPage = 50;
const modes: readonly Environment[] = ['live', 'test'];
const path = '/ops/payments';

export async function paymentsPage(deps: ConsoleDeps, query: Query): Promise<SafeHtml> {
  const search = await readSearch(deps, query);
  const { items, nextCursor } =
    'problem' in search ? { items: [], nextCursor: null } : await deps.searchPayments(search.search);
  const owners = await ownerNames(deps, items);
  const { cursor, ...kept } = query;
  return html`<form method="get" action="${path}" class="filters" role="search">
      ${textField({ name: 'text', label: 'Id, reference or e-mail', value: query['text'], type: 'search' })}
      ${textField({ name: 'amount', label: 'Amount', value: query['amount'] })}
      ${textField({ name: 'unit', label: 'Currency', value: query['unit'] })}
      ${textField({ name: 'lastFour', label: 'Last four digits', value: query['lastFour'] })}
      ${textField({ name: 'owner', label: 'Merchant', value: query['owner'] })}
      ${choice('status', 'Status', statusWords, query['status'])} ${choice('mode', 'Mode', modes, query['mode'])}
      ${textField({ name: 'from', label: 'Made from, UTC', value: query['from'], type: 'datetime-local' })}
      ${textField({ name: 'to', label: 'Made before, UTC', value: query['to'], type: 'datetime-local' })}
      <button class="main">Find</button>
    </form>
    ${'problem' in search ? html`<p class="note bad" role="alert">${search.problem}</p>` : null}
    ${table({
      caption: 'Payments, the newest first',
      head: ['Payment', 'Made', 'Mode', 'Merchant', 'Status', 'Amount', 'Provider', 'Card', 'Reference', 'Payer'],
      rows: items.map((one) => [
        html`<a href="${path}/${one.id}">${one.id}</a>`,
        time(one.createdAt),
        one.environment,
        owners.get(one.ownerId) ?? `owner ${one.ownerId}`,
        html`${badge(one.status)} ${flags(one)}`,
        moneyText(one.amount, one.unit),
        one.adapter ?? 'never submitted',
        one.cardLastDigits === null ? '–' : `…${one.cardLastDigits}`,
        given(one.referenceId),
        one.email ?? '–',
      ]),
      empty: 'No payment is like this. References and e-mails are compared whole.',
    })}
    <p class="pages">
      ${cursor === undefined ? null : html`<a href="${addressWith(path, kept)}">To the newest</a>`}
      ${nextCursor === null ? null : html`<a href="${addressWith(path, { ...kept, cursor: nextCursor })}">Older</a>`}
    </p>`;
}

function flags({ chargedBack, needsReview }: FoundPayment): SafeHtml[] {
  return [
    ...(chargedBack ? [html`<span class="badge bad">charged back</span>`] : []),
    ...(needsReview ? [html`<span class="badge bad">needs review</span>`] : []),
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

/** What was asked for, or what is wrong with it. */
async function readSearch(
  { owners }: ConsoleDeps,
  { text, amount, unit, lastFour, owner, status, mode, from, to, cursor }: Query,
): Promise<{ readonly search: PaymentSearch } | { readonly problem: string }> {
  if (amount !== undefined && !isDecimal(amount)) return { problem: 'The amount is a decimal number, such as 25.90.' };
  if (lastFour !== undefined && !/^\d{4}$/.test(lastFour)) return { problem: 'The last four digits are four digits.' };
  const statusId = status === undefined ? undefined : statusIdOf(status);
  if (status !== undefined && statusId === undefined) return { problem: 'There is no such status.' };
  const merchant = owner === undefined ? undefined : await owners.find(owner);
  if (owner !== undefined && !merchant) return { problem: 'There is no merchant of exactly this name.' };
  const [createdFrom, createdBefore] = [readTime(from), readTime(to)];
  if (createdFrom === null || createdBefore === null) return { problem: 'A time is like 2026-01-31T12:00.' };
  const environment = modes.find((one) => one === mode);
  return {
    search: {
      ...(text !== undefined && { text }),
      ...(amount !== undefined && { amount }),
      ...(unit !== undefined && { unit: unit.toUpperCase() }),
      ...(lastFour !== undefined && { lastFour }),
      ...(merchant && { ownerId: merchant.id }),
      ...(environment && { environment }),
      ...(statusId !== undefined && { statusId }),
      ...(createdFrom && { createdFrom }),
      ...(createdBefore && { createdBefore }),
      ...(cursor !== undefined && { cursor }),
      limit: perPage,
    },
  };
}

/** As browsers write it, in UTC; null: it is none. */
function readTime(text: string | undefined): Date | undefined | null {
  if (text === undefined) return undefined;
  const at = new Date(`${text}Z`);
  return /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?$/.test(text) && !Number.isNaN(at.getTime()) ? at : null;
}
