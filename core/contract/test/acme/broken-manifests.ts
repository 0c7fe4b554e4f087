/** Adapters that each break one rule of manifests and options. */
import { brands, statusTable, v } from '../../index.ts';
import { createAcme, states } from './adapter.ts';
import { createLoginSandbox, payer } from './at-sandbox.ts';
import type { Broken } from './broken.ts';
import { Options } from './protocol.ts';
import { createVectors } from './vectors.ts';

/** Faults of an adapter's manifest. */
export const brokenManifests: readonly Broken[] = [
  {
    fault: 'maps unknown statuses to success',
    rule: 'statuses',
    says: 'unknown',
    adapter: createAcme({
      adapter: {
        mapStatus: statusTable({ payment: { paid: 'succeeded', waiting: 'pending', refused: 'failed' } }, (status) =>
          status === 'unknown' ? 'succeeded' : status,
        ),
      },
    }),
  },
  ...(
    [
      ['shows a brand twice', { card: [brands.visa, brands.visa] }, 'a brand of card occurs twice'],
      ['shows a brand of another way', { upi_qr: [brands.upi] }, '`brands` has upi_qr, which no way lists'],
      ['shows a brand without a name', { card: [{ name: ' ' }] }, 'a brand of card has no name'],
      [
        'shows a picture that no page can show',
        { card: [{ name: 'Visa', picture: 'visa.svg' }] },
        'the picture of Visa is not an SVG image',
      ],
    ] as const
  ).map(([fault, shown, says]) => ({
    fault,
    rule: 'manifest',
    says,
    adapter: createAcme({ manifest: { brands: () => shown } }),
  })),
  ...(
    [
      [
        'names the language of a title in a word',
        { titles: { german: 'Karte' } },
        'card has the title "Karte" in "german"',
      ],
      ['leads to a page without a name', { leadsTo: ' ' }, 'leadsTo of card is empty'],
    ] as const
  ).map(([fault, more, says]) => ({
    fault,
    rule: 'manifest',
    says,
    adapter: createAcme({
      manifest: { ways: [{ method: 'card', title: 'Card', threeDs: 'unsupported', payerFields: ['name'], ...more }] },
    }),
  })),
  {
    fault: 'leaves a secret unmarked',
    rule: 'secrecy',
    says: 'apiKey',
    adapter: createAcme({
      manifest: { options: v.strictObject({ ...Options.entries, apiKey: v.string() }) },
    }),
  },
  {
    fault: 'accepts unknown options',
    rule: 'options',
    says: 'v.strictObject',
    adapter: createAcme({ manifest: { options: v.object(Options.entries) } }),
  },
  {
    fault: 'lists a status that it does not map',
    rule: 'statuses',
    says: 'reversed',
    adapter: createAcme({
      adapter: {
        mapStatus: statusTable({ payment: { ...states, reversed: 'failed' } }, (status, { providerStatus }) =>
          providerStatus === 'reversed' ? 'unknown' : status,
        ),
      },
    }),
  },
  {
    fault: 'gives a callback the meaning of a status that only its fetches know',
    rule: 'statuses',
    says: 'payment "reversed" of a callback, which no table knows, is mapped to failed',
    adapter: createAcme({
      adapter: {
        mapStatus: statusTable(
          { callback: { payment: states }, fetch: { payment: { ...states, reversed: 'failed' } } },
          (status, { providerStatus }) => (providerStatus === 'reversed' ? 'failed' : status),
        ),
      },
    }),
  },
  {
    fault: 'claims a contract that does not exist',
    rule: 'manifest',
    says: '^2.1',
    adapter: createAcme({ manifest: { contract: '^3.0' } }),
  },
  {
    fault: 'refuses correct options',
    rule: 'options',
    says: 'are refused',
    adapter: createAcme({ manifest: { options: v.strictObject({ ...Options.entries, region: v.string() }) } }),
  },
  {
    fault: 'accepts an address without encryption',
    rule: 'options',
    says: 'http://api.example',
    adapter: createAcme({ manifest: { options: v.strictObject({ ...Options.entries, baseUrl: v.string() }) } }),
  },
  {
    fault: 'accepts a second address without encryption',
    rule: 'options',
    says: 'loginBaseUrl takes "http://api.example"',
    adapter: createAcme({
      manifest: { options: v.strictObject({ ...Options.entries, loginBaseUrl: v.optional(v.string()) }) },
    }),
    kit: { sandbox: { create: createLoginSandbox('/login'), payer } },
  },
  {
    fault: 'lists a currency that does not exist',
    rule: 'manifest',
    says: 'no currency eur',
    adapter: createAcme({ manifest: { currencies: ['eur'] } }),
  },
  {
    fault: 'asks more and more often',
    rule: 'manifest',
    says: 'do not grow',
    adapter: createAcme({
      manifest: { reconcile: { stepsSeconds: [60, 5], thenEverySeconds: 3600, giveUpAfterSeconds: 86_400 } },
    }),
  },
  {
    fault: 'asks more often after its last step',
    rule: 'manifest',
    says: '`thenEverySeconds` 3600 is less than the last of `stepsSeconds`, 7200',
    adapter: createAcme({
      manifest: { reconcile: { stepsSeconds: [60, 7200], thenEverySeconds: 3600, giveUpAfterSeconds: 86_400 } },
    }),
  },
  {
    fault: 'has no route for its callbacks',
    rule: 'manifest',
    says: 'there is no such route',
    adapter: createAcme({ adapter: { callbacks: [] } }),
  },
  {
    fault: 'submits by a method that it does not list',
    rule: 'manifest',
    says: 'method crypto',
    adapter: createAcme({ adapter: { methodOf: () => 'crypto' } }),
  },
  {
    fault: 'leaves a status out of its table',
    rule: 'statuses',
    says: '`statuses` lacks it',
    adapter: createAcme({
      adapter: { mapStatus: statusTable({ payment: { paid: 'succeeded', waiting: 'pending' } }) },
    }),
  },
  {
    fault: 'has no sample of a submission',
    rule: 'submission',
    says: 'record one',
    adapter: createAcme(),
    kit: { vectors: { ...createVectors(), submissions: [] } },
  },
];
