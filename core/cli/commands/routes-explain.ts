import { isDecimal, paymentMethods, type InputKind, type PaymentMethod, type Submission } from '@paywright/contract';
import { loadConfig } from '../../../config/load-config.ts';
import { readState } from '../../../workers/supervisor/data-folder/index.ts';
import { withAnySandboxes } from '../../../workers/supervisor/start/run-config.ts';
import { openCurrencies } from '../../engine/payments/config.ts';
import { createRouting, type RouteFacts } from '../../engine/payments/submit/routing.ts';
import { createReadProviderAccount } from '../../engine/payments/submit/provider-account.ts';
import { createRegistry, loadAdapters, type AccountUser, type Registry } from '../../engine/providers/index.ts';
import { adapterOfRef } from '../../engine/providers/account-ref.ts';
import type { ActiveAdapter } from '../../engine/providers/load/load-adapters.ts';
import { json } from '../json.ts';
import { defineCommand, readWord, required, UsageError, type Shell } from '../command.ts';
import { findOwner } from '../owner-id.ts';
import { readAccountsOfDatabase } from '../stored-accounts.ts';
import { withDatabase } from '../with-database.ts';

const kinds: readonly InputKind[] = ['card', 'billing', 'token', 'upi'];

export const routesExplain = defineCommand({
  options: {
    input: { type: 'string', value: '<kind>', help: `${kinds.join(', ')} (default: card)` },
    amount: { type: 'string', value: '<decimal>', help: 'required' },
    unit: { type: 'string', value: '<currency>', help: 'required' },
    country: { type: 'string', value: '<code>', help: 'the country of the payer, two letters (default: PT)' },
    bin: { type: 'string', value: '<digits>', help: 'the first digits of the card' },
    wallet: { type: 'boolean', help: 'the card comes from a wallet' },
    '3ds': { type: 'boolean', help: 'the merchant demands 3D Secure' },
    owner: { type: 'string', value: '<name>', help: 'the merchant: shows which accounts it may use' },
    account: { type: 'string', value: '<adapter>/<account>', help: 'the account that the merchant names' },
    live: { type: 'boolean', help: 'a live payment (default: a test payment)' },
    json,
  },
  notes: [
    'Uses the adapter states of the config files, and the accounts of the database. Sends no request.',
    '--owner reads the merchant from the database.',
  ],
  async run({ values, shell }) {
    const merchant = values.owner === undefined ? undefined : await findUser(shell, values.owner);
    const loaded = await loadConfig({ env: shell.env, root: shell.root });
    const { ports } = await readState(loaded.config.database.dataDir);
    const config = withAnySandboxes(loaded.config, ports.sandboxes);
    const { adapterDirs, root, environment, isProduction } = loaded;
    const stored = await readAccountsOfDatabase(shell, loaded).catch((error: unknown) => {
      const reason = error instanceof Error ? error.message : String(error);
      shell.stderr(`The accounts of the database are left out, because it cannot be opened: ${reason}`);
      return undefined;
    });
    const entries = Object.entries(config.adapters).map(([name, one]) => ({
      ...one,
      name,
      stored: stored?.get(name),
      from: adapterDirs[name] ?? root,
    }));
    const registry = createRegistry(await loadAdapters(entries, { gatewayRoot: root, environment, isProduction }));
    const account = values.account && createReadProviderAccount(registry)(values.account, merchant);
    const facts = { ...readFacts(values), merchant, account };
    const adapters = [...new Set(config.routes.flatMap(({ use }) => use).map(adapterOfRef))];
    const open = adapters.map((adapter) => ({ adapter, accounts: registry.accountsFor(adapter, merchant) }));
    if (merchant && !values.json) for (const line of openText(merchant, open, registry)) shell.print(line);
    const skipped: unknown[] = [];
    const route = createRouting({
      rules: config.routes,
      registry,
      openCurrencies: openCurrencies(config),
      calls: { methodOf },
      refusesCards: config.http.refuseCardNumbers,
    }).choose(facts, ({ ruleId, adapter, why }) => {
      skipped.push({ ruleId, adapter, why });
      if (!values.json) shell.print(`${ruleText(ruleId)}: skips ${adapter}: ${why}`);
    });
    if (values.json) {
      const candidates = route?.candidates.map(({ active, money }) => ({ adapter: active.ref, money })) ?? [];
      shell.print(
        JSON.stringify({ ruleId: route?.ruleId ?? null, candidates, skipped, ...(merchant && { merchant, open }) }),
      );
      return route ? 0 : 1;
    }
    if (!route) {
      shell.print('no rule has a provider for this payment: it would be refused with PAY004');
      return 1;
    }
    const [first, ...others] = route.candidates;
    shell.print(
      `${ruleText(route.ruleId)}: ${first.active.ref} (${paymentMethods[first.active.adapter.manifest.ways[0].method]}), ${first.money.amount} ${first.money.currency}`,
    );
    for (const { active } of others)
      shell.print(`  falls back to ${active.ref} if it is certain that nothing was charged`);
    return 0;
  },
});

function ruleText(ruleId: number | null): string {
  return ruleId === null ? 'the merchant’s account' : `rule ${ruleId}`;
}

async function findUser(shell: Shell, name: string): Promise<AccountUser> {
  return withDatabase(shell, async ({ owners }) => {
    const { ownAccountsOnly } = await findOwner(owners, name);
    return { name, ownAccountsOnly };
  });
}

interface OpenAccounts {
  readonly adapter: string;
  readonly accounts: readonly string[];
}

/** One line per adapter of the rules: the accounts that the merchant may use, in the order in which they are tried. */
function openText(merchant: AccountUser, open: readonly OpenAccounts[], registry: Registry): string[] {
  const { name, ownAccountsOnly } = merchant;
  return open.map(({ adapter, accounts }) => {
    const all = registry.accountsOf(adapter);
    const isAssigned = all.some(({ ref, merchants }) => accounts.includes(ref) && merchants?.includes(name));
    const why = isAssigned ? 'assigned' : 'serves everybody';
    if (accounts.length > 0) return `${adapter}: ${name} may use ${accounts.join(', ')} (${why})`;
    return `${adapter}: ${name} may use no account${ownAccountsOnly ? ': it uses only its own' : ''}`;
  });
}

/** The way of a payment, by the options of its side. */
export function methodOf({ adapter, options, sandboxOptions }: ActiveAdapter, payment: Submission): PaymentMethod {
  const usual = adapter.manifest.ways[0].method;
  return adapter.methodOf?.(payment, payment.sandbox ? sandboxOptions : options) ?? usual;
}

interface Given {
  readonly input?: string;
  readonly amount?: string;
  readonly unit?: string;
  readonly country?: string;
  readonly bin?: string;
  readonly wallet?: boolean;
  readonly '3ds'?: boolean;
  readonly live?: boolean;
}

function readFacts(values: Given): RouteFacts {
  const kind = readWord(values.input, kinds, '--input') ?? 'card';
  const amount = required(values.amount, 'amount');
  if (!isDecimal(amount)) throw new UsageError('--amount must be a decimal number, for example 25.90.');
  if (values.country !== undefined && !/^[A-Za-z]{2}$/.test(values.country))
    throw new UsageError('--country must be two letters, for example PT.');
  if (values.bin !== undefined && !/^\d{1,12}$/.test(values.bin))
    throw new UsageError('--bin must contain only digits.');
  const payer = {
    name: '',
    email: '',
    phoneNumber: '',
    address: '',
    city: '',
    state: '',
    postalCode: '',
    ipAddress: null,
  };
  const card = { number: values.bin ?? '', expiration: '', expiryMonth: '', expiryYear: '', cvv: '' };
  const is3ds = values['3ds'];
  return {
    unit: required(values.unit, 'unit'),
    amount,
    sandbox: !values.live,
    input: {
      kind,
      payer: { ...payer, country: values.country ?? 'PT' },
      ...(kind === 'card' && { card }),
      ...(values.wallet && { wallet: {} }),
      ...(is3ds && { is3ds }),
      body: { ...(is3ds && { is3ds }), ...(values.wallet && { wallet: {} }) },
    },
  };
}
