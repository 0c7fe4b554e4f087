/** Adapters that each break one rule of the ways to pay. */
import { unknown, type Action, type Outcome, type Submission, type Way } from '../../index.ts';
import { chargeBody, createAcme, toOutcome } from './adapter.ts';
import type { Broken } from './broken.ts';
import { createVectors } from './vectors.ts';

const acme = createAcme();
const card: Way = { method: 'card', title: 'Card', threeDs: 'unsupported', payerFields: ['name'] };
const expiry = '2026-03-01T10:10:10Z';
const wallet: Way = { ...card, method: 'ewallet_redirect', title: 'Acme Wallet' };

/** Submits as the correct adapter does, and changes the outcome. */
const outcomeWith = (change: (outcome: Outcome) => Outcome) => ({
  submit: async (...given: Parameters<typeof acme.submit>) => change(await acme.submit(...given)),
});
/** An adapter of a wallet whose payments that wait have this action. */
export const waitingWith = (action: Action, adapter: Partial<typeof acme> = {}) =>
  createAcme({
    manifest: { ways: [wallet] },
    adapter: {
      ...outcomeWith((outcome) => (outcome.outcome === 'pending' ? { ...outcome, action } : outcome)),
      ...adapter,
    },
  });
/** Charges a payment whose payer has come back. */
export const complete: NonNullable<typeof acme.complete> = async (payment, _, { http, options }) => {
  const headers = { 'X-Key': options.apiKey, 'Idempotency-Key': payment.reference };
  const path = `/charges/${payment.providerReference}/take`;
  const outcome = toOutcome(await http.send({ method: 'POST', path, headers, body: '{}' }), payment);
  const isOurs = (outcome.providerReference ?? payment.providerReference) === payment.providerReference;
  if (!isOurs) return unknown('another charge');
  return outcome.outcome === 'pending' && payment.action ? { ...outcome, action: payment.action } : outcome;
};
/** Samples of payments that wait with this action, and of calls that complete them. */
export function returningVectors(action: Action, completes = true) {
  const plain = createVectors();
  const [paid, waiting] = plain.submissions.filter((one) => !('call' in one));
  const taken = (name: string, sample: typeof paid, expect: object) => ({
    ...sample!,
    name,
    call: 'complete',
    payment: { ...sample!.payment, providerReference: 'ac_1', action },
    request: { method: 'POST', path: '/charges/ac_1/take', headers: [], body: '{}' },
    expect: { ...sample!.expect, ...expect },
  });
  const withAction = plain.submissions.map((one) => {
    const waits = !('call' in one) && 'outcome' in one.expect && one.expect.outcome === 'pending';
    return waits ? { ...one, expect: { ...one.expect, action } } : one;
  });
  const ends = completes
    ? [taken('taken at the return', paid, {}), taken('not approved yet', waiting, { action })]
    : [];
  return { ...plain, submissions: [...withAction, ...ends] };
}
const toWallet = { type: 'redirect', method: 'GET', url: 'https://wallet.example/1' } as const;
/** Submits with one more member in the body. */
const sending = (more: (payment: Submission) => object) =>
  createAcme({
    adapter: {
      async submit(payment, ctx) {
        const headers = { 'X-Key': ctx.options.apiKey, 'Idempotency-Key': payment.reference };
        const body = JSON.stringify({ ...JSON.parse(chargeBody(payment, ctx)), ...more(payment) });
        return toOutcome(await ctx.http.send({ method: 'POST', path: '/charges', headers, body }), payment);
      },
    },
  });

/** Faults of an adapter's ways to pay, and of its behaviour on them. */
export const brokenWays: readonly Broken[] = [
  {
    fault: 'lists an input that no sample shows',
    rule: 'ways',
    says: 'no vector submits a payment by `upi`',
    adapter: createAcme({ manifest: { inputs: ['card', 'upi'] } }),
  },
  {
    fault: 'gives the action of a way that it does not list',
    rule: 'ways',
    says: 'an action of upi_qr, which no way lists',
    adapter: createAcme({
      adapter: outcomeWith((outcome) =>
        outcome.outcome === 'pending' ? { ...outcome, action: { type: 'upi', mode: 'qr', expiry } } : outcome,
      ),
    }),
  },
  {
    fault: 'gives a code to scan by a way of cards',
    rule: 'ways',
    says: 'an action of ewallet_redirect or hosted_page, which no way lists',
    adapter: { ...waitingWith({ type: 'qr', text: 'acme://pay/1', expiry }), manifest: acme.manifest },
  },
  {
    fault: 'gives a code without text',
    rule: 'ways',
    says: 'gives a code without text',
    adapter: waitingWith({ type: 'qr', text: ' ', expiry }),
  },
  {
    fault: 'gives a picture in place of the text of a code',
    rule: 'ways',
    says: 'gives a code of 2332 bytes',
    adapter: waitingWith({ type: 'qr', text: 'x'.repeat(2332), expiry }),
  },
  {
    fault: 'gives a code for an app without a name',
    rule: 'ways',
    says: 'gives a code with an empty `app`',
    adapter: waitingWith({ type: 'qr', text: 'acme://pay/1', expiry, app: '' }),
  },
  {
    fault: 'gives an action that ends at a time of another form',
    rule: 'ways',
    says: 'gives an action with the expiry "2026-03-01 18:10:10"',
    adapter: waitingWith({ type: 'qr', text: 'acme://pay/1', expiry: '2026-03-01 18:10:10' }),
  },
  {
    fault: 'completes at the return, and cannot complete',
    rule: 'ways',
    says: 'and there is no `complete`',
    adapter: waitingWith({ ...toWallet, completesOnReturn: true }),
  },
  {
    fault: 'gives a return to complete the name of a 3D Secure step',
    rule: 'ways',
    says: 'with `completesOnReturn` and a `transactionId`',
    adapter: waitingWith({ ...toWallet, completesOnReturn: true, transactionId: 'ac_1' }, { complete }),
  },
  {
    fault: 'loses the step of a payer who returned without paying',
    rule: 'ways',
    says: 'answers `pending` with the same action',
    adapter: waitingWith(
      { ...toWallet, completesOnReturn: true },
      {
        async complete(...given) {
          const outcome = await complete(...given);
          return outcome.outcome === 'pending' ? { outcome: 'pending', providerReference: 'ac_1' } : outcome;
        },
      },
    ),
    kit: { vectors: returningVectors({ ...toWallet, completesOnReturn: true }) },
  },
  {
    fault: 'has no sample of a payer who returned without paying',
    rule: 'ways',
    says: 'answers `pending` with the same action',
    adapter: waitingWith({ ...toWallet, completesOnReturn: true }, { complete }),
  },
  {
    fault: 'asks for a referrer that does not exist',
    rule: 'ways',
    says: 'gives a redirect with the referrer "path"',
    adapter: waitingWith({ ...toWallet, referrer: 'path' as 'origin' }),
  },
  {
    fault: 'sends the payer to a page for another amount',
    rule: 'submission',
    says: 'names its amount, and sends the payer on to pay for another amount',
    adapter: waitingWith(
      toWallet,
      outcomeWith((outcome) =>
        outcome.outcome === 'pending' || outcome.outcome === 'unknown'
          ? { outcome: 'pending', providerReference: 'ac_1', action: toWallet }
          : outcome,
      ),
    ),
    kit: { vectors: returningVectors(toWallet, false) },
  },
  {
    fault: 'says of a payer who gave up that a bank declined',
    rule: 'submission',
    says: 'cancelled by the payer and declined',
    adapter: createAcme({
      adapter: outcomeWith((outcome) =>
        outcome.outcome === 'pending' ? { outcome: 'failed', cancelled: true, decline: '05' } : outcome,
      ),
    }),
  },
  {
    fault: 'has a sample of a payment by a way that it does not list',
    rule: 'ways',
    says: 'is a payment by crypto, which no way lists',
    adapter: acme,
    kit: {
      vectors: {
        ...createVectors(),
        submissions: createVectors().submissions.map((vector) => {
          return { ...vector, payment: { ...vector.payment, method: 'crypto' } };
        }),
      },
    },
  },
  {
    fault: 'shows 3D Secure on a way that has none',
    rule: 'ways',
    says: 'shows 3D Secure (authenticated) on card',
    adapter: createAcme({
      adapter: outcomeWith((outcome) =>
        outcome.outcome === 'succeeded' ? { ...outcome, threeDs: 'authenticated' } : outcome,
      ),
    }),
  },
  {
    fault: 'enforces 3D Secure and never asks for it',
    rule: 'ways',
    says: 'is sent alike whether 3D Secure is demanded or not',
    adapter: createAcme({ manifest: { ways: [{ ...card, threeDs: 'enforced' }] } }),
  },
  {
    fault: 'needs a field of the payer that its way does not list',
    rule: 'ways',
    says: 'of a payer of whom name is known, is nothing charged',
    adapter: createAcme({
      adapter: {
        submit: async (payment, ctx) =>
          payment.payer.email ? acme.submit(payment, ctx) : { outcome: 'failed', nothingCharged: true },
      },
    }),
  },
  {
    fault: 'sends the text `undefined` for a field that is not known',
    rule: 'ways',
    says: 'is sent with the text `undefined`',
    adapter: sending(({ payer }) => ({ mail: `<${payer.email}>` })),
  },
  {
    fault: 'says of a step without `complete` that it charges nothing',
    rule: 'manifest',
    says: 'there is no `complete` that could charge',
    adapter: createAcme({ manifest: { ways: [{ ...card, unfinishedStep: 'charges_nothing' }] } }),
  },
  {
    fault: 'has a time limit of a step that is no whole number',
    rule: 'manifest',
    says: 'card has the stepMinutes 0.5',
    adapter: createAcme({ manifest: { ways: [{ ...card, stepMinutes: 0.5 }] } }),
  },
  {
    fault: 'has a kind of unfinished step that does not exist',
    rule: 'manifest',
    says: 'card has the unfinishedStep maybe',
    adapter: createAcme({ manifest: { ways: [{ ...card, unfinishedStep: 'maybe' as 'close' }] } }),
  },
];
