/** The state of a payment as console and portal show it. */
import { html, type SafeHtml } from '@remix-run/html-template';
import { badge, money } from './parts.ts';

interface Sum {
  readonly amount: string;
  readonly currency: string;
}

export interface ShownState {
  readonly status: string;
  readonly problems: readonly { readonly words: string; readonly isSevere: boolean }[];
  /** What was paid, if it is not the amount next to the badges. */
  readonly paid: Sum | null;
  /** What was given back of a payment that is not refunded in full. Null: nothing. */
  readonly refunded: Sum | null;
}

/** Badges of the status and of each problem, and how much was paid and refunded. */
export function paymentBadges({ status, problems, paid, refunded }: ShownState): SafeHtml {
  return html`${badge(status)}
  ${problems.map(({ words, isSevere }) => html`${badge(words, isSevere ? 'bad' : 'warn')} `)}
  ${paid === null ? null : html`<small>${money(paid.amount, paid.currency)} paid</small> `}
  ${refunded === null ? null : html`<small>${money(refunded.amount, refunded.currency)} refunded</small>`}`;
}
