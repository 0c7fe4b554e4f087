/**
 * Provider B, a card processor: forms with a SHA-1 control, answers as `key=value` text, results by a GET callback whose
 * check covers only some fields, and by polling. Protocol: README.md; signed samples: fixtures/vectors.json.
 */
import {
  defineAdapter,
  fitsCurrency,
  nothingCharged,
  statusTable,
  unknown,
  type StoredPayment,
} from '@gateway/contract';
import { Bounds } from './bounds.ts';
import { callback } from './callback.ts';
import { confirmOutcome, confirmRequest } from './confirm.ts';
import { Options } from './options.ts';
import { returnOutcome, returnRequest } from './return.ts';
import { declines, saleOutcome, saleRequest } from './sale.ts';
import { readStatus, statusRequest } from './status.ts';
import { words } from './words.ts';

/** B's id of the sale, also where only the action that waits for a member code names it. */
function txnOf({ providerReference, action }: StoredPayment): string | undefined {
  return providerReference ?? (action?.type === 'confirm' ? action.paymentId : undefined);
}

export default defineAdapter<Options>({
  manifest: {
    name: 'provider-b',
    title: 'Provider B',
    code: 12,
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
    reconcile: {
      stepsSeconds: [2, 5, 10, 30, 60, 300, 900],
      thenEverySeconds: 3600,
      giveUpAfterSeconds: 259_200,
    },
    idempotency: 'A repetition with the same gw_ref, total, cur and pan gets the stored answer and charges nothing.',
    console: ['Nothing to enter: each sale names {publicUrl}/callbacks/providerB as its hook.'],
  },

  async submit(payment, provider) {
    const { card, money } = payment;
    if (!card) return nothingCharged('B charges cards only');
    if (!fitsCurrency(money)) return nothingCharged(`B cannot express the amount in ${money.currency}`);
    return saleOutcome(await provider.http.send(saleRequest(payment, card, provider)), payment);
  },

  async complete(payment, step, { http, options }) {
    const txn = txnOf(payment);
    if (step.kind !== 'code' || txn === undefined) return unknown('B waits for a member code and nothing else');
    const reply = await http.send(confirmRequest(options, payment.reference, txn, step.code));
    return confirmOutcome(reply, payment.reference, txn);
  },

  async fetchStatus(payment, provider) {
    const { http, options } = provider;
    const reply = await http.send(statusRequest(options, payment.reference, txnOf(payment) ?? ''));
    return readStatus(reply, payment, provider.now());
  },

  async refund(payment, refund, { http, options }) {
    const txn = txnOf(payment);
    if (txn === undefined) return nothingCharged('no id of B to give back');
    if (!fitsCurrency(refund.money)) return nothingCharged(`B cannot express the amount in ${refund.money.currency}`);
    const reply = await http.send(returnRequest(options, payment.reference, txn, refund));
    return returnOutcome(reply, payment.reference, txn);
  },

  callbacks: [callback],

  mapStatus: statusTable(words),
});
