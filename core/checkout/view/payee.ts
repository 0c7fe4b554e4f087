/** The merchant: the logo, or the first letter of the name, and the name. */
import { html, type SafeHtml } from '@remix-run/html-template';
import type { Merchant } from '../../engine/payments/types/pay-page.ts';

export interface Payee {
  readonly merchant: Merchant;
  /** The address of the merchant's logo. Null if there is none. */
  readonly logo: string | null;
}

/** `beside` is shown after the name. */
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

/** The head above a short message. Null if the name is not known. */
export function payeeHead(payee: Payee, beside: SafeHtml | null = null): SafeHtml | null {
  return payee.merchant.name === '' ? null : html`<header>${payeeLine(payee, beside)}</header>`;
}

function initialOf(name: string): string {
  const [first = ''] = Array.from(name.trim());
  return first.toUpperCase();
}
