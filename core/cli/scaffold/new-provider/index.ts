/** New Provider: one JSON call, reported by sealed messages. Protocol: README.md; samples: fixtures/vectors.json. */
import { defineAdapter, payerFields } from '@gateway/contract';
import { callback } from './callbacks/new-provider.ts';
// for: card token
import { Bounds, MAX_DIGITS } from './limits.ts';
// end
// for: billing upi
//: import { MAX_DIGITS } from './limits.ts';
// end
import { Options } from './options.ts';
import { paymentOutcome, paymentRequest } from './submit.ts';
import { refundOutcome, refundRequest } from './refund.ts';
import { readStatus } from './fetch-status.ts';
import { decide, undecided } from './undecided.ts';
import { declines, mapStatus } from './statuses.ts';

export default defineAdapter({
  manifest: {
    name: 'new-provider',
    title: decide(undecided.manifest, 'New Provider'),
    code: 0,
    contract: '^2.0',
    inputs: ['card'],
    // for: card token
    bounds: Bounds,
    // end
    ways: [{ method: 'card', title: 'Card', threeDs: 'unsupported', payerFields }],
    maxMinorDigits: MAX_DIGITS,
    currencies: 'any',
    options: Options,
    declines,
    refundNeeds: 'providerReference',
    idempotency: 'A repetition with the same Idempotency-Key gets the stored answer.',
    console: ['Nothing to enter: each payment names {publicUrl}/callbacks/newProvider.'],
    undecided,
  },

  async submit(payment, ctx) {
    return paymentOutcome(await ctx.http.send(paymentRequest(payment, ctx)), payment);
  },

  async fetchStatus(payment, { http, options, now }) {
    const path = `/v1/payments/${encodeURIComponent(payment.reference)}`;
    const headers = { Authorization: `Bearer ${options.apiKey}` };
    return readStatus(await http.send({ method: 'GET', path, headers }), payment, now());
  },

  async refund({ providerReference }, refund, { http, options }) {
    return refundOutcome(await http.send(refundRequest(providerReference!, refund, options)), refund);
  },

  callbacks: [callback],

  mapStatus,
});
