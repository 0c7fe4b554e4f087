/** A small adapter for the tests of this folder. */
import {
  nothingCharged,
  secret,
  statusTable,
  v,
  type Manifest,
  type ProviderAdapter,
  type StoredPayment,
} from '@paywright/contract';
import { accountRefOf, mainAccount } from '../account-ref.ts';
import type { ActiveAdapter, AdapterOptions } from '../load/load-adapters.ts';

export interface FakeChanges {
  readonly manifest?: Partial<Manifest<AdapterOptions>>;
  readonly adapter?: Partial<ProviderAdapter<AdapterOptions>>;
  readonly options?: AdapterOptions;
  readonly sandboxOptions?: AdapterOptions;
  readonly state?: 'on' | 'draining' | 'off';
  readonly takesTestPayments?: boolean;
  readonly title?: ActiveAdapter['title'];
  readonly brands?: ActiveAdapter['brands'];
  readonly account?: string;
  readonly currencies?: ActiveAdapter['currencies'];
  readonly merchants?: ActiveAdapter['merchants'];
  readonly fee?: ActiveAdapter['fee'];
  readonly keys?: ActiveAdapter['keys'];
  readonly isStored?: ActiveAdapter['isStored'];
}

export const fakeOptions = { baseUrl: 'https://a.example/api', sandboxBaseUrl: 'https://sandbox.a.example' };

export function fakeActive({
  manifest,
  adapter,
  options = fakeOptions,
  sandboxOptions = options,
  state = 'on',
  takesTestPayments = true,
  account = mainAccount,
  keys = {},
  ...shown
}: FakeChanges = {}): ActiveAdapter {
  const full: ProviderAdapter<AdapterOptions> = {
    manifest: {
      name: 'acme',
      title: 'Acme',
      code: 41,
      contract: '^2.0',
      inputs: ['card'],
      ways: [{ method: 'card', title: 'Card', threeDs: 'unsupported', payerFields: [] }],
      currencies: ['EUR', 'JPY'],
      options: v.strictObject({ baseUrl: v.string(), sandboxBaseUrl: v.string(), key: v.optional(secret()) }),
      declines: {},
      reconcile: { stepsSeconds: [10], thenEverySeconds: 60, giveUpAfterSeconds: 600 },
      idempotency: 'the reference',
      ...manifest,
    },
    submit: async () => nothingCharged('it is a fake'),
    callbacks: [],
    mapStatus: statusTable({}, () => 'succeeded'),
    ...adapter,
  };
  const hasSandboxProofs = sandboxOptions !== options;
  return {
    name: full.manifest.name,
    account,
    ref: accountRefOf({ adapter: full.manifest.name, account }),
    keys,
    package: '@paywright/acme',
    state,
    adapter: full,
    options,
    sandboxOptions,
    sandboxAddresses: {},
    ...shown,
    hasSandboxProofs,
    takesTestPayments,
  };
}

export const fakePayment: StoredPayment = {
  paymentRequestId: '10042',
  attempt: 1,
  reference: 'GW-10042-1',
  money: { amount: '25.9', currency: 'EUR' },
  unit: 'EUR',
  sandbox: false,
  isH2h: true,
  method: 'card',
  endedAt: null,
};
