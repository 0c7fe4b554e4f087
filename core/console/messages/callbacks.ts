/** Callbacks: those that need attention, wait, were processed or discarded, and the page of one callback. */
import { html, type SafeHtml } from '@remix-run/html-template';
import {
  isTriedAgain,
  deadLetterStates,
  type DeadLetter,
  type WaitingCallback,
  type DeadLetterDetails,
} from '../../engine/callbacks/dead-letters.ts';
import { orphanAdvice } from '../../engine/callbacks/orphan-advice.ts';
import { threeDsRoute } from '../../engine/payments/index.ts';
import type { TimePage } from '../../database/page-by-time.ts';
import { buttons, optionalReason, requiredReason } from '../kit/buttons.ts';
import type { ConsoleDeps } from '../deps.ts';
import type { Listing, ShowTable } from '../kit/listing.ts';
import {
  addressWith,
  badge,
  copyable,
  details,
  emptyState,
  filters,
  fold,
  money,
  note,
  sectionHead,
  tabs,
  textField,
  time,
  type Cell,
  type FilterField,
} from '../../html/components/parts.ts';
import { indentJson } from '../../html/components/indent-json.ts';
import { providerLink, providerText } from '../payments/payment-cells.ts';
import { paymentLink } from '../payments/payment-link.ts';
import { actionForm } from '../kit/action-form.ts';
import type { Query } from '../../html/components/query.ts';
import type { Session } from '../sign-in/session.ts';
import { capitalise } from '../../base/text/capitalise.ts';

const perPage = 50;
const path = '/ops/callbacks';

/** The lists, by the value of `state` in their address. */
const lists = {
  attention: { title: 'Needs attention', empty: 'No callback needs attention' },
  waiting: { title: 'Waiting', empty: 'No callback is waiting' },
  done: { title: 'Processed', empty: 'No callback was processed yet' },
  discarded: { title: 'Discarded', empty: 'No callback was discarded' },
} as const;
type List = keyof typeof lists;

export async function callbacksPage(
  deps: ConsoleDeps,
  { query, rows = perPage }: { readonly query: Query; readonly rows: number | undefined },
): Promise<Listing> {
  const { deadLetters } = deps;
  const { adapter, cursor } = query;
  const page = { ...(adapter !== undefined && { adapter }), ...(cursor !== undefined && { cursor }), limit: rows };
  const list = listOf(query);
  const refused = await countRefused(deps, adapter);
  const before = html`${callbackTabs(list, adapter, refused)}
  ${filters({ path, query, kept: ['state'], fields: [adapterField(deps)] })}`;
  if (list === 'waiting') return waitingPage(deps, await deadLetters.waiting(page), { query, before });
  // Addresses of earlier versions name one of the two states that need attention.
  const state = list === 'attention' ? deadLetterStates.find((one) => one === query['state']) : list;
  const { items, nextCursor } = await deadLetters.page({ ...page, ...(state && { state }) });
  return {
    before,
    table: {
      caption: `Callbacks, newest first: ${lists[list].title}`,
      head: [
        { name: 'Received', kind: 'short' },
        { name: 'Provider', kind: 'short' },
        ...(list === 'done' ? [] : [{ name: 'State', kind: 'short' } as const]),
        { name: list === 'done' ? 'What it changed' : 'Reason', kind: 'long' },
        ...(list === 'done' ? [] : ['Payments']),
      ],
      rows: items.map((one) => [
        callbackLink(one),
        senderLink(deps, one.adapter),
        ...(list === 'done' ? [changesCell(one)] : [stateBadge(one), capitalise(one.reason), paymentLinks(one)]),
      ]),
      empty: emptyState({
        title: lists[list].empty,
        ...(list === 'attention' &&
          refused > 0 && {
            text: 'Callbacks that are no genuine message of a provider, such as forged ones, are refused and change nothing.',
            action: { label: `See ${refused} refused`, path: addressWith(`${path}/refused`, { adapter }) },
          }),
      }),
    },
    ids: items.map(({ id }) => id),
    ...(nextCursor !== null && { older: { ...query, cursor: nextCursor } }),
  };
}

/** The inbox: callbacks that workers will process automatically. */
function waitingPage(
  deps: ConsoleDeps,
  { items, nextCursor }: TimePage<WaitingCallback>,
  { query, before }: { readonly query: Query; readonly before: SafeHtml },
): Listing {
  return {
    order: 'soonest',
    before: html`${before}
      <p class="prose">
        <small>Workers process these callbacks automatically. The total count is on the Overview page.</small>
      </p>`,
    table: {
      caption: 'Callbacks that wait to be processed, soonest first',
      head: ['Due', 'Received', 'Provider', 'Tries', { name: 'Why it still waits', kind: 'long' }, 'Payments'],
      rows: items.map((one) => [
        time(one.dueAt),
        callbackLink(one),
        senderLink(deps, one.adapter),
        one.tries,
        one.reason || '–',
        paymentLinks(one),
      ]),
      empty: emptyState({ title: lists.waiting.empty }),
    },
    ids: items.map(({ id }) => id),
    ...(nextCursor !== null && { older: { ...query, cursor: nextCursor } }),
  };
}

/** Callbacks that were refused in the time that their list covers. */
async function countRefused(deps: Pick<ConsoleDeps, 'refusedCallbacks'>, adapter: string | undefined): Promise<number> {
  return (await deps.refusedCallbacks(adapter)).reduce((sum, { count }) => sum + count, 0);
}

/** The tabs of the lists of callbacks. `current` is `refused` on the page of refused callbacks. */
export function callbackTabs(current: List | 'refused', adapter: string | undefined, refusedCount: number): SafeHtml {
  const all = Object.entries(lists).map(([name, { title }]) => ({
    title,
    path: addressWith(path, { state: name === 'attention' ? undefined : name, adapter }),
    isCurrent: name === current,
  }));
  const refused = {
    title: 'Refused',
    path: addressWith(`${path}/refused`, { adapter }),
    isCurrent: current === 'refused',
    ...(refusedCount > 0 && { count: refusedCount }),
  };
  return tabs('Callbacks', [...all, refused]);
}

function listOf({ state }: Query): List {
  return state !== undefined && Object.hasOwn(lists, state) ? (state as List) : 'attention';
}

function stateBadge({ state, discardedAt }: Pick<DeadLetter, 'state' | 'discardedAt'>): SafeHtml {
  return state === 'done' && discardedAt ? badge('discarded', 'calm') : badge(state === 'done' ? 'processed' : state);
}

/** A batch of a provider often says the same of many events. */
function changesCell({ changes }: Pick<DeadLetter, 'changes'>): Cell {
  const counts = new Map<string, number>();
  for (const one of changes) counts.set(one, (counts.get(one) ?? 0) + 1);
  if (counts.size === 0) return '–';
  return html`${[...counts].map(
    ([text, count]) => html`<div>${changeLine(text)} ${count > 1 ? html`<small>${count} ×</small>` : null}</div>`,
  )}`;
}

/** Leads to the payment that the text begins with. */
function changeLine(text: string): SafeHtml | string {
  const [, id, effect] = /^payment (\d+): (.*)$/s.exec(text) ?? [];
  const said = effect === 'nothing new' ? 'nothing, it was known already' : effect;
  return id === undefined ? capitalise(text) : html`Payment ${paymentLink(Number(id))}: ${said}`;
}

const threeDsText = 'Results of 3D Secure';

/** The field of a search by provider. Results of 3D Secure have a route of their own. */
export function adapterField(deps: Pick<ConsoleDeps, 'adapters'>): FilterField {
  const textOf = (name: string): string => (name === threeDsRoute ? threeDsText : providerText(deps, name));
  return { name: 'adapter', label: 'Provider', options: [...deps.adapters.names(), threeDsRoute], textOf };
}

/** Leads to the adapter whose provider sent the callback. */
export function senderLink(deps: Pick<ConsoleDeps, 'adapters'>, name: string): SafeHtml | string {
  return name === threeDsRoute ? threeDsText : providerLink(deps, name);
}

function callbackLink({ id, receivedAt }: Pick<DeadLetter, 'id' | 'receivedAt'>): SafeHtml {
  return html`<a href="${path}/${encodeURIComponent(id)}">${time(receivedAt)}</a>`;
}

/** Names the sender. Throws NF001 if the callback does not exist. */
export async function callbackTitle(deps: Pick<ConsoleDeps, 'deadLetters' | 'adapters'>, id: string): Promise<string> {
  const { adapter } = await deps.deadLetters.get(id);
  return adapter === threeDsRoute ? 'Callback of 3D Secure' : `Callback of ${providerText(deps, adapter)}`;
}

/** Throws NF001 if the callback does not exist. */
export async function callbackPage(
  deps: ConsoleDeps,
  id: string,
  session: Session,
  table: ShowTable,
): Promise<SafeHtml> {
  const letter = await deps.deadLetters.get(id);
  const { adapter, path: route, reason, receivedAt, tries, expireAt, requestId, events } = letter;
  return html`${adviceOf(letter)}
    ${details([
      [
        'State',
        html`${stateBadge(letter)} ${letter.state === 'done' && !letter.discardedAt ? null : capitalise(reason)}`,
      ],
      ['Callback', copyable(id)],
      ['Provider', senderLink(deps, adapter)],
      ['Received', html`${time(receivedAt)} at <code>/callbacks/${route}</code>`],
      ['What it changed', changesCell(letter)],
      ...(tries > 0 ? [['Tries', tries] as const] : []),
      ['Request', html`<code>${requestId}</code>`],
      ['Kept until', time(expireAt, { exact: true })],
    ])}
    ${actionsOf(letter, session)} ${sectionHead('Events')}
    ${table('events', {
      caption: 'Events of the callback',
      head: [
        'Kind',
        'Reported status',
        { name: 'Reference', kind: 'short' },
        'Amount',
        { name: 'Effect', kind: 'long' },
        { name: 'Payment', kind: 'short' },
      ],
      rows: events.map((event) => [
        event.kind,
        `${event.providerStatus} (${event.status})`,
        referencesCell(event),
        event.amount === null ? '–' : money(event.amount, event.currency ?? ''),
        capitalise(event.change.replace(/^payment \d+: /, '')),
        event.paymentRequestId === null
          ? '–'
          : paymentLinks({ ...letter, paymentRequestIds: [event.paymentRequestId] }),
      ]),
      empty: 'No event could be read.',
    })}
    ${sectionHead('Message')}
    <p><small>Signatures, secrets, tokens and card numbers are hidden.</small></p>
    ${fold('Show the message', html`<pre tabindex="0" class="wrapped">${messageText(letter)}</pre>`, true)}`;
}

function referencesCell({ reference, providerReference }: DeadLetterDetails['events'][number]): Cell {
  const known = [reference, providerReference].filter((one) => one !== null);
  return known.length === 0 ? '–' : html`${known.map((one) => html`<div>${one}</div>`)}`;
}

/** What to do about money that belongs to no payment. */
function adviceOf(letter: DeadLetterDetails): SafeHtml | null {
  const [problem, ...steps] = orphanAdvice(letter);
  if (problem === undefined) return null;
  return note(
    'warn',
    html`<p><strong>${problem}</strong></p>
      <ol>
        ${steps.map((step) => html`<li>${step}</li>`)}
      </ol>`,
  );
}

function actionsOf(letter: DeadLetterDetails, session: Session): SafeHtml | null {
  const { id, state } = letter;
  const needsAttention = deadLetterStates.some((one) => one === state);
  const again = needsAttention ? buttons.requeue : isTriedAgain(letter) ? 'Retry now' : undefined;
  if (again === undefined) return null;
  return html`<div class="acts">
    ${actionForm(session, 'support', {
      action: `${path}/${encodeURIComponent(id)}/requeue`,
      label: again,
      fields: textField({ name: 'reason', label: optionalReason }),
    })}
    ${
      needsAttention
        ? actionForm(session, 'admin', {
            action: `${path}/${encodeURIComponent(id)}/discard`,
            label: buttons.discard,
            fields: textField({ name: 'reason', label: requiredReason, isRequired: true }),
            isDangerous: true,
          })
        : null
    }
  </div>`;
}

/** Links only to payments that exist. */
export function paymentLinks({
  paymentRequestIds,
  unknownPaymentIds,
}: Pick<DeadLetter, 'paymentRequestIds' | 'unknownPaymentIds'>): SafeHtml | string {
  if (paymentRequestIds.length === 0) return '–';
  return html`${paymentRequestIds.map((id) =>
    unknownPaymentIds.includes(id) ? html`${id} <small>(unknown)</small> ` : html`${paymentLink(id)} `,
  )}`;
}

function messageText({ raw }: DeadLetterDetails): string {
  if (raw === null) return 'The message cannot be decrypted with any of the encryption keys.';
  const { method, path: address, query, headers, body } = raw;
  const lines = headers.map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${address}${query === '' ? '' : `?${query}`}`, ...lines, '', indented(body)].join('\n');
}

/** Indents a body that is JSON in one line. Any other body is shown as it arrived. */
function indented(body: string): string {
  if (!/^[{[]/.test(body) || body.includes('\n') || !isJson(body)) return body;
  return indentJson(body.replaceAll(/("(?:[^"\\]|\\.)*(?:"|\\?$))|\s+/gs, '$1'));
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
