/** Finds payments by anything that a merchant, a payer or a bank statement says about them. */
import type { DeclineCode, PaymentMethod } from '@paywright/contract';
import { declineCodes } from '@paywright/contract/core';
import { html, type SafeHtml } from '@remix-run/html-template';
import { matchOwners, type Owner, type SavedFilter } from '../../engine/access/index.ts';
import { nearestOf } from '../../base/text/nearest.ts';
import {
  allStatusLabels,
  allWantedProblems,
  declineText,
  exportHead,
  exportLine,
  methodTexts,
  problemMarks,
  readMoney,
  moneyParts,
  wantedProblemText,
  type FoundPayment,
  type PaymentSearch,
  type WantedProblem,
} from '../../engine/payments/index.ts';
import {
  addressWith,
  badge,
  emptyState,
  filters,
  hidden,
  maskedText,
  money,
  noWrap,
  note,
  readPeriod,
  searchOf,
  textField,
  time,
  type FilterField,
} from '../../html/components/parts.ts';
import { paymentBadges } from '../../html/components/payment-badges.ts';
import { notATime, type Query } from '../../html/components/query.ts';
import type { ConsoleDeps } from '../deps.ts';
import { actionForm, isAllowed } from '../kit/action-form.ts';
import type { Listing } from '../kit/listing.ts';
import { modeOf, modeSwitch, type Mode } from '../kit/mode.ts';
import type { Session } from '../sign-in/session.ts';
import { providerText } from './payment-cells.ts';
import { paymentLink } from './payment-link.ts';

const perPage = 50;
const path = '/ops/payments';
/** More merchants than this are found by typing a part of the name, without suggestions. */
const suggestedMerchants = 200;

/** What a saved filter keeps. It never keeps what identifies a payer or a card. */
export const savedNames = [
  'problem',
  'status',
  'owner',
  'adapter',
  'method',
  'decline',
  'unit',
  'mode',
  'period',
] as const;

const presets: readonly SavedFilter[] = [
  { name: 'Disputed or charged back', query: 'problem=charged_back' },
  { name: 'Charged twice', query: 'problem=charged_twice' },
  { name: 'Underpaid', query: 'problem=underpaid' },
  { name: 'Refund problems', query: 'problem=refund' },
  { name: 'Pending for long', query: 'problem=pending_long' },
  { name: 'No route', query: 'problem=no_route' },
  { name: 'Needs review', query: 'problem=needs_review' },
  { name: 'Declined today', query: 'status=failed&period=today' },
];

export async function paymentsPage(
  deps: ConsoleDeps,
  session: Session,
  { query, rows = perPage }: { readonly query: Query; readonly rows: number | undefined },
): Promise<Listing> {
  const owners = await deps.owners.list();
  const mode = modeOf(query, session);
  const read = readSearch({ query, mode }, owners, deps.now());
  const { items, nextCursor } =
    'problem' in read ? { items: [], nextCursor: null } : await deps.searchPayments({ ...read.search, limit: rows });
  const names = new Map(owners.map(({ id, name }) => [id, name] as const));
  const merchantOf = ({ ownerId }: FoundPayment): string => names.get(ownerId) ?? `merchant ${ownerId}`;
  const saved = await deps.savedFilters.list(session.operator.name);
  const options = { withPayers: isAllowed(session.operator.role, 'support') };
  return {
    mode: mode === 'all' ? undefined : mode,
    primary: modeSwitch(path, query, mode),
    before: html`${filters({
      path,
      query,
      kept: ['mode'],
      fields: await fieldsOf(deps, owners),
      period: { label: 'Created' },
    })}
    ${shortcuts(saved, query)} ${savedForm(session, saved, query)}
    ${'problem' in read ? note('bad', read.problem) : foundNote(items, query)}`,
    table: {
      caption: 'Payments, newest first',
      isCompact: true,
      head: [
        { name: 'Amount', kind: 'number' },
        { name: 'Status', kind: 'long' },
        { name: 'Payer', kind: 'clip' },
        { name: 'Paid with', kind: 'short' },
        { name: 'Created', kind: 'short' },
        { name: 'Payment', kind: 'short' },
        { name: 'Merchant', kind: 'clip', isMinor: true },
        { name: 'Reference', kind: 'clip', isMinor: true },
      ],
      rows: items.map((one) => [
        money(one.amount, one.currency),
        statusCell(one, mode),
        payerCell(one),
        methodCell(deps, one),
        time(one.createdAt),
        paymentLink(one.id),
        html`<a href="/ops/merchants/${one.ownerId}">${merchantOf(one)}</a>`,
        maskedText(one.referenceId),
      ]),
      empty: nothingFound(query, mode),
    },
    exported: { head: exportHead(options), lines: items.map((one) => exportLine(one, merchantOf(one), options)) },
    ...(nextCursor !== null && { older: { ...query, cursor: nextCursor } }),
  };
}

/** Finds a payment by anything that is known of it. */
export const searchField: FilterField = {
  name: 'text',
  label: 'Search',
  type: 'search',
  placeholder: 'Payer, amount, card, reference, ID',
};

async function fieldsOf(deps: ConsoleDeps, owners: readonly Owner[]): Promise<readonly FilterField[]> {
  const { states } = await deps.adapterStates.read();
  const names = owners.length > suggestedMerchants ? undefined : owners.map(({ name }) => name);
  return [
    searchField,
    {
      name: 'problem',
      label: 'Problem',
      options: allWantedProblems,
      textOf: (one) => wantedProblemText(one as WantedProblem),
    },
    { name: 'status', label: 'Status', options: allStatusLabels },
    { name: 'owner', label: 'Merchant', ...(names && { suggestions: names }) },
    {
      name: 'adapter',
      label: 'Provider',
      options: Object.keys(states).toSorted(),
      textOf: (one) => providerText(deps, one),
      isRare: true,
    },
    {
      name: 'method',
      label: 'Method',
      options: Object.keys(methodTexts),
      textOf: (one) => methodTexts[one as PaymentMethod],
      isRare: true,
    },
    {
      name: 'decline',
      label: 'Decline',
      options: declineCodes,
      textOf: (one) => `${one} ${declineText(one) ?? ''}`,
      isRare: true,
    },
    { name: 'amount', label: 'Amount', placeholder: '25.90', inputMode: 'decimal', isRare: true },
    { name: 'unit', label: 'Currency', placeholder: 'EUR', isRare: true },
    { name: 'lastFour', label: 'Last four digits', inputMode: 'numeric', isRare: true },
  ];
}

/** A payment may be in the other mode, so the list of both is one click away. So is the search for each word alone. */
function nothingFound(query: Query, mode: Mode): SafeHtml {
  const title = mode === 'all' ? 'No payments found' : `No payments found in ${mode} mode`;
  const words = (query['text'] ?? '').split(/\s+/).filter(Boolean).slice(0, 3);
  const links = words.map(
    (word) => html` <a href="${addressWith(path, { ...searchOf(query), text: word })}">${word}</a>`,
  );
  return emptyState({
    title,
    text: html`${words.length < 2 ? null : html`No payment matches all of it. Search for one word:${links}. `}Try a part
    of the payer’s name, the beginning of the e-mail address, a phone number, an amount, the last four digits, or a
    reference. Remove a filter to find more.`,
    action:
      mode === 'all'
        ? null
        : { label: 'Search live and test payments', path: addressWith(path, { ...searchOf(query), mode: 'all' }) },
  });
}

/** Links to the common problems and to the operator's own filters. */
function shortcuts(saved: readonly SavedFilter[], query: Query): SafeHtml {
  const current = [savedQueryOf(query), savedQueryOf({ ...query, mode: undefined })];
  return html`<nav class="presets" aria-label="Saved filters">
    <ul>
      ${[...presets, ...saved].map(({ name, query: values }) =>
        current.includes(values)
          ? html`<li><a href="${path}?${values}" aria-current="true">${name}</a></li>`
          : html`<li><a href="${path}?${values}">${name}</a></li>`,
      )}
    </ul>
  </nav>`;
}

/** Saves the current filter, or deletes it if it is saved. */
function savedForm(session: Session, saved: readonly SavedFilter[], query: Query): SafeHtml | null {
  const current = savedQueryOf(query);
  const withoutMode = savedQueryOf({ ...query, mode: undefined });
  if (withoutMode === '' || presets.some((one) => one.query === withoutMode)) return null;
  const known = saved.find((one) => one.query === current);
  if (known)
    return actionForm(session, 'support', {
      action: '/ops/saved-filters/remove',
      label: 'Delete this filter',
      fields: hidden({ name: known.name }),
    });
  return actionForm(session, 'support', {
    action: '/ops/saved-filters',
    label: 'Save this filter',
    fields: html`${hidden({ query: current })}${textField({ name: 'name', label: 'Save as', isRequired: true })}`,
  });
}

/** The part of a search that may be saved, in one spelling. */
export function savedQueryOf(query: Query): string {
  const kept = savedNames.map((name) => [name, query[name]] as const);
  return addressWith('', Object.fromEntries(kept)).replace(/^\?/, '');
}

/** Says what the text means in the payments that were found. */
function foundNote(items: readonly FoundPayment[], query: Query): SafeHtml | null {
  if (query['text'] === undefined || items.length === 0) return null;
  const counts = new Map<string, number>();
  for (const by of items.flatMap(({ foundBy }) => foundBy)) counts.set(by, (counts.get(by) ?? 0) + 1);
  const texts = [...counts].map(([by, count]) => `${by} (${count})`);
  return html`<p class="hint" role="status">Found by ${texts.join(', ')}.</p>`;
}

/** Badges, and the reason below them if it does not fit. In a list of both modes, a test payment is marked. */
function statusCell(one: FoundPayment, mode: Mode): SafeHtml {
  const { status, problems, failure, environment, underpaid, noRoute } = one;
  const why = status === 'failed' ? failure : noRoute;
  return html`${paymentBadges({ status, problems: problemMarks(problems), ...moneyParts(one) })}
  ${mode === 'all' && environment === 'test' ? badge('test', 'calm') : null}
  ${why === null ? null : html`<small>${why}</small>`} ${underpaid === null ? null : html`<small>${underpaid}</small>`}`;
}

function payerCell({ name, email }: FoundPayment): SafeHtml | string {
  if (name === null) return email ?? '–';
  return html`${maskedText(name)} ${email === null ? null : html`<small>${email}</small>`}`;
}

function methodCell(
  deps: ConsoleDeps,
  { method, cardBrand, cardLastDigits, adapter }: FoundPayment,
): SafeHtml | string {
  if (method === null) return '–';
  const text = cardLastDigits === null ? methodTexts[method] : `${cardBrand ?? methodTexts[method]} …${cardLastDigits}`;
  return html`${noWrap(text)} ${adapter === null ? null : html`<small>${providerText(deps, adapter)}</small>`}`;
}

/** The search, or a message that says what is wrong with the query. */
function readSearch(
  { query, mode }: { readonly query: Query; readonly mode: Mode },
  owners: readonly Owner[],
  now: Date,
): { readonly search: Omit<PaymentSearch, 'limit'> } | { readonly problem: SafeHtml | string } {
  const { text, amount, unit, lastFour, owner, adapter, cursor } = query;
  if (amount !== undefined && !readMoney(amount))
    return { problem: 'The amount must be a number, for example 25.90 or 25,90 EUR.' };
  if (lastFour !== undefined && !/^\d{4}$/.test(lastFour))
    return { problem: 'Enter the last four digits of the card as exactly four digits.' };
  const created = readPeriod(query, now);
  if (created === null) return { problem: notATime };
  const [merchant, ...others] = owner === undefined ? [] : matchOwners(owners, owner);
  if (owner !== undefined && (!merchant || others.length > 0))
    return { problem: merchantProblem(query, owners, owner) };
  const unknown = chosenValues.find(([name, values]) => query[name] !== undefined && !values.includes(query[name]));
  if (unknown) return { problem: `There is no ${unknown[0]} “${query[unknown[0]]}”.` };
  const status = allStatusLabels.find((one) => one === query['status']);
  const method = (Object.keys(methodTexts) as PaymentMethod[]).find((one) => one === query['method']);
  const decline = declineCodes.find((one): one is DeclineCode => one === query['decline']);
  const problem = allWantedProblems.find((one) => one === query['problem']);
  return {
    search: {
      ...(text !== undefined && { text }),
      ...(amount !== undefined && { amount }),
      ...(unit !== undefined && { unit }),
      ...(lastFour !== undefined && { lastFour }),
      ...(merchant && { ownerId: merchant.id }),
      ...(mode !== 'all' && { environment: mode }),
      ...(status && { status }),
      ...(adapter !== undefined && { adapter }),
      ...(method && { method }),
      ...(decline && { decline }),
      ...(problem && { problem }),
      ...(created.from && { createdFrom: created.from }),
      ...(created.to && { createdBefore: created.to }),
      ...(cursor !== undefined && { cursor }),
    },
  };
}

/** The values of the selects, which an address may name wrongly. */
const chosenValues: readonly (readonly [name: string, values: readonly string[]])[] = [
  ['status', allStatusLabels],
  ['method', Object.keys(methodTexts)],
  ['decline', declineCodes],
  ['problem', allWantedProblems],
];

const suggested = 10;

/** Links to the merchants that may be meant. */
export function merchantProblem(query: Query, owners: readonly Owner[], text: string, at = path): SafeHtml {
  const several = matchOwners(owners, text);
  const near = nearestOf(
    text,
    owners.map(({ name }) => name),
  );
  const meant = several.length > 0 ? several.map(({ name }) => name) : near === undefined ? [] : [near];
  const links = meant
    .slice(0, suggested)
    .map((name) => html`<a href="${addressWith(at, { ...searchOf(query), owner: name })}">${name}</a> `);
  if (several.length > 0) return html`Several merchants match “${text}”: ${links}`;
  if (meant.length > 0) return html`No merchant matches “${text}”. Did you mean ${links}?`;
  return html`No merchant matches “${text}”. <a href="/ops/merchants">See all merchants</a>`;
}
