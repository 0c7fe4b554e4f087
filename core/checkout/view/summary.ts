/** The summary of the payment: merchant, amount, order, description, recipient and expiry. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Words } from '../../html/words/index.ts';
import { payeeLine } from './payee.ts';
import type { PayView } from './pay-view.ts';
import { deadline } from './time.ts';

/** Number of characters that fit on one line in the largest font. */
const MAX_LARGE = 15;

/** A number is never wrapped: 18 decimals of a coin use a smaller font. */
function amountClass(amount: string): string {
  return amount.length > MAX_LARGE ? 'amount long' : 'amount';
}

/** What is paid to whom. */
export function amountHeading(words: Words, merchant: string, amount: string): SafeHtml {
  return html`<h1>
    <span class="hidden">${words.paymentTo(merchant)}</span>
    <strong class="${amountClass(amount)}">${amount}</strong>
  </h1>`;
}

export function testBadge({ testMode }: Words): SafeHtml {
  return html`<strong class="test">${testMode}</strong>`;
}

export function summary({ speech, page, details, amount, logo, now }: PayView): SafeHtml {
  const { words } = speech;
  const { merchant } = page;
  const { referenceId, notes, recipientName, expiresAt, ways, isTest } = details;
  const text = (value: string | null): SafeHtml | null => (value ? html`<bdi>${value}</bdi>` : null);
  const rows = [
    [words.order, text(referenceId)],
    [words.description, text(notes)],
    [words.recipient, text(recipientName)],
    [words.payBy, expiresAt && ways.length > 0 ? deadline(speech, expiresAt, now) : null],
  ].flatMap(([name, value]) =>
    value
      ? [
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
        ]
      : [],
  );
  return html`<header class="summary">
    ${payeeLine({ merchant, logo }, isTest ? testBadge(words) : null)} ${amountHeading(words, merchant.name, amount)}
    ${rows.length > 0 ? html`<dl>${rows}</dl>` : null}
  </header>`;
}
