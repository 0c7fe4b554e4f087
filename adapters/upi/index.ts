/**
 * The UPI switch: collect, intent and QR payments in INR, each message a base64 envelope with a salted hash; a payment
 * may stay pending for minutes, and deemed for a day. Protocol: README.md; signed samples: fixtures/vectors.json.
 */
import { defineAdapter, fitsCurrency, nothingCharged, statusTable } from '@gateway/contract';
import { sealedGet, sealedPost } from './wire.ts';
import { hook } from './hook.ts';
import { Options } from './options.ts';
import { methodOf, payMessage, payOutcome } from './pay.ts';
import { refundMessage, refundOutcome } from './refund.ts';
import { nextFetch, readStatus, reconcile } from './fetch-status.ts';
import { declines, words } from './transaction.ts';

const statusOf = statusTable(words);

export default defineAdapter<Options>({
  manifest: {
    name: 'upi',
    title: 'UPI switch',
    code: 31,
    contract: '^1.0',
    inputs: ['upi'],
    methods: ['upi_collect', 'upi_intent', 'upi_qr'],
    currencies: ['INR'],
    options: Options,
    declines,
    words: {
      payment: Object.keys(words.payment),
      refund: Object.keys(words.refund),
      chargeback: Object.keys(words.chargeback),
    },
    reconcile,
    idempotency: 'A repetition with the same reference and values gets the transaction as it stands.',
    console: ['Nothing to enter: each payment names {publicUrl}/callbacks/upi as the address of its callbacks.'],
  },

  methodOf: ({ upiId }) => methodOf(upiId),

  async submit(payment, provider) {
    const { upiId, money } = payment;
    if (upiId === undefined) return nothingCharged('the switch takes UPI ids only');
    if (money.currency !== 'INR' || !fitsCurrency(money)) return nothingCharged('the switch takes whole paise of INR');
    const message = payMessage(payment, upiId, provider);
    const reply = await provider.http.send(sealedPost(provider, '/upi/v1/pay', message));
    return payOutcome(reply, payment, provider.options);
  },

  async fetchStatus(payment, provider) {
    const { options, http } = provider;
    const path = `/upi/v1/status/${options.merchantId}/${encodeURIComponent(payment.reference)}`;
    return readStatus(await http.send(sealedGet(provider, path)), payment, options);
  },

  async refund({ providerReference: transaction }, refund, provider) {
    if (transaction === undefined) return nothingCharged('no transaction of the switch to refund');
    if (!fitsCurrency(refund.money)) return nothingCharged('the switch takes whole paise of INR');
    const message = refundMessage(transaction, refund, provider);
    const reply = await provider.http.send(sealedPost(provider, '/upi/v1/refund', message));
    return refundOutcome(reply, transaction, refund);
  },

  callbacks: [hook],

  mapStatus(event) {
    const status = statusOf(event);
    return status === 'succeeded' && event.kind === 'payment' && event.facts?.['late'] === true ? 'late' : status;
  },

  nextFetch,
});
