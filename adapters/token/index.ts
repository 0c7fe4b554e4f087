/**
 * The token vault: charges a saved card by its token, 3D Secure by redirect, one callback route for charges, refunds,
 * disputes and the life of tokens, whose acknowledgement is signed. Protocol: README.md; samples: fixtures/vectors.json.
 */
import {
  defineAdapter,
  fitsCurrency,
  JsonNumber,
  nothingCharged,
  statusTable,
  toMinor,
  unknown,
} from '@gateway/contract';
import { chargeBody, chargeOutcome, declines, errorOutcome, post } from './charge.ts';
import { hook } from './hook.ts';
import { hookWords } from './message.ts';
import { Options } from './options.ts';
import { refundOutcome } from './refund.ts';
import { readStatus, statusRequest, statusWords } from './status.ts';

const words = { ...hookWords, payment: { ...hookWords.payment, ...statusWords.payment } };
const [told, shown, either] = [statusTable(hookWords), statusTable(statusWords), statusTable(words)];

export default defineAdapter<Options>({
  manifest: {
    name: 'token',
    title: 'Token vault',
    code: 51,
    contract: '^1.0',
    inputs: ['token'],
    methods: ['card_token'],
    currencies: 'any',
    options: Options,
    declines,
    words: {
      payment: Object.keys(words.payment),
      refund: Object.keys(words.refund),
      chargeback: Object.keys(words.chargeback),
      token: Object.keys(words.token),
    },
    reconcile: {
      stepsSeconds: [5, 15, 60, 300, 1800, 7200, 21_600],
      thenEverySeconds: 86_400,
      giveUpAfterSeconds: 604_800,
    },
    idempotency: 'A repetition with the same Idempotency-Key and values gets the charge as it stands.',
    console: [
      'Hooks, Address: {publicUrl}/callbacks/token, written exactly as in the option callbackUrl',
      'Nothing to enter for 3D Secure: each charge names the payer’s way back.',
    ],
    threeDs: true,
  },

  async submit(payment, provider) {
    const { token, money, reference } = payment;
    const { options, http } = provider;
    if (token === undefined) return nothingCharged('the vault charges tokens only');
    if (!fitsCurrency(money)) return nothingCharged(`${money.currency} cannot express the amount`);
    const reply = await http.send(post(options, '/v1/charges', chargeBody(payment, token, provider), reference));
    return [200, 201, 402].includes(reply.status) ? chargeOutcome(reply, payment, options) : errorOutcome(reply);
  },

  async complete(payment, _step, { http, options }) {
    const { action, providerReference } = payment;
    const id = providerReference ?? (action?.type === 'redirect' ? action.transactionId : undefined);
    if (id === undefined) return unknown('no charge id of the vault to resume');
    const path = `/v1/charges/${encodeURIComponent(id)}/resume`;
    const reply = await http.send(post(options, path, { mid: options.merchantId }));
    // Whatever else it answers, the charge still ends by itself.
    return [200, 402].includes(reply.status)
      ? chargeOutcome(reply, payment, options, id)
      : unknown(`the vault answered ${reply.status}`);
  },

  async fetchStatus(payment, { http, options }) {
    return readStatus(await http.send(statusRequest(payment, options)), payment, options);
  },

  async refund({ providerReference: id }, refund, { http, options }) {
    const { money, reference } = refund;
    if (id === undefined) return nothingCharged('no charge id of the vault to refund');
    if (!fitsCurrency(money)) return nothingCharged(`${money.currency} cannot express the amount`);
    const body = { mid: options.merchantId, minor: new JsonNumber(toMinor(money)), cur: money.currency };
    const path = `/v1/charges/${encodeURIComponent(id)}/refunds`;
    return refundOutcome(await http.send(post(options, path, body, reference)), id, refund);
  },

  callbacks: [hook],

  mapStatus(event) {
    const { from, agrees } = event.facts ?? {};
    // An event called succeeded whose charge failed is nobody's success.
    if (agrees === false) return 'unknown';
    return (from === 'hook' ? told : from === 'status' ? shown : either)(event);
  },
});
