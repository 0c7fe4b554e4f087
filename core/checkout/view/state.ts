/** The state of a payment, shown if there is nothing to fill in. */
import type { PaymentMethod } from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import type { PayPage } from '../../engine/payments/types/pay-page.ts';
import type { Words } from '../../html/words/index.ts';
import { icon, type IconName } from './icons.ts';

const signs: Readonly<Record<PayPage['state'], readonly [icon: IconName, tone: 'good' | 'bad' | 'plain']>> = {
  created: ['clock', 'plain'],
  pending: ['clock', 'plain'],
  paid: ['check', 'good'],
  failed: ['cross', 'bad'],
  refunded: ['back', 'plain'],
  expired: ['clock', 'plain'],
  cancelled: ['cross', 'plain'],
};

/** `level` is the level of the heading: 1 if the page has no other heading. */
export function stateOf(words: Words, page: PayPage, level: 1 | 2): SafeHtml {
  const { state } = page;
  const [sign, tone] = signs[state];
  return html`<p class="sign ${state === 'pending' ? 'waits' : tone}">${icon(sign)}</p>
    ${heading(level, words.states[state].title)}
    ${state === 'pending' ? waitingNote(words, page) : html`<p>${words.states[state].text}</p>`}`;
}

/** Explains what happens next, and that the payer must not pay twice and can close the page. */
function waitingNote(words: Words, { details, stepLost }: PayPage): SafeHtml {
  const why = details ? words.waitsFor[awaitedParty(details.method)] : words.states.pending.text;
  return html`<p>${stepLost ? words.stepLost : why}</p>
    <p class="aside"><strong>${words.waiting.once}</strong> ${words.waiting.mayClose}</p>`;
}

function awaitedParty(method: PaymentMethod | null): keyof Words['waitsFor'] {
  if (method === 'crypto') return 'coins';
  return method?.startsWith('upi_') ? 'upi' : 'bank';
}

/** A heading that can receive the focus when the page changes automatically. */
export function heading(level: 1 | 2, text: string): SafeHtml {
  return level === 1 ? html`<h1 tabindex="-1">${text}</h1>` : html`<h2 tabindex="-1">${text}</h2>`;
}
