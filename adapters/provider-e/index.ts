/**
 * Provider E, a card acquirer with two interfaces: XML orders with basic authentication, and JWS tokens for what came in
 * host-to-host. Protocol: README.md; signed samples: fixtures/vectors.json.
 */
import { defineAdapter, nothingCharged, readMinor, unknown } from '@gateway/contract';
import { Bounds, MAX_DIGITS } from './bounds.ts';
import { takesH2h, tookH2h } from './flow.ts';
import { h2hCallback } from './h2h-callback.ts';
import * as h2h from './h2h-payments.ts';
import { notice } from './notice.ts';
import { Options } from './options.ts';
import { isTranRef } from './transaction.ts';
import { mapStatus, resultDeclines, transactionDeclines, words } from './words.ts';
import * as xml from './xml-orders.ts';

export default defineAdapter<Options>({
  manifest: {
    name: 'provider-e',
    title: 'Provider E',
    code: 14,
    contract: '^1.0',
    inputs: ['card'],
    bounds: Bounds,
    methods: ['card'],
    currencies: 'any',
    options: Options,
    declines: { ...resultDeclines, ...transactionDeclines },
    words,
    reconcile: {
      stepsSeconds: [5, 15, 60, 300, 1800, 7200, 21_600],
      thenEverySeconds: 86_400,
      giveUpAfterSeconds: 604_800,
    },
    idempotency: 'A repetition with the same code, sum and card gets the first order’s result and charges nothing.',
    console: [
      'Notices, Address: {publicUrl}/callbacks/providerE',
      'Host to host, Callback address: {publicUrl}/callbacks/providerEh2h',
    ],
  },

  async submit(payment, provider) {
    const { card, money } = payment;
    const { http, options } = provider;
    if (!card) return nothingCharged('E charges cards only');
    if (readMinor(money, MAX_DIGITS) === undefined) {
      return nothingCharged(`E cannot express the amount in ${money.currency}`);
    }
    if (takesH2h(payment, options)) {
      return h2h.saleOutcome(await http.send(h2h.paymentRequest(payment, card, provider)), payment, provider);
    }
    return xml.orderOutcome(await http.send(xml.orderRequest(payment, card, options)), payment, options);
  },

  async complete(payment, step, provider) {
    const { action, providerReference } = payment;
    const tranRef = providerReference ?? (action?.type === 'confirm' ? action.paymentId : undefined);
    if (step.kind !== 'code' || !isTranRef(tranRef)) return unknown('E waits for a member code and nothing else');
    const reply = await provider.http.send(h2h.confirmRequest(payment, tranRef, step.code, provider));
    // The code may still be tried: that E did not take it now ends nothing.
    return reply.status === 429 ? unknown('E asks to wait') : h2h.saleOutcome(reply, payment, provider);
  },

  async fetchStatus(payment, provider) {
    const { http, options } = provider;
    return tookH2h(payment, options)
      ? h2h.readStatus(await http.send(h2h.statusRequest(payment, provider)), payment, provider)
      : xml.readStatus(await http.send(xml.statusRequest(payment, options)), payment, options);
  },

  async refund(payment, refund, provider) {
    const { http, options } = provider;
    const { currency } = refund.money;
    if (readMinor(refund.money, MAX_DIGITS) === undefined) {
      return nothingCharged(`E cannot express the amount in ${currency}`);
    }
    if (!tookH2h(payment, options)) {
      const reply = await http.send(xml.refundRequest(payment, refund, options));
      return xml.refundOutcome(reply, payment, refund, options);
    }
    const { providerReference: sale } = payment;
    if (!isTranRef(sale)) return nothingCharged('no number of E to give back');
    return h2h.refundOutcome(
      await http.send(h2h.refundRequest(payment, sale, refund, provider)),
      payment,
      sale,
      refund,
      provider,
    );
  },

  callbacks: [notice, h2hCallback],

  mapStatus,
});
