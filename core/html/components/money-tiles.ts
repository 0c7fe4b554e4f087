/** The sums of a paid payment as tiles, the same in console and portal. */
import { compareDecimals, isAboveZero } from '@paywright/contract';
import { html } from '@remix-run/html-template';
import { money, type Stat } from './parts.ts';

/** Amounts are decimal text in `currency`. */
export interface ShownMoney {
  readonly currency: string;
  readonly paid: string;
  readonly refunded: string;
  readonly disputed: string;
  /** What disputes take: less than `disputed` if an open one is also about money that was already refunded. */
  readonly held: string;
  readonly leftToRefund: string;
  /** The charges of a payment that was charged twice, while something of several of them can be refunded. */
  readonly doubleCharges: readonly { readonly charge: number; readonly left: string; readonly currency: string }[];
}

/** What came in and what went back. `charges`: the number of charges. `isOpen`: a dispute is open. */
export function movedTiles(
  { currency, paid, refunded, disputed, held }: ShownMoney,
  { charges, isOpen }: { readonly charges: number; readonly isOpen: boolean },
): readonly Stat[] {
  const note = html`holds ${money(held, currency)}: the rest was refunded before`;
  const dispute: Stat = {
    label: isOpen ? 'Disputed' : 'Charged back',
    value: money(disputed, currency),
    ...(compareDecimals(held, disputed) < 0 && { note }),
    look: 'bad',
  };
  return [
    { label: 'Paid', value: money(paid, currency), ...(charges > 1 && { note: `in ${charges} charges` }) },
    ...(isAboveZero(refunded) ? [{ label: 'Refunded', value: money(refunded, currency) }] : []),
    ...(isAboveZero(disputed) ? [dispute] : []),
  ];
}

/**
 * Nothing if nothing can be refunded any more. After a double charge, only one of the charges is to be refunded, so
 * what is left of them is not added up.
 */
export function refundableTiles({ currency, leftToRefund, doubleCharges }: ShownMoney): readonly Stat[] {
  const label = 'Refundable';
  if (doubleCharges.length === 0)
    return isAboveZero(leftToRefund) ? [{ label, value: money(leftToRefund, currency) }] : [];
  const rests = doubleCharges.map(({ left, currency: charged }) => money(left, charged));
  const value = html`${rests.map((rest, at) => html`${at === 0 ? null : ' + '}${rest}`)}`;
  return [{ label, value, note: `of charges ${doubleCharges.map(({ charge }) => charge).join(' and ')}` }];
}
