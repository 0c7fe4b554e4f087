/** Simulates Provider H: pays, the payer's wallet, returns, and all callbacks. */
import { compareDecimals, isSameMoney, JsonNumber, requestTarget, type CreateSandbox } from '@paywright/contract';
import {
  amountRule,
  choicePage,
  createDeliveries,
  createOnce,
  createRouter,
  faulty,
  jsonReply,
  messagePage,
  newId,
  playScenario,
  refundEnds,
  troubleBefore,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { createNotices, isTaken } from './notices.ts';
import { after, createPays, leftOf, openPay, presentAnswer, presentReturn, type Pay, type Return } from './pays.ts';
import { noPay, PayRequest, readPost, refusal, refuseGet, ReturnRequest } from './requests.ts';
import { actOf, acts, steps, scenarioFor, type Act } from './scenarios.ts';
import { createTrigger, events, causes } from './trigger.ts';

/** The sandbox declines prices from this amount on. */
const LIMIT = '50000';

const trouble = { error: refusal(500, 'not_made'), tooMany: refusal(429, 'slow_down') };

const createSandbox: CreateSandbox<Options> = (setup) => {
  const { options, baseUrl, delayMs } = setup;
  const deliveries = createDeliveries({
    delayMs,
    acknowledged: isTaken,
    repeatAfter: [1, 1, 1],
    onDelivery: setup.onDelivery,
  });
  const notices = createNotices(setup);
  const pays = createPays();
  const isFirst = createOnce();

  const show = (pay: Pay, status = 200): Reply => jsonReply(status, presentAnswer(pay, options.merchantNo));
  const showReturn = (status: number, { payNo }: Pay, made: Return): Reply =>
    jsonReply(status, { pay_no: new JsonNumber(payNo), back: presentReturn(made) });

  /** Plays the consequences of an action of the payer. */
  function play(pay: Pay, act: Act, rule = pay.rule): Promise<void> {
    return playScenario(deliveries, pay, notices.scenario(pay, scenarioFor(pay.phase, act)), rule);
  }

  async function submit(request: SandboxRequest): Promise<Reply> {
    const call = readPost(request, options, PayRequest);
    if ('refused' in call) return call.refused;
    const { gw_ref: ref, payer, ...terms } = call.asked;
    const known = pays.byRef(ref);
    if (known) return known.request === call.canonical ? show(known) : refusal(409, 'ref_reused');
    const pay = openPay({ ref, ...terms, request: call.canonical });
    const refused = troubleBefore(pay.rule, () => isFirst(ref), trouble);
    if (refused) return refused;

    pays.keep(pay);
    const why =
      payer.country === 'KP' ? 'sanctioned' : compareDecimals(pay.want.amount, LIMIT) < 0 ? undefined : 'limit';
    if (why !== undefined) {
      Object.assign(pay, after(pay, { ...steps.bad, why }, pay.at));
      return show(pay, 422);
    }
    // The state before anything is reported.
    const reply = show(pay, 201);
    await play(pay, actOf(pay.rule));
    return faulty(reply, pay.rule);
  }

  function byNumber(request: SandboxRequest, payNo: string): Reply {
    const pay = pays.byNumber(payNo);
    return refuseGet(request, baseUrl, options) ?? (pay ? show(pay) : noPay);
  }

  function byRef(request: SandboxRequest): Reply {
    const pay = pays.byRef(request.queryForm()?.get('gw_ref') ?? '');
    return refuseGet(request, baseUrl, options) ?? (pay ? show(pay) : noPay);
  }

  async function giveBack(request: SandboxRequest, payNo: string): Promise<Reply> {
    const call = readPost(request, options, ReturnRequest);
    if ('refused' in call) return call.refused;
    const { key, sum } = call.asked;
    const pay = pays.byNumber(payNo);
    if (!pay) return noPay;
    const known = pay.returns.get(key);
    if (known) return isSameMoney(known.sum, sum) ? showReturn(200, pay, known) : refusal(409, 'key_reused');
    if (sum.currency !== pay.want.currency || compareDecimals(sum.amount, leftOf(pay)) > 0) {
      return refusal(422, 'too_much');
    }
    const made: Return = { id: newId('rt', 12), sum, state: 'queued' };
    pay.returns.set(key, made);
    const reply = showReturn(202, pay, made);
    const rule = amountRule(sum);
    await deliveries.play(notices.returnScenario(pay, made, refundEnds(rule)), rule);
    return reply;
  }

  function wallet(request: SandboxRequest, payNo: string): Reply {
    const pay = pays.byNumber(payNo);
    if (!pay) return messagePage(404, 'No such payment');
    const act = acts.find((one) => one === request.form()?.get('act'));
    // The adapter does not wait for this answer any more.
    if (request.method === 'POST' && act) void play(pay, act, pay.rule === '.55' ? undefined : pay.rule);
    return choicePage({
      title: 'Wallet',
      text: `${pay.asked} ${pay.coin} to ${pay.address}: ${pay.phase}`,
      action: requestTarget(baseUrl, `/wallet/${payNo}`),
      name: 'act',
      values: acts,
      summary: { money: pay.want, shop: options.merchantNo, reference: pay.ref },
    });
  }

  const handle = createRouter(
    {
      'POST /v2/pays': submit,
      'GET /v2/pays': byRef,
      'GET /v2/pays/:number': byNumber,
      'POST /v2/pays/:number/returns': giveBack,
      'GET /wallet/:number': wallet,
      'POST /wallet/:number': wallet,
    },
    { baseUrl },
  );
  return { handle, close: () => deliveries.close(), events, causes, trigger: createTrigger(setup, pays, notices) };
};

createSandbox.testValues = [
  { member: 'amount', value: '.60', result: 'page: underpaid by 40 %' },
  { member: 'amount', value: '.61', result: 'page: overpaid by a quarter, and paid' },
  { member: 'amount', value: '.62', result: 'page: expired, then paid late' },
  { member: 'amount', value: '.63', result: 'page: never paid' },
  { member: 'country', value: 'KP', result: 'declined 57' },
  { member: 'refund', value: '.58', result: 'failed' },
  { member: 'refund', value: '.59', result: 'reversed: the money comes back after the refund succeeded' },
];

export default createSandbox;
