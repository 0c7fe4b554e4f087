/** Who is paid: logo, or the first letter of the name, and the name. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Merchant } from '../../engine/payments/types/pay-page.ts';

export interface Payee {
  readonly merchant: Merchant;
  /** Where the merchant's logo is; null: there is none. */
  readonly logo: string | null;
}

/** `beside` is behind the name. */
export function payeeLine({ merchant, logo }: Payee, beside: SafeHtml | null = null): SafeHtml {
  const { name } = merchant;
  const mark =
    logo === null
      ? html`<span class="mark" aria-hidden="true">${initialOf(name)}</span>`
      : html`<img class="logo" src="${logo}" alt="" />`;
  return html`<p class="merchant">
    <span class="payee">${mark} <bdi>${name}</bdi></span> ${beside}
  </p>`;
}

/** Above a note; null where nobody knows the name. */
export function payeeHead(payee: Payee): SafeHtml | null {
  return payee.merchant.name === '' ? null : html`<header>${payeeLine(payee)}</header>`;
}

function initialOf(name: string): string {
  const [first = ''] = Array.from(name.trim());
  return first.toUpperCase();
}
