/** The state of a payment as console and portal show it. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { badge, money } from './parts.ts';

export interface ShownState {
  readonly status: string;
  readonly problems: readonly { readonly words: string; readonly isSevere: boolean }[];
  /** What was given back of a payment that is not refunded in full. Null: nothing. */
  readonly refunded: { readonly amount: string; readonly currency: string } | null;
}

/** Badges of the status and of each problem, and how much was refunded. */
export function paymentBadges({ status, problems, refunded }: ShownState): SafeHtml {
  return html`${badge(status)}
  ${problems.map(({ words, isSevere }) => html`${badge(words, isSevere ? 'bad' : 'warn')} `)}
  ${refunded === null ? null : html`<small>${money(refunded.amount, refunded.currency)} refunded</small>`}`;
}
