/** The summary of the payment: merchant, amount, order, description, recipient and expiry. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { showAmount } from '../../base/text/show-amount.ts';
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

/** What is paid to whom: after a capture of a part, only that part. */
function amountHeading({ speech, page, details, ways, amount }: PayView): SafeHtml {
  const { words, locale } = speech;
  const { receipt, currency, unit } = details;
  const label = ways.length > 0 ? words.payTo(page.merchant.name) : words.paymentTo(page.merchant.name);
  const shown = receipt?.isPart ? showAmount(locale, receipt.charged, currency ?? unit) : amount;
  return html`<h1>${label} <strong class="${amountClass(shown)}">${shown}</strong></h1>`;
}

export function testBadge({ testMode }: Words): SafeHtml {
  return html`<strong class="test">${testMode}</strong>`;
}

export function summary(view: PayView): SafeHtml {
  const { speech, page, details, logo, now } = view;
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
    ${payeeLine({ merchant, logo }, isTest ? testBadge(words) : null)} ${amountHeading(view)}
    ${rows.length > 0 ? html`<dl>${rows}</dl>` : null}
  </header>`;
}
