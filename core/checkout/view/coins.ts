/** Describes how much of a payment in coins was received. */
import {
  addDecimals,
  divideDecimals,
  MAX_DECIMALS,
  multiplyDecimals,
  subtractDecimals,
  trimDecimal,
} from '@paywright/contract';
import { html, type SafeHtml } from '@remix-run/html-template';
import { showAmount } from '../../base/text/show-amount.ts';
import type { PayPageDetails, ReceivedCoins } from '../../engine/payments/types/pay-page.ts';
import type { Speech } from '../../html/words/index.ts';
import { icon } from './icons.ts';

type CoinDetails = Pick<PayPageDetails, 'coins' | 'unit' | 'currency'>;

/** Number of decimals of the remaining amount. Every coin has at least as many. */
const REST_DECIMALS = 8;

/**
 * The amount that is still to be sent, by the rate at the start of the payment, rounded up; the whole `amount` while
 * nothing was received. Wallets and QR codes must not ask for the whole sum twice.
 */
export function amountLeft(amount: string, coins: ReceivedCoins | null): string {
  if (!coins || coins.missing === null) return amount;
  const total = addDecimals(coins.received, coins.missing);
  const decimals = Math.max(amount.split('.')[1]?.length ?? 0, REST_DECIMALS);
  const sent = divideDecimals(multiplyDecimals(amount, coins.received, MAX_DECIMALS), total, decimals, 'down');
  return trimDecimal(subtractDecimals(amount, sent));
}

/** Null if nothing was received yet. The payer is asked to send more only while the payment is open. */
export function coinsSoFar(
  { words, locale }: Speech,
  { coins, unit, currency }: CoinDetails,
  isOpen: boolean,
): SafeHtml | null {
  if (!coins) return null;
  const show = (amount: string): string => showAmount(locale, amount, currency ?? unit);
  const { received, missing, excess } = coins;
  const sentences = [
    isOpen ? words.cryptoStep.received(show(received)) : words.cryptoStep.arrived(show(received)),
    ...(missing === null || !isOpen
      ? []
      : [words.cryptoStep.missing(show(missing)), words.cryptoStep.orElse(show(received))]),
    excess === null ? null : words.cryptoStep.excess(show(excess)),
  ];
  return html`<div class="alert plain" role="note">
    ${icon('coin')}
    <div>${sentences.map((sentence) => (sentence === null ? null : html`<p>${sentence}</p>`))}</div>
  </div>`;
}
