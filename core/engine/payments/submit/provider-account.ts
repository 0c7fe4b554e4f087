/** The account that a merchant names for its payment (`providerAccount`). */
import { invalidField, invalidFields, type FieldError, type GatewayError } from '../../../base/errors.ts';
import type { AccountUser } from '../../providers/account-access.ts';
import { accountNameOf, accountRefOf, parseAccountRef, toAccountRef } from '../../providers/account-ref.ts';
import type { Registry } from '../../providers/registry.ts';

/** The owner of a payment, as accounts know it. Undefined: it does not exist. */
export type AccountUserOf = (ownerId: number) => Promise<AccountUser | undefined>;

/** Returns the account as `<adapter>/<account>`. Throws VAL002. */
export type ReadProviderAccount = (given: string, user: AccountUser | undefined, adapter?: string) => string;

const field = 'providerAccount';

/**
 * Reads `<adapter>/<account>`. If the path of the request names the adapter, `<account>` is enough. An account that
 * does not exist, one that the merchant may not use, and one of another adapter have the same message, so that a
 * merchant learns nothing about the accounts of others.
 */
export function createReadProviderAccount(registry: Pick<Registry, 'isOpenTo'>): ReadProviderAccount {
  return (given, user, adapter) => {
    const isShort = adapter !== undefined && !given.includes('/');
    const named = isShort ? { adapter, account: given } : parseAccountRef(given);
    const isComplete = isShort || given.includes('/');
    const isOfPath = adapter === undefined || named.adapter === adapter;
    if (isComplete && isOfPath && registry.isOpenTo(accountRefOf(named), user)) return accountNameOf(named);
    throw invalidField(field, given, 'must be an account that you may use: <adapter>/<account>');
  };
}

/** Why the account accepts no payments now, whatever the payment is; undefined: it does. */
export function whyStopped(registry: Pick<Registry, 'stateOf'>, account: string): string | undefined {
  const state = registry.stateOf(toAccountRef(account)) ?? 'off';
  if (state === 'on') return undefined;
  return state === 'draining'
    ? `account ${account} is draining: it accepts no new payments`
    : `account ${account} is off`;
}

/** The named account does not fit the payment: VAL002 with the fields that it refuses. */
export function doesNotFit(account: string, errors: readonly FieldError[], why: string): GatewayError {
  const [first, ...others] = errors;
  return invalidFields(first ? [first, ...others] : [{ field, value: account, message: why }]);
}
