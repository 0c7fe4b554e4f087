import { isDecimal, paymentMethods, type InputKind, type PaymentMethod, type Submission } from '@paywright/contract';
import { loadConfig } from '../../../config/load-config.ts';
import { readState } from '../../../workers/supervisor/data-folder/index.ts';
import { withAnySandboxes } from '../../../workers/supervisor/start/run-config.ts';
import { openCurrencies } from '../../engine/payments/config.ts';
import { createRouting, type RouteFacts } from '../../engine/payments/submit/routing.ts';
import { createRegistry, loadAdapters } from '../../engine/providers/index.ts';
import type { ActiveAdapter } from '../../engine/providers/load/load-adapters.ts';
import { json } from '../json.ts';
import { defineCommand, readWord, required, UsageError } from '../command.ts';

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
    live: { type: 'boolean', help: 'a live payment (default: a test payment)' },
    json,
  },
  notes: ['Uses the adapter states of the config files. Sends no request.'],
  async run({ values, shell }) {
    const facts = readFacts(values);
    const loaded = await loadConfig({ env: shell.env, root: shell.root });
    const { ports } = await readState(loaded.config.database.dataDir);
    const config = withAnySandboxes(loaded.config, ports.sandboxes);
    const { adapterDirs, root, environment, isProduction } = loaded;
    const entries = Object.entries(config.adapters).map(([name, one]) => ({
      ...one,
      name,
      from: adapterDirs[name] ?? root,
    }));
    const registry = createRegistry(await loadAdapters(entries, { gatewayRoot: root, environment, isProduction }));
    const skipped: unknown[] = [];
    const route = createRouting({
      rules: config.routes,
      registry,
      openCurrencies: openCurrencies(config),
      calls: { methodOf },
    }).choose(facts, ({ ruleId, adapter, why }) => {
      skipped.push({ ruleId, adapter, why });
      if (!values.json) shell.print(`rule ${ruleId}: skips ${adapter}: ${why}`);
    });
    if (values.json) {
      const candidates = route?.candidates.map(({ active, money }) => ({ adapter: active.name, money })) ?? [];
      shell.print(JSON.stringify({ ruleId: route?.ruleId ?? null, candidates, skipped }));
      return route ? 0 : 1;
    }
    if (!route) {
      shell.print('no rule has a provider for this payment: it would be refused with PAY004');
      return 1;
    }
    const [first, ...others] = route.candidates;
    shell.print(
      `rule ${route.ruleId}: ${first.active.name} (${paymentMethods[first.active.adapter.manifest.ways[0].method]}), ${first.money.amount} ${first.money.currency}`,
    );
    for (const { active } of others)
      shell.print(`  falls back to ${active.name} if it is certain that nothing was charged`);
    return 0;
  },
});

function methodOf({ adapter, options, sandboxOptions }: ActiveAdapter, payment: Submission): PaymentMethod {
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
