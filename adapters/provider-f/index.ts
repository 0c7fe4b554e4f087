/**
 * Provider F, a redirect e-wallet: a deal is opened, the payer confirms it at the wallet, F's ping says only which deal
 * changed, the fetch says how, and F is told that it was seen. Protocol: README.md; samples: fixtures/vectors.json.
 */
import { defineAdapter, fitsCurrency, formatAmount, nothingCharged, statusTable } from '@gateway/contract';
import { dealPath, post } from './wire.ts';
import { Options } from './options.ts';
import { ping } from './ping.ts';
import { refundOutcome } from './refund.ts';
import { seenRequest, seenResult } from './seen.ts';
import { readStatus, statusRequest } from './status.ts';
import { dealBody, dealOutcome } from './submit.ts';
import { declines, words } from './statuses.ts';

export default defineAdapter<Options>({
  manifest: {
    name: 'provider-f',
    title: 'Provider F',
    code: 15,
    contract: '^1.0',
    inputs: ['billing'],
    methods: ['ewallet_redirect'],
    currencies: 'any',
    options: Options,
    declines,
    words: {
      payment: Object.keys(words.payment),
      refund: Object.keys(words.refund),
      chargeback: Object.keys(words.chargeback),
      ping: Object.keys(words.ping),
    },
    reconcile: {
      stepsSeconds: [5, 15, 60, 300, 1800, 7200],
      thenEverySeconds: 21_600,
      // F itself stops pinging after two days.
      giveUpAfterSeconds: 259_200,
    },
    idempotency: 'A repetition with the same Idempotency-Key and body gets the deal as it stands.',
    console: ['Pings, Address: {publicUrl}/callbacks/providerF'],
  },

  async submit(payment, provider) {
    const { money, reference } = payment;
    if (!fitsCurrency(money)) return nothingCharged(`${money.currency} cannot express the amount`);
    const request = post(provider.options, '/v1/deals', dealBody(payment, provider), reference);
    return dealOutcome(await provider.http.send(request), payment, provider);
  },

  async fetchStatus(payment, provider) {
    return readStatus(await provider.http.send(statusRequest(payment, provider.options)), payment, provider);
  },

  async refund(payment, { money, reference }, provider) {
    const { providerReference: id } = payment;
    if (id === undefined) return nothingCharged('no deal of F to give back');
    if (!fitsCurrency(money)) return nothingCharged(`${money.currency} cannot express the amount`);
    const body = { v: formatAmount(money), c: money.currency };
    const request = post(provider.options, dealPath(id, '/returns'), body, reference);
    return refundOutcome(await provider.http.send(request), payment, id, provider);
  },

  async afterCommit({ providerReference: id }, mark, { http, options }) {
    return id === undefined ? 'later' : seenResult(await http.send(seenRequest(options, id, mark)));
  },

  callbacks: [ping],

  mapStatus: statusTable(words),
});
