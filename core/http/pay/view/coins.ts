/** What came in of a payment in coins, said plainly. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { showAmount } from '../../../show-amount.ts';
import type { PayPageDetails } from '../../../payments/service.ts';
import type { Speech } from '../words/index.ts';
import { icon } from './icons.ts';

type CoinDetails = Pick<PayPageDetails, 'coins' | 'unit' | 'currency'>;

/** Null: nothing came in yet. Only while the payment is open is the payer told to send more. */
export function coinsSoFar(
  { words, locale }: Speech,
  { coins, unit, currency }: CoinDetails,
  isOpen: boolean,
): SafeHtml | null {
  if (!coins) return null;
  const show = (amount: string): string => showAmount(locale, amount, currency ?? unit);
  const { received, missing, excess } = coins;
  const said = [
    isOpen ? words.cryptoStep.received(show(received)) : words.cryptoStep.arrived(show(received)),
    missing === null || !isOpen ? null : words.cryptoStep.missing(show(missing)),
    excess === null ? null : words.cryptoStep.excess(show(excess)),
  ];
  return html`<div class="alert plain" role="note">
    ${icon('coin')}
    <div>${said.map((sentence) => (sentence === null ? null : html`<p>${sentence}</p>`))}</div>
  </div>`;
}
