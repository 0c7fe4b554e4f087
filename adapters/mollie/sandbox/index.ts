/** Simulates Mollie: payments and their page, refunds, captures, chargebacks, and the pings. */
import { compareDecimals, type CreateSandbox } from '@paywright/contract';
import {
  BoundedMap,
  choicePage,
  createDeliveries,
  createOnce,
  createRepetitions,
  createRouter,
  faulty,
  jsonReply,
  messagePage,
  redirectReply,
  refundEnds,
  troubleBefore,
  type Message,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import { modeOf, pageMethods, type Options } from '../options.ts';
import {
  failureReasonOf,
  isDuplicate,
  leftOf,
  newChargeback,
  newId,
  newPayment,
  newRefund,
  ruleOf,
  type Capture,
  type Payment,
  type Refund,
} from './books.ts';
import { isTaken, ping } from './pings.ts';
import {
  presentCapture,
  presentList,
  presentMethod,
  presentPayment,
  presentProfile,
  presentRefund,
  PROFILE,
} from './present.ts';
import * as ask from './requests.ts';
import { createTrigger, events, causes } from './trigger.ts';

const { errorReply, noSuchPayment, readPost, refuseCaller, repeated, trouble } = ask;

const createSandbox: CreateSandbox<Options> = (setup) => {
  const { options, baseUrl, delayMs } = setup;
  const deliveries = createDeliveries({
    delayMs,
    acknowledged: isTaken,
    repeatAfter: [1, 1, 1],
    onDelivery: setup.onDelivery,
  });
  const payments = new BoundedMap<string, Payment>();
  const repetitions = createRepetitions();
  const isFirst = createOnce();
  const presenting = { mode: modeOf(options), baseUrl };

  function pay(request: SandboxRequest): Reply | Promise<Reply> {
    const read = readPost(request, options, ask.PaymentRequest);
    if ('refused' in read) return read.refused;
    const { asked, key } = read;
    const make = (): Reply => {
      const rule = ruleOf(asked);
      const refused = troubleBefore(rule, () => isFirst(key), trouble);
      if (refused) return refused;
      const { webhookUrl, method, captureMode } = asked;
      const payment = newPayment({ ...asked, webhookUrl, method, captureMode });
      payments.set(payment.id, payment);
      return faulty(jsonReply(201, presentPayment(payment, presenting)), rule);
    };
    return repetitions.answer(`payment ${key}`, request.body, make, repeated);
  }

  function show(request: SandboxRequest, id: string): Reply {
    const payment = payments.get(id);
    const embed = request.queryForm()?.get('embed')?.split(',') ?? [];
    const refused = refuseCaller(request, options);
    return refused ?? (payment ? jsonReply(200, presentPayment(payment, presenting, embed)) : noSuchPayment);
  }

  function listRefunds(request: SandboxRequest, id: string): Reply {
    const refused = refuseCaller(request, options);
    const payment = payments.get(id);
    if (refused || !payment) return refused ?? noSuchPayment;
    const shown = payment.refunds.map((refund) => presentRefund(refund, id, presenting));
    return jsonReply(200, presentList('refunds', shown, request.path, presenting));
  }

  async function giveBack(request: SandboxRequest, id: string): Promise<Reply> {
    const read = readPost(request, options, ask.RefundRequest);
    if ('refused' in read) return read.refused;
    const { asked, key } = read;
    const payment = payments.get(id);
    if (!payment) return noSuchPayment;
    const make = async (): Promise<Reply> => {
      if (
        asked.amount.currency !== payment.amount.currency ||
        compareDecimals(asked.amount.amount, leftOf(payment)) > 0
      ) {
        return errorReply(422, 'The specified amount cannot be refunded', 'amount');
      }
      if (isDuplicate(payment, asked.amount)) return errorReply(409, 'A duplicate refund has been detected');
      const refund = newRefund(asked);
      payment.refunds.push(refund);
      const reply = jsonReply(201, presentRefund(refund, id, presenting));
      await deliveries.play(refundScenario(payment, refund), ruleOf(refund));
      return reply;
    };
    return repetitions.answer(`refund ${id} ${key}`, request.body, make, repeated);
  }

  async function capture(request: SandboxRequest, id: string): Promise<Reply> {
    const read = readPost(request, options, ask.CaptureRequest);
    if ('refused' in read) return read.refused;
    const { asked, key } = read;
    const payment = payments.get(id);
    if (!payment) return noSuchPayment;
    const make = async (): Promise<Reply> => {
      if (payment.status !== 'authorized') return errorReply(422, 'The payment is not authorized');
      const isMore = compareDecimals(asked.amount.amount, payment.amount.amount) > 0;
      if (isMore || asked.amount.currency !== payment.amount.currency) {
        return errorReply(422, 'The amount is higher than the authorized amount', 'amount');
      }
      const made: Capture = { ...asked, id: newId('cpt_'), createdAt: new Date(), status: 'pending' };
      payment.captures.push(made);
      const reply = jsonReply(201, presentCapture(made, id, presenting));
      const isDone = refundEnds(ruleOf(asked))[0] === 'done';
      const happens = (): void => {
        made.status = isDone ? 'succeeded' : 'failed';
        if (isDone) payment.status = 'paid';
      };
      await deliveries.play([ping(payment, 'captured', 1, happens)]);
      return reply;
    };
    return repetitions.answer(`capture ${id} ${key}`, request.body, make, repeated);
  }

  async function release(request: SandboxRequest, id: string): Promise<Reply> {
    const read = readPost(request, options, ask.ReleaseRequest);
    if ('refused' in read) return read.refused;
    const payment = payments.get(id);
    if (!payment) return noSuchPayment;
    if (payment.status !== 'authorized') {
      return errorReply(422, 'Authorization cannot be released because the payment is not in the authorized state.');
    }
    const happens = (): void => {
      payment.status = 'canceled';
    };
    await deliveries.play([ping(payment, 'canceled', 1, happens)]);
    return { status: 202 };
  }

  /** Mollie cancels an open payment, and answers with it. */
  async function cancel(request: SandboxRequest, id: string): Promise<Reply> {
    const refused = refuseCaller(request, options);
    if (refused) return refused;
    const payment = payments.get(id);
    if (!payment) return noSuchPayment;
    if (payment.status !== 'open') return errorReply(422, 'The payment cannot be canceled');
    payment.status = 'canceled';
    await deliveries.play([ping(payment, 'canceled', 1)]);
    return jsonReply(200, presentPayment(payment, presenting));
  }

  /** Mollie's page in test mode: the payer chooses the result of the payment, and later what happens to it. */
  async function page(request: SandboxRequest, id: string): Promise<Reply> {
    const payment = payments.get(id);
    if (!payment) return messagePage(404, 'No such payment');
    const values = choicesOf(payment);
    const choice = request.method === 'POST' ? request.form()?.get('status') : undefined;
    if (choice !== undefined && values.includes(choice)) {
      await deliveries.play([act(payment, choice)], ruleOf(payment));
      return redirectReply((choice === 'canceled' && payment.cancelUrl) || payment.redirectUrl);
    }
    if (values.length === 0) return messagePage(200, `The payment is ${payment.status}`);
    return choicePage({
      title: 'Mollie',
      text: `The payment is ${payment.status}.`,
      action: new URL(`${baseUrl}/checkout/${id}`).pathname,
      name: 'status',
      values,
      summary: { money: payment.amount, shop: PROFILE, reference: payment.description },
    });
  }

  function methodById(request: SandboxRequest, id: string): Reply {
    const isKnown = pageMethods.some((method) => method === id);
    const refused = refuseCaller(request, options);
    return refused ?? (isKnown ? jsonReply(200, presentMethod(id, presenting)) : errorReply(404, 'No such method'));
  }
  function methods(request: SandboxRequest): Reply {
    const shown = pageMethods.map((id) => presentMethod(id, presenting));
    return refuseCaller(request, options) ?? jsonReply(200, presentList('methods', shown, '/v2/methods', presenting));
  }

  const handle = createRouter(
    {
      'POST /v2/payments': pay,
      'GET /v2/payments/:id': show,
      'DELETE /v2/payments/:id': cancel,
      'POST /v2/payments/:id/refunds': giveBack,
      'GET /v2/payments/:id/refunds': listRefunds,
      'POST /v2/payments/:id/captures': capture,
      'POST /v2/payments/:id/release-authorization': release,
      'GET /v2/profiles/me': (request) => refuseCaller(request, options) ?? jsonReply(200, presentProfile(presenting)),
      'GET /v2/methods': methods,
      'GET /v2/methods/:id': methodById,
      'GET /checkout/:id': page,
      'POST /checkout/:id': page,
    },
    { baseUrl },
  );
  return { handle, close: () => deliveries.close(), events, causes, trigger: createTrigger(setup, payments) };
};

/** The choices on the page, for the payer and later for the tester. */
function choicesOf(payment: Payment): readonly string[] {
  if (payment.status === 'open') {
    const done = payment.captureMode === 'manual' ? 'authorized' : 'paid';
    return [done, 'pending', 'failed', 'canceled', 'expired'];
  }
  if (payment.status === 'pending') return ['paid', 'failed'];
  if (payment.status !== 'paid') return [];
  const isOpen = payment.chargebacks.some(({ reversedAt }) => !reversedAt);
  return [...(leftOf(payment) === '0' ? [] : ['refund', 'chargeback']), ...(isOpen ? ['reverse chargeback'] : [])];
}

/** Changes the payment, and sends a ping about the change. Mollie sends no ping for `pending`. */
function act(payment: Payment, choice: string): Message {
  const left = { ...payment.amount, amount: leftOf(payment) };
  switch (choice) {
    case 'refund':
      payment.refunds.push({
        ...newRefund({ amount: left, description: 'by hand', metadata: {} }),
        status: 'refunded',
      });
      break;
    case 'chargeback':
      payment.chargebacks.push(newChargeback(left));
      break;
    case 'reverse chargeback':
      for (const chargeback of payment.chargebacks) chargeback.reversedAt ??= new Date();
      break;
    default:
      payment.status = choice as Payment['status'];
      if (choice === 'failed') payment.failureReason = failureReasonOf(payment.amount);
  }
  const silent = choice === 'pending' ? { ...payment, webhookUrl: undefined } : payment;
  return ping(silent, choice, 1);
}

/** The refund's own amount decides: `.58` fails, `.59` fails after it was done. */
function refundScenario(payment: Payment, refund: Refund): readonly Message[] {
  return refundEnds(ruleOf(refund)).map((end, at) => {
    const status = end === 'done' ? 'refunded' : 'failed';
    return ping(payment, `refund ${status}`, at + 1, () => {
      refund.status = status;
    });
  });
}

createSandbox.testValues = [
  { member: 'amount', value: '1001', result: 'page: the button “failed” gives invalid_card_number' },
  { member: 'amount', value: '1002', result: 'page: the button “failed” gives invalid_cvv' },
  { member: 'amount', value: '1003', result: 'page: the button “failed” gives invalid_card_holder_name' },
  { member: 'amount', value: '1004', result: 'page: the button “failed” gives card_expired' },
  { member: 'amount', value: '1005', result: 'page: the button “failed” gives invalid_card_type' },
  { member: 'amount', value: '1006', result: 'page: the button “failed” gives refused_by_issuer' },
  { member: 'amount', value: '1007', result: 'page: the button “failed” gives insufficient_funds' },
  { member: 'amount', value: '1008', result: 'page: the button “failed” gives inactive_card' },
  { member: 'amount', value: '1009', result: 'page: the button “failed” gives possible_fraud' },
  { member: 'amount', value: '1010', result: 'page: the button “failed” gives authentication_failed' },
  { member: 'amount', value: '1011', result: 'page: the button “failed” gives card_declined' },
  { member: 'page', value: 'paid', result: 'paid' },
  { member: 'page', value: 'failed', result: 'failed' },
  { member: 'page', value: 'canceled', result: 'cancelled by the payer' },
  { member: 'page', value: 'expired', result: 'expired' },
  { member: 'page', value: 'pending', result: 'pending' },
  { member: 'page', value: 'refund', result: 'refunded, at Mollie' },
  { member: 'page', value: 'chargeback', result: 'charged back' },
  { member: 'refund', value: '.58', result: 'failed' },
  { member: 'refund', value: '.59', result: 'reversed: the money comes back after the refund succeeded' },
];

export default createSandbox;
