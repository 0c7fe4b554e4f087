/**
 * Provider H, cryptocurrency payments: H gives an address and an amount of coin, the payer's wallet pays, and H reports
 * every step. Digests run over numbers as they were spelled. Protocol: README.md; samples: fixtures/vectors.json.
 */
import { defineAdapter, fitsCurrency, nothingCharged } from '@gateway/contract';
import { payPath, post } from './call.ts';
import { callback } from './callback.ts';
import { Options } from './options.ts';
import { returnMessage, returnOutcome } from './refund.ts';
import { readStatus, statusRequest } from './status.ts';
import { payMessage, payOutcome } from './submission.ts';
import { declines, statusOf, words } from './words.ts';

export default defineAdapter<Options>({
  manifest: {
    name: 'provider-h',
    title: 'Provider H',
    code: 17,
    contract: '^1.0',
    inputs: ['billing'],
    methods: ['crypto'],
    currencies: 'any',
    options: Options,
    declines,
    words: { payment: Object.keys(words.payment), refund: Object.keys(words.refund) },
    reconcile: {
      stepsSeconds: [30, 120, 300, 600, 1800, 3600, 7200],
      thenEverySeconds: 21_600,
      // H itself tells for a day and a half, and a price holds for up to a day.
      giveUpAfterSeconds: 259_200,
    },
    idempotency: 'A repetition with the same gw_ref and content gets the pay as it stands.',
    console: ['Nothing to enter: each pay names {publicUrl}/callbacks/providerH as the address of its callbacks.'],
  },

  async submit(payment, provider) {
    const { money } = payment;
    if (!fitsCurrency(money)) return nothingCharged(`${money.currency} cannot express the amount`);
    const request = post(provider, '/v2/pays', payMessage(payment, provider));
    return payOutcome(await provider.http.send(request), payment, provider.options);
  },

  async fetchStatus(payment, provider) {
    return readStatus(await provider.http.send(statusRequest(payment, provider)), payment, provider.options);
  },

  async refund({ providerReference: payNo }, refund, provider) {
    const { money } = refund;
    if (payNo === undefined) return nothingCharged('no pay of H to give back');
    if (!fitsCurrency(money)) return nothingCharged(`${money.currency} cannot express the amount`);
    const request = post(provider, payPath(payNo, '/returns'), returnMessage(refund, provider.options));
    return returnOutcome(await provider.http.send(request), payNo, refund);
  },

  callbacks: [callback],

  mapStatus: statusOf,
});
