import { html, type SafeHtml } from '@remix-run/html-template';

/** Leads to a payment, by its number. */
export function paymentLink(id: number): SafeHtml {
  return html`<a href="/ops/payments/${id}" class="whole">${id}</a>`;
}
