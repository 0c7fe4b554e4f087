/**
 * Provider D, a bank's hosted page: ordered server to server, paid there with any card, told twice, by D's servers and
 * by the payer's browser. Protocol: README.md; signed samples: fixtures/vectors.json.
 */
import { defineAdapter, nothingCharged, readMinor, statusTable } from '@gateway/contract';
import { post } from './answer.ts';
import { Bounds, MAX_DIGITS } from './bounds.ts';
import { browserReturn, serverCallback } from './callbacks.ts';
import { currencies, toNumeric, units } from './countries.ts';
import { Options } from './options.ts';
import { orderMembers, orderOutcome, routePath } from './order.ts';
import { refundOutcome } from './refund.ts';
import { readStatus } from './status.ts';
import { callbackWords, declines, statusWords } from './words.ts';

const toldByCallback = statusTable(callbackWords);
const toldByStatus = statusTable(statusWords);

export default defineAdapter<Options>({
  manifest: {
    name: 'provider-d',
    title: 'Provider D',
    code: 27,
    contract: '^1.0',
    inputs: ['billing'],
    bounds: Bounds,
    methods: ['hosted_page'],
    currencies,
    units,
    options: Options,
    declines,
    words: {
      payment: Object.keys(statusWords.payment),
      refund: Object.keys(statusWords.refund),
      chargeback: Object.keys(statusWords.chargeback),
    },
    reconcile: {
      // The sixth question comes when a page that nobody used has ended (30 minutes).
      stepsSeconds: [15, 60, 240, 600, 960, 1800, 7200],
      thenEverySeconds: 86_400,
      giveUpAfterSeconds: 604_800,
    },
    idempotency: 'A repeated D_Order or D_Refund with the same sum and currency is answered as it stands.',
    console: ['Nothing to enter: each order names {publicUrl}/callbacks/providerDhp for both callbacks.'],
  },

  async submit(payment, provider) {
    const { currency } = payment.money;
    const [sum, cur] = [readMinor(payment.money, MAX_DIGITS), toNumeric(currency)];
    if (sum === undefined || cur === undefined) return nothingCharged(`D cannot take the amount in ${currency}`);
    const members = orderMembers(payment, sum, cur, provider.callbackUrl(routePath));
    return orderOutcome(await provider.http.send(post(provider.options, '/d/orders', members)), payment, provider);
  },

  async fetchStatus(payment, provider) {
    const request = post(provider.options, '/d/orders/state', { D_Order: payment.reference });
    return readStatus(await provider.http.send(request), payment, provider);
  },

  async refund({ reference }, refund, provider) {
    const { currency } = refund.money;
    const [sum, cur] = [readMinor(refund.money, MAX_DIGITS), toNumeric(currency)];
    if (sum === undefined || cur === undefined) return nothingCharged(`D cannot give back the amount in ${currency}`);
    const members = { D_Order: reference, D_Refund: refund.reference, D_Sum: sum, D_Cur: cur };
    return refundOutcome(
      await provider.http.send(post(provider.options, '/d/refunds', members)),
      reference,
      refund,
      provider,
    );
  },

  callbacks: [serverCallback, browserReturn],

  // 8000, an open page, is a status answer's word and none of a callback.
  mapStatus: (event) => (event.facts?.['from'] === 'callback' ? toldByCallback(event) : toldByStatus(event)),
});
