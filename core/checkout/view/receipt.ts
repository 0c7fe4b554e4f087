/** The receipt of a payment, to save or print. */
import { cardBrandOf } from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import { showAmount } from '../../base/text/show-amount.ts';
import type { PayReceipt } from '../../engine/payments/types/pay-page.ts';
import type { Speech } from '../../html/words/index.ts';
import { nameOfWay } from './way-name.ts';
import { contactOf } from './foot.ts';
import type { PayView } from './pay-view.ts';
import { time } from './time.ts';

export function receiptOf({ speech, page, details, amount }: PayView, receipt: PayReceipt): SafeHtml {
  const { words, locale } = speech;
  const { unit, currency } = details;
  const { charged, isPart, laterCharges, refunded, refundedAt, refundedByProvider } = receipt;
  const show = (money: string): string => showAmount(locale, money, currency ?? unit);
  const all = [isPart ? show(charged) : amount, ...laterCharges.map(show)].join(' + ');
  const method = paidWith(speech, receipt);
  const rows: readonly (readonly [string, SafeHtml | string | null])[] = [
    [words.receipt.merchant, html`<bdi>${page.merchant.name}</bdi>`],
    ...(isPart
      ? ([
          [words.receipt.charged, all],
          [words.receipt.requested, amount],
        ] as const)
      : ([[words.receipt.amount, all]] as const)),
    [words.receipt.date, time(speech, receipt.paidAt.toISOString())],
    [words.receipt.number, html`<bdi>${receipt.reference}</bdi>`],
    [words.order, details.referenceId && html`<bdi>${details.referenceId}</bdi>`],
    [words.receipt.way, method],
    [words.receipt.refunded, refunded === null ? null : show(refunded)],
    [words.receipt.refundedOn, refundedAt && time(speech, refundedAt.toISOString())],
    // Coins go to an address that the payer names.
    [
      words.receipt.refundedTo,
      refunded !== null && refundedByProvider && receipt.way.method !== 'crypto' ? method : null,
    ],
    [words.contact, contactOf(page.merchant.brand)],
  ];
  const shown = rows.flatMap(([name, value]) => {
    return value === null || value === ''
      ? []
      : [
          html`<dt>${name}</dt>
            <dd>${value}</dd>`,
        ];
  });
  return html`<dl class="rows receipt">${shown}</dl>
    <button type="button" class="second" data-print hidden>${words.receipt.print}</button>`;
}

function paidWith(speech: Speech, { way, cardBin, cardLastDigits }: PayReceipt): string {
  const isElsewhere = way.method === 'hosted_page' || way.method === 'ewallet_redirect';
  if (isElsewhere || cardLastDigits === null) return nameOfWay(speech, way);
  const { words } = speech;
  return words.receipt.endingIn(cardBrandOf(cardBin ?? '')?.name ?? words.ways.card, cardLastDigits);
}
