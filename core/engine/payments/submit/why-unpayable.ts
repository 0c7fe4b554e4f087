/** Why no provider can take a payment, as far as that is known before its payer is. */
import {
  compareDecimals,
  currencyEnd,
  decimalsOf,
  fitsCurrency,
  hasDecimals,
  type InputKind,
} from '@paywright/contract';
import type { Warning } from '../../../base/warnings.ts';
import type { RoutedOrder, Routing } from './routing.ts';

export interface OwnedOrder extends Omit<RoutedOrder, 'merchant'> {
  readonly ownerId: number;
}

/** Why no provider can take such a payment with the present routes and adapters; undefined: one can. */
export type WhyUnpayable = (order: OwnedOrder) => Promise<Warning | undefined>;

const inputKinds: readonly InputKind[] = ['card', 'token', 'upi', 'billing'];

export function whyUnpayable(routing: Pick<Routing, 'hasWay'>, order: RoutedOrder): Warning | undefined {
  const { amount, unit } = order;
  if (compareDecimals(amount, '0') === 0) return { field: 'amount', message: 'is 0: there is nothing to pay' };
  if (hasDecimals(unit) && !fitsCurrency({ amount, currency: unit }))
    return { field: 'amount', message: `cannot be charged: ${unit} has ${decimalsOf(unit)} decimals` };
  const ended = currencyEnd(unit);
  if (ended !== undefined) return { field: 'unit', message: `is a currency that ended on ${ended}` };
  if (inputKinds.some((kind) => routing.hasWay(kind, order))) return undefined;
  return hasDecimals(unit)
    ? { field: 'unit', message: 'is a currency that no route accepts now' }
    : { field: 'unit', message: 'is not a currency: use ISO 4217 in capitals, such as EUR' };
}
