/** Simulates the UPI switch: payments, the payer's page, status, refunds and all callbacks. */
import { JsonNumber, moneyFromMinor, type CreateSandbox } from '@paywright/contract';
import {
  BoundedMap,
  choicePage,
  createDeliveries,
  createOnce,
  createRouter,
  faulty,
  jsonReply,
  messagePage,
  noAnswer,
  redirectReply,
  troubleBefore,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { createHooks, isTaken } from './hooks.ts';
import { decisions, isUnknown } from './payers.ts';
import { noTransaction, PayRequest, readPost, RefundRequest, refusal, refuseCaller } from './requests.ts';
import { newRefund, paymentScenario, refundScenario, type Refund } from './scenarios.ts';
import { openTransaction, present, ruleOf, type Transaction } from './transactions.ts';
import { createTrigger, events, causes } from './trigger.ts';

const trouble = { error: refusal(500, 'NOT_STARTED'), tooMany: refusal(429, 'BUSY') };
const reused = refusal(409, 'REF_REUSED');

interface Kept<T> {
  /** The members that a repetition must match. */
  readonly values: string;
  readonly made: T;
}

const createSandbox: CreateSandbox<Options> = (setup) => {
  const { options, baseUrl, delayMs } = setup;
  const hooks = createHooks(setup);
  const deliveries = createDeliveries({
    delayMs,
    acknowledged: isTaken,
    repeatAfter: [1, 1, 1],
    onDelivery: setup.onDelivery,
  });
  const byRef = new BoundedMap<string, Kept<Transaction>>();
  const byNumber = new BoundedMap<string, Transaction>();
  const refunds = new BoundedMap<string, Kept<Refund>>();
  const isFirst = createOnce();

  const show = (transaction: Transaction): Reply =>
    jsonReply(200, { ok: true, code: 'TAKEN', data: present(transaction, options.merchantId) });

  async function pay(request: SandboxRequest): Promise<Reply> {
    const asked = readPost(request, baseUrl, options, PayRequest);
    if ('refused' in asked) return asked.refused;
    const { gw_ref, paise, mode, vpa } = asked;
    const values = JSON.stringify([paise, mode, vpa]);
    const known = byRef.get(gw_ref);
    if (known) return known.values === values ? show(known.made) : reused;
    const rule = ruleOf(paise);
    const refused = troubleBefore(rule, () => isFirst(gw_ref), trouble);
    if (refused) return refused;
    if (isUnknown(vpa)) return refusal(422, 'VPA_UNKNOWN');

    const opened = openTransaction(asked, Date.now());
    byRef.set(gw_ref, { values, made: opened });
    byNumber.set(opened.u_txn, opened);
    // The answer as it was before the first report.
    const reply = show(opened);
    await deliveries.play(paymentScenario(opened, opened.behaviour.reports, hooks), rule);
    return opened.behaviour.silent ? noAnswer : faulty(reply, rule);
  }

  function status(request: SandboxRequest, mid: string, ref: string): Reply {
    const found = byRef.get(ref)?.made;
    const refused = refuseCaller(request, '', baseUrl, options);
    return refused ?? (found && mid === options.merchantId ? show(found) : noTransaction);
  }

  async function refund(request: SandboxRequest): Promise<Reply> {
    const asked = readPost(request, baseUrl, options, RefundRequest);
    if ('refused' in asked) return asked.refused;
    const { u_txn, key, paise } = asked;
    const values = JSON.stringify([u_txn, paise]);
    const answer = ({ r_txn, state }: Refund): Reply =>
      jsonReply(200, { ok: true, code: state, data: { r_txn, u_txn, key, paise: new JsonNumber(paise), state } });
    const known = refunds.get(key);
    if (known) return known.values === values ? answer(known.made) : reused;
    const found = byNumber.get(u_txn);
    if (!found) return noTransaction;
    if (found.step.state !== 'COMPLETED') return refusal(422, 'NOT_COMPLETED');
    if (found.asked + BigInt(paise) > BigInt(found.paise)) return refusal(422, 'TOO_MUCH');

    found.asked += BigInt(paise);
    const made = newRefund(paise);
    refunds.set(key, { values, made });
    const reply = answer(made);
    await deliveries.play(refundScenario(found, made, hooks, 1), ruleOf(paise));
    return reply;
  }

  /** The payer's own app as a page. It decides a payment that waits for it, and leads back from any other. */
  async function app(request: SandboxRequest, u_txn: string): Promise<Reply> {
    const found = byNumber.get(u_txn);
    if (!found) return messagePage(404, 'No such payment');
    const result = request.form()?.get('result');
    if (request.method === 'POST' && (result === 'pass' || result === 'fail')) {
      if (found.behaviour.holds && !found.pressed) {
        found.pressed = result;
        await deliveries.play(paymentScenario(found, [decisions[result]], hooks), found.rule);
      }
      return redirectReply(found.ret);
    }
    return choicePage({
      title: 'Pay by UPI',
      text: 'Do you approve this payment?',
      action: new URL(`${baseUrl}/upi/sim/${u_txn}`).pathname,
      name: 'result',
      values: ['pass', 'fail'],
      summary: { money: moneyFromMinor(found.paise, 'INR'), shop: options.merchantId, reference: found.gw_ref },
    });
  }

  const handle = createRouter(
    {
      'POST /upi/v1/pay': pay,
      'GET /upi/v1/status/:mid/:ref': status,
      'POST /upi/v1/refund': refund,
      'GET /upi/sim/:txn': app,
      'POST /upi/sim/:txn': app,
    },
    { baseUrl },
  );
  return { handle, close: () => deliveries.close(), events, causes, trigger: createTrigger(hooks, setup) };
};

createSandbox.testValues = [
  { member: 'upiId', value: 'success@upi', result: 'paid' },
  { member: 'upiId', value: 'u30@upi', result: 'declined U30' },
  { member: 'upiId', value: 'u16@upi', result: 'declined U16' },
  { member: 'upiId', value: 'u66@upi', result: 'declined U66' },
  { member: 'upiId', value: 'u69@upi', result: 'pending, then declined U69' },
  { member: 'upiId', value: 'slowfail@upi', result: 'pending, then declined 51' },
  { member: 'upiId', value: 'slow@upi', result: 'pending, then paid' },
  {
    member: 'upiId',
    value: 'intent@gw',
    result: 'page: a link that opens the payer’s UPI app; paid after the sandbox delay',
  },
  { member: 'upiId', value: 'qr@gw', result: 'page: a QR code; paid after the sandbox delay' },
  { member: 'upiId', value: 'stuck@upi', result: 'pending forever' },
  { member: 'upiId', value: 'deemed@upi', result: 'pending (deemed), then paid' },
  { member: 'upiId', value: 'deemedfail@upi', result: 'pending (deemed), then declined' },
  { member: 'upiId', value: 'expire@upi', result: 'pending, then expired' },
  { member: 'upiId', value: 'cancel@upi', result: 'pending, then cancelled by the payer' },
  { member: 'upiId', value: 'late@upi', result: 'pending, then expired, then paid late' },
  { member: 'upiId', value: 'lost@upi', result: 'pending: charged, but the answer never arrives; then paid' },
  { member: 'upiId', value: 'refund@upi', result: 'paid, refunded in full later' },
  { member: 'upiId', value: 'dispute@upi', result: 'paid, charged back later, and the dispute is lost' },
  { member: 'upiId', value: 'unknown@upi', result: 'declined 05: there is no such payer' },
  { member: 'upiId', value: 'hold@upi', result: 'pending until the page of the sandbox is used' },
  { member: 'refund', value: '.58', result: 'failed' },
  { member: 'refund', value: '.59', result: 'reversed: the money comes back after the refund succeeded' },
];

export default createSandbox;
