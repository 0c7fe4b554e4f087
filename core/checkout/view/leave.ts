/** The way back to the shop: a link, and before an automatic redirect a countdown that the payer can stop. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { showCount } from '../format.ts';
import type { PayView } from './pay-view.ts';

/** Enough time to see that the payment worked. */
export const leaveSeconds = 10;

export function backToShop({ speech, page, address }: PayView, leaveTo: string, isLeaving: boolean): SafeHtml {
  const { words, locale } = speech;
  const merchant = page.merchant.name;
  const [before = '', after = ''] = words.leavesIn(merchant).split('{seconds}');
  const seconds = showCount(locale, words.seconds, leaveSeconds);
  const countdown = html`<p class="leaves" data-leaves>
    ${before}<span data-countdown="${JSON.stringify(words.seconds)}">${seconds}</span>${after}
    <a href="${address}&stay=1" data-stay>${words.stay}</a>
  </p>`;
  return html`<div class="leave">
    <p>
      <a class="${isLeaving ? 'main' : 'back'}" href="${leaveTo}" target="_top">${words.backTo(merchant)}</a>
    </p>
    ${isLeaving ? countdown : null}
  </div>`;
}
