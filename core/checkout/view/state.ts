/** The state of a payment, shown if there is nothing to fill in. */
import type { PaymentMethod } from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import { showAmount } from '../../base/text/show-amount.ts';
import type { PayPage } from '../../engine/payments/types/pay-page.ts';
import type { Speech, Words } from '../../html/words/index.ts';
import { attributes } from '../../html/attributes.ts';
import { icon, type IconName } from './icons.ts';
import { sentenceWith } from './time.ts';

const signs: Readonly<Record<PayPage['state'], readonly [icon: IconName, tone: 'good' | 'bad' | 'plain']>> = {
  created: ['clock', 'plain'],
  pending: ['clock', 'plain'],
  paid: ['check', 'good'],
  failed: ['cross', 'bad'],
  refunded: ['back', 'plain'],
  expired: ['clock', 'plain'],
  cancelled: ['cross', 'plain'],
};

/** The picture above a message. */
export function sign(name: IconName, tone: 'good' | 'bad' | 'plain' | 'waits' = 'plain'): SafeHtml {
  return html`<p class="sign ${tone}">${icon(name)}</p>`;
}

/** `level` is the level of the heading: 1 if the page has no other heading. */
export function stateOf(speech: Speech, page: PayPage, level: 1 | 2): SafeHtml {
  const { state } = page;
  const [name, tone] = signs[state];
  return html`${sign(name, state === 'pending' ? 'waits' : tone)} ${heading(level, stateTitle(speech, page))}
  ${state === 'pending' ? waitingNote(speech.words, page) : html`<p>${stateText(speech, page)}</p>`}`;
}

/** The title of the state; after a refund of a part it has the refunded amount. */
export function stateTitle({ words, locale }: Speech, page: PayPage): string {
  const { state, details } = page;
  const part = refundedPart(page);
  if (state === 'created' && details?.ways.length === 0) return words.noWayTitle;
  if (!details || part === null) return words.states[state].title;
  return words.partlyRefunded(showAmount(locale, part, details.currency ?? details.unit));
}

function stateText(speech: Speech, page: PayPage): SafeHtml | string {
  const { words } = speech;
  const { state, details } = page;
  if (isCoinTooLate(page)) return words.cryptoStep.tooLate;
  if (state === 'expired' && details?.expiresAt) return sentenceWith(speech, words.expiredAt, details.expiresAt);
  return words.states[refundedPart(page) === null ? state : 'refunded'].text;
}

/** Coins came in, and the payment ended without being paid: the payer needs a refund, not another link. */
export function isCoinTooLate({ state, details }: PayPage): boolean {
  return Boolean(details?.coins) && (state === 'expired' || state === 'cancelled');
}

/** The refunded amount of a payment that is still paid. Null if nothing was refunded. */
function refundedPart({ state, details }: PayPage): string | null {
  return state === 'paid' ? (details?.receipt?.refunded ?? null) : null;
}

/**
 * Explains what happens next, and that the payer must not pay twice and can close the page. A payer who has waited for
 * longer than usual can keep the link, and read the result there.
 */
function waitingNote(words: Words, { details, stepLost, isSlow }: PayPage): SafeHtml {
  const { once, mayClose, slow, keepLink, copyLink } = words.waiting;
  const usual = details ? words.waitsFor[awaitedParty(details.method)] : words.states.pending.text;
  const why = isSlow ? slow : usual;
  const data = attributes({ 'data-copy': '', 'data-copied': words.coin.copied, hidden: true });
  return html`<p>${stepLost ? words.stepLost : why}</p>
    <p class="aside"><strong>${once}</strong> ${isSlow && details ? keepLink : mayClose}</p>
    ${isSlow && details ? html`<button type="button" class="second" ${data}>${copyLink}</button>` : null}`;
}

function awaitedParty(method: PaymentMethod | null): keyof Words['waitsFor'] {
  if (method === 'crypto') return 'coins';
  return method?.startsWith('upi_') ? 'upi' : 'bank';
}

/** A heading that can receive the focus when the page changes automatically. */
export function heading(level: 1 | 2, text: string): SafeHtml {
  return level === 1 ? html`<h1 tabindex="-1">${text}</h1>` : html`<h2 tabindex="-1">${text}</h2>`;
}
