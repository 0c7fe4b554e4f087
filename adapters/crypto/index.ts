/**
 * The invoices of a self-run coin server: a callback says that something happened to one and never how much, so the
 * invoice is fetched before money is believed. Protocol: README.md; signed samples: fixtures/vectors.json.
 */
import { defineAdapter, fitsCurrency, noNews, nothingCharged } from '@gateway/contract';
import { get, invoicePath, post } from './call.ts';
import { hook } from './hook.ts';
import { Options } from './options.ts';
import { readRefundStatus, refundMessage, refundOutcome } from './refund.ts';
import { readStatus, statusRequest } from './status.ts';
import { invoiceMessage, invoiceOutcome, methodOf } from './submission.ts';
import { declines, hookWords, stateWords, statusOf } from './words.ts';

export default defineAdapter<Options>({
  manifest: {
    name: 'crypto',
    title: 'Coin server',
    code: 18,
    contract: '^1.0',
    inputs: ['billing'],
    methods: ['crypto', 'hosted_page'],
    currencies: 'any',
    options: Options,
    declines,
    words: {
      payment: Object.keys({ ...hookWords.payment, ...stateWords.payment }),
      refund: Object.keys(stateWords.refund),
    },
    reconcile: {
      stepsSeconds: [30, 120, 300, 600, 1200, 3600, 7200],
      thenEverySeconds: 21_600,
      // A lost callback is never sent again, and a price holds for up to a day.
      giveUpAfterSeconds: 259_200,
    },
    idempotency: 'A repetition with the same Idempotency-Key, price, unit and coin gets the invoice as it stands.',
    console: ['Nothing to enter: each invoice names {publicUrl}/callbacks/crypto as the address of its callbacks.'],
  },

  methodOf: (_payment, options) => methodOf(options),

  async submit(payment, provider) {
    const { money, reference } = payment;
    if (!fitsCurrency(money)) return nothingCharged(`${money.currency} cannot express the amount`);
    const request = post(provider.options, 'invoices', reference, invoiceMessage(payment, provider));
    return invoiceOutcome(await provider.http.send(request), payment, provider.options);
  },

  async fetchStatus(payment, { http, options }, refund) {
    if (refund === undefined) return readStatus(await http.send(statusRequest(payment, options)), payment, options);
    const { providerReference: invoice } = payment;
    if (invoice === undefined) return noNews('whose refund it is cannot be told before the invoice is known');
    const reply = await http.send(get(options, `refunds/${encodeURIComponent(refund)}`));
    return readRefundStatus(reply, payment, refund, invoice, options);
  },

  async refund({ providerReference: invoice }, refund, { http, options }) {
    const { money, reference } = refund;
    if (invoice === undefined) return nothingCharged('no invoice to give back');
    if (!fitsCurrency(money)) return nothingCharged(`${money.currency} cannot express the amount`);
    const request = post(options, invoicePath(invoice, '/refunds'), reference, refundMessage(refund));
    return refundOutcome(await http.send(request), invoice, refund, options);
  },

  callbacks: [hook],

  mapStatus: statusOf,
});
