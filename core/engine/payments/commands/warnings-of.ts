/** Warns of an order that the merchant surely did not mean. The order is accepted nevertheless. */
import type { Warning } from '../../../base/warnings.ts';
import { environmentOf } from '../store/new-record.ts';
import type { AccountUserOf } from '../submit/provider-account.ts';
import type { Routing } from '../submit/routing.ts';
import { whyUnpayable } from '../submit/why-unpayable.ts';
import type { Caller } from '../types/caller.ts';
import type { OrderInput } from '../types/input.ts';

export interface WarningsDeps {
  readonly routing: Pick<Routing, 'hasWay'>;
  readonly userOf: AccountUserOf;
  /** Why a merchant's address will not be called, as far as the address itself shows; undefined: it may be called. */
  readonly refusalOfUrl: (url: string) => string | undefined;
}

/** `isToBePaid`: a route is still to be found for the order. */
export type WarningsOf = (
  caller: Caller,
  order: OrderInput,
  more?: {
    readonly isToBePaid?: true;
    readonly isSandbox?: boolean | undefined;
    readonly providerAccount?: string | undefined;
  },
) => Promise<readonly Warning[]>;

export function createWarningsOf({ routing, userOf, refusalOfUrl }: WarningsDeps): WarningsOf {
  return async function warningsOf(caller, order, { isToBePaid, isSandbox, providerAccount } = {}) {
    const refusal = order.notifyUrl === null ? undefined : refusalOfUrl(order.notifyUrl);
    const sandbox = environmentOf(caller, isSandbox) === 'test';
    const unpayable =
      isToBePaid &&
      whyUnpayable(routing, {
        ...order,
        sandbox,
        merchant: await userOf(caller.ownerId),
        account: providerAccount,
      });
    return [
      ...(refusal === undefined ? [] : [{ field: 'notifyUrl', message: `will not be called: ${refusal}` }]),
      ...(unpayable ? [unpayable] : []),
    ];
  };
}
