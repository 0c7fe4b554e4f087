/** New Provider: one JSON call, told by sealed messages. Protocol: README.md; samples: fixtures/vectors.json. */
import { defineAdapter, nothingCharged, readMinor } from '@gateway/contract';
import { callback } from './callbacks/new-provider.ts';
import { Bounds, MAX_DIGITS } from './limits.ts';
import { Options } from './options.ts';
import { paymentOutcome, paymentRequest } from './submit.ts';
import { refundOutcome, refundRequest } from './refund.ts';
import { readStatus } from './fetch-status.ts';
import { decide, undecided } from './undecided.ts';
import { declines, mapStatus, words } from './statuses.ts';

export default defineAdapter<Options>({
  manifest: {
    name: 'new-provider',
    title: decide(undecided.manifest, 'New Provider'),
    code: 0,
    contract: '^1.0',
    inputs: ['card'],
    bounds: Bounds,
    methods: ['card'],
    currencies: 'any',
    options: Options,
    declines,
    words: {
      payment: Object.keys(words.payment),
      refund: Object.keys(words.refund),
      chargeback: Object.keys(words.chargeback),
    },
    reconcile: { stepsSeconds: [5, 60, 600, 3600], thenEverySeconds: 86_400, giveUpAfterSeconds: 604_800 },
    idempotency: 'A repetition with the same Idempotency-Key gets the stored answer.',
    console: ['Nothing to enter: each payment names {publicUrl}/callbacks/newProvider.'],
    undecided,
  },

  async submit(payment, provider) {
    const { money } = payment;
    if (readMinor(money, MAX_DIGITS) === undefined) return nothingCharged(`no such amount in ${money.currency}`);
    return paymentOutcome(await provider.http.send(paymentRequest(payment, provider)), payment);
  },

  async fetchStatus(payment, { http, options, now }) {
    const path = `/v1/payments/${encodeURIComponent(payment.reference)}`;
    const headers = { Authorization: `Bearer ${options.apiKey}` };
    return readStatus(await http.send({ method: 'GET', path, headers }), payment, now());
  },

  async refund({ providerReference: id }, refund, { http, options }) {
    if (id === undefined) return nothingCharged('no reference of the payment at New Provider');
    return refundOutcome(await http.send(refundRequest(id, refund, options)), refund);
  },

  callbacks: [callback],

  mapStatus,
});
