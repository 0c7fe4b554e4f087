/** Warns of an order that the merchant surely did not mean. The order is accepted nevertheless. */
import {
  compareDecimals,
  currencyEnd,
  decimalsOf,
  fitsCurrency,
  hasDecimals,
  type InputKind,
} from '@paywright/contract';
import type { Warning } from '../../../base/warnings.ts';
import { environmentOf } from '../store/new-record.ts';
import type { Routing } from '../submit/routing.ts';
import type { Caller } from '../types/caller.ts';
import type { OrderInput } from '../types/input.ts';

export interface WarningsDeps {
  readonly routing: Pick<Routing, 'hasWay'>;
  /** Why a merchant's address will not be called, as far as the address itself shows; undefined: it may be called. */
  readonly refusalOfUrl: (url: string) => string | undefined;
}

/** `isToBePaid`: a route is still to be found for the order. */
export type WarningsOf = (
  caller: Caller,
  order: OrderInput,
  more?: { readonly isToBePaid?: true; readonly isSandbox?: boolean | undefined },
) => readonly Warning[];

export function createWarningsOf({ routing, refusalOfUrl }: WarningsDeps): WarningsOf {
  return function warningsOf(caller, order, { isToBePaid, isSandbox } = {}) {
    const refusal = order.notifyUrl === null ? undefined : refusalOfUrl(order.notifyUrl);
    const sandbox = environmentOf(caller, isSandbox) === 'test';
    const unpayable = isToBePaid && whyUnpayable(routing, { ...order, sandbox });
    return [
      ...(refusal === undefined ? [] : [{ field: 'notifyUrl', message: `will not be called: ${refusal}` }]),
      ...(unpayable ? [unpayable] : []),
    ];
  };
}

const inputKinds: readonly InputKind[] = ['card', 'token', 'upi', 'billing'];

/** Why no provider can take the payment with the present routes and adapters; undefined: one can. */
function whyUnpayable(routing: WarningsDeps['routing'], order: Parameters<Routing['hasWay']>[1]): Warning | undefined {
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
