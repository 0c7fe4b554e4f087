/** Actions of operators on accounts: the same service as that of `paywright accounts`. */
import { GatewayError, notFound, type FieldError } from '../../base/errors.ts';
import {
  HeldMoneyError,
  mainAccount,
  parseAccountRef,
  type AccountSettings,
  type AccountView,
} from '../../engine/providers/index.ts';
import type { ConsoleDeps } from '../deps.ts';
import { reasonOf, type ConsoleAction } from '../kit/action.ts';
import { accountPath } from '../payments/payment-cells.ts';
import { merchantsOf, readNewAccount, readTerms } from './account-form.ts';
import { checkAction, stateActions, type Switched } from './adapter-actions.ts';

const path = '/ops/adapters/accounts/:id';
const toAccount: ConsoleAction['back'] = (_, id) => accountPath(id);

const switchedAccount: Switched = {
  path,
  type: 'account',
  accepts: 'from the merchants that may use it',
  demand: demandOwnState,
  nameOf: accountName,
  back: toAccount,
};

export const accountActions: readonly ConsoleAction[] = [
  ...stateActions(switchedAccount),
  checkAction({ ...switchedAccount, demand: readAccount }),
  {
    path: '/ops/adapters/:id/accounts',
    section: 'adapters',
    role: 'admin',
    label: 'Add account',
    done: 'Account added. Every process uses it within 2 s.',
    run: async (deps, by, id, values) => {
      demandAdapter(deps, id);
      const { ref, settings } = readNewAccount(id, values, await deps.accounts.optionFields(id));
      await deps.accounts.add(by, ref, settings, reasonOf(values)).catch(toRefusal);
    },
    back: (_, id, values) => accountPath(`${id}/${values['name'] ?? ''}`),
  },
  changeAction('set', 'Save account', async (deps, id, values) => {
    const { adapter } = parseAccountRef(id);
    return readTerms(values, await deps.accounts.optionFields(adapter), await deps.accounts.get(id));
  }),
  changeAction('assign', 'Assign merchant', async (_, __, values) => ({ assign: merchantsOf(values) })),
  changeAction('unassign', 'Remove merchant', async (_, __, values) => ({ unassign: merchantsOf(values) })),
  {
    ...changeAction('everybody', 'Open to every merchant', async () => ({ everybody: true })),
    effect: async (deps, id) => {
      await readAccount(deps, id);
      return {
        title: `Open ${accountName(deps, id)} to every merchant?`,
        text: 'Every merchant without an account of its own may then use it, and its list of merchants is removed.',
        label: 'Open to every merchant',
      };
    },
  },
  {
    path: `${path}/remove`,
    section: 'adapters',
    role: 'admin',
    label: 'Remove account',
    done: 'Account removed.',
    effect: async (deps, id) => {
      await readAccount(deps, id);
      return {
        title: `Remove the account ${accountName(deps, id)}?`,
        text: `This removes the account ${id} with its options. Its name can never be used again.`,
        label: 'Remove account',
      };
    },
    run: async (deps, by, id, values) => {
      demandAdapter(deps, parseAccountRef(id).adapter);
      await deps.accounts.remove(by, id, reasonOf(values)).catch(toRefusal);
    },
    back: (_, id) => `/ops/adapters/${encodeURIComponent(parseAccountRef(id).adapter)}`,
  },
];

type Read = (deps: ConsoleDeps, id: string, values: Readonly<Record<string, string>>) => Promise<AccountSettings>;

function changeAction(name: string, label: string, read: Read): ConsoleAction {
  return {
    path: `${path}/${name}`,
    section: 'adapters',
    role: 'admin',
    label,
    done: 'Account changed. Every process uses it within 2 s.',
    run: async (deps, by, id, values) => {
      await readAccount(deps, id);
      await deps.accounts.set(by, id, await read(deps, id, values), reasonOf(values)).catch(toRefusal);
    },
    back: toAccount,
  };
}

/**
 * Money that depends on the account is a refusal for its operator, not an error of ours. The forms have one field for a
 * merchant.
 */
function toRefusal(error: unknown): never {
  if (error instanceof HeldMoneyError) throw new GatewayError('PAYMENT_NOT_PAYABLE', error.message, { cause: error });
  const { errors = [] } = (error instanceof GatewayError ? error.details : {}) as { readonly errors?: FieldError[] };
  if (!(error instanceof GatewayError) || errors.length === 0) throw error;
  const named = errors.map((one) => (one.field === 'merchants' ? { ...one, field: 'merchant' } : one));
  throw new GatewayError(error.kind, error.message, { details: { ...error.details, errors: named }, cause: error });
}

/** The provider and the account, for titles and questions. */
export function accountName({ adapters }: Pick<ConsoleDeps, 'adapters'>, ref: string): string {
  const { adapter, account } = parseAccountRef(ref);
  return `${adapters.title(adapter)}, ${account}`;
}

/** Throws NF001 if there is no such account. */
export async function readAccount({ accounts, adapters }: ConsoleDeps, ref: string): Promise<AccountView> {
  demandAdapter({ adapters }, parseAccountRef(ref).adapter);
  return accounts.get(ref);
}

/** Throws NF001 if config has no adapter of this name. */
export function demandAdapter({ adapters }: Pick<ConsoleDeps, 'adapters'>, name: string): void {
  if (!adapters.names().includes(name)) throw notFound('an adapter of this name');
}

/** Throws NF001 for the account `main` too: its state is that of its adapter. */
async function demandOwnState(deps: ConsoleDeps, ref: string): Promise<void> {
  await readAccount(deps, ref);
  if (parseAccountRef(ref).account === mainAccount) throw notFound(`a state of the account ${mainAccount}`);
}
