/** Simulates Provider E: both interfaces with one ledger of payments, and all callbacks. */
import {
  compareDecimals,
  fromMinor,
  isActiveCurrency,
  trimDecimal,
  type CreateSandbox,
  type Money,
} from '@paywright/contract';
import {
  amountRule,
  BoundedMap,
  createDeliveries,
  createOnce,
  createRepetitions,
  createRouter,
  faulty,
  troubleBefore,
  type RepeatedAnswers,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { createNotify } from './callbacks.ts';
import {
  ConfirmClaims,
  errorReply,
  PaymentClaims,
  readRequest,
  RefundClaims,
  StatusRequestClaims,
} from './h2h-side.ts';
import { leftOf, openPayment, type Opening, type Payment, type Way } from './payments.ts';
import { decide, giveBack, refuseCode, scenarioFor } from './scenarios.ts';
import type { ReplyFormat } from './reply-format.ts';
import { createTrigger, events, causes } from './trigger.ts';
import { createXmlReplyFormat, isKnown, readOrderRequest, RefundRequest, SubmitRequest } from './xml-side.ts';

/** The code that the payer receives for the card that requires one. */
const MEMBER_CODE = '246810';

/** Minimum wait before a repetition, even with a short sandbox delay. */
const MIN_REPEAT_MS = 50;

const createSandbox: CreateSandbox<Options> = (setup) => {
  const { options, baseUrl, delayMs } = setup;
  const notify = createNotify(setup);
  const deliveries = createDeliveries({
    delayMs,
    acknowledged: () => false, // Each message carries the acknowledgement of its route.
    repeatAfter: [1, 2, 4, 8],
    minRepeatMs: MIN_REPEAT_MS,
    onDelivery: setup.onDelivery,
  });
  const payments = new BoundedMap<string, Payment>();
  const repetitions = createRepetitions();
  const isFirst = createOnce();
  const xml = createXmlReplyFormat(options);
  let numbers = 0;

  /**
   * Numbers beyond 2^53, so that tests notice a reader that converts them to a double. XML numbers have letters and a
   * leading zero.
   */
  function newNumber(way: Way): string {
    numbers = (numbers + 1) % 100_000;
    const number = `${Date.now()}${String(numbers).padStart(5, '0')}`;
    return way === 'xml' ? `E0${number}` : number;
  }

  function find(way: Way, reference: string): Payment | undefined {
    const payment = payments.get(reference);
    return payment?.way === way ? payment : undefined;
  }

  function reported(replyFormat: ReplyFormat, again: (stored: Reply) => Reply = (stored) => stored): RepeatedAnswers {
    const [busy, differs] = [replyFormat.fault('IN_WORK'), replyFormat.fault('CODE_REUSED')];
    return { again, busy, differs, keep: ({ status }) => status === 200 };
  }

  /** Starts the reports about the payment, and returns the answer in the state before any report. */
  async function settle(payment: Payment, replyFormat: ReplyFormat): Promise<Reply> {
    const reply = replyFormat.payment(payment);
    await deliveries.play(
      scenarioFor(payment, () => newNumber(payment.way), notify),
      payment.rule,
    );
    return reply;
  }

  async function pay(opening: Opening, replyFormat: ReplyFormat): Promise<Reply> {
    const { way, reference, money, pan } = opening;
    if (!isActiveCurrency(money.currency)) return replyFormat.fault('NOT_POSSIBLE');
    const values = `${way} ${trimDecimal(money.amount)} ${money.currency} ${pan}`;
    const again = (stored: Reply): Reply => {
      const known = find(way, reference);
      return known ? replyFormat.payment(known, true) : stored;
    };
    const once = async (): Promise<Reply> => {
      const payment = openPayment(opening, newNumber(way));
      const trouble = { error: replyFormat.fault('INTERNAL'), tooMany: replyFormat.fault('TOO_MANY') };
      const refused = troubleBefore(payment.rule, () => isFirst(reference), trouble);
      if (refused) return refused;
      payments.set(reference, payment);
      decide(payment);
      return faulty(await settle(payment, replyFormat), payment.rule, payment.card);
    };
    return repetitions.answer(`pay ${reference}`, values, once, reported(replyFormat, again));
  }

  async function refund(
    payment: Payment | undefined,
    name: string,
    money: Money,
    replyFormat: ReplyFormat,
  ): Promise<Reply> {
    if (!payment) return replyFormat.fault('NO_ORDER');
    const values = `${payment.reference} ${trimDecimal(money.amount)} ${money.currency}`;
    const once = async (): Promise<Reply> => {
      const isTooMuch = compareDecimals(money.amount, leftOf(payment)) > 0;
      if (isTooMuch || money.currency !== payment.money.currency) return replyFormat.fault('NOT_POSSIBLE');
      const [sent, message] = giveBack(payment, money, newNumber(payment.way), notify);
      const reply = replyFormat.refund(payment, sent);
      await deliveries.play([message], amountRule(money));
      return reply;
    };
    return repetitions.answer(`refund ${payment.reference} ${name}`, values, once, reported(replyFormat));
  }

  async function submitOrder(request: SandboxRequest): Promise<Reply> {
    const read = readOrderRequest(request, options, 'submit', SubmitRequest);
    if ('fault' in read) return xml.fault(read.fault);
    const { code, capture, sum, card } = read.order;
    const money = { amount: fromMinor(sum.value, sum.cur), currency: sum.cur };
    return pay({ way: 'xml', reference: code, money, pan: card.number, delayHours: Number(capture) }, xml);
  }

  function showOrder(request: SandboxRequest, code: string): Reply {
    if (!isKnown(request, options)) return xml.fault('ACCESS');
    const account = request.queryForm()?.get('acct');
    if (account !== options.account) return xml.fault(account === undefined ? 'BAD_REQUEST' : 'ACCESS');
    const payment = find('xml', code);
    return payment ? xml.history(payment) : xml.fault('NO_ORDER');
  }

  async function refundOrder(request: SandboxRequest, path: string): Promise<Reply> {
    const read = readOrderRequest(request, options, 'refund', RefundRequest);
    if ('fault' in read) return xml.fault(read.fault);
    const { code, refund: name, sum } = read.order;
    if (code !== path) return xml.fault('BAD_REQUEST');
    return refund(find('xml', code), name, { amount: fromMinor(sum.value, sum.cur), currency: sum.cur }, xml);
  }

  async function payH2h(request: SandboxRequest): Promise<Reply> {
    const read = readRequest(request, options, PaymentClaims);
    if ('fault' in read) return errorReply(read.fault);
    const { inv, sum, cur, card, delay } = read.claims;
    const money = { amount: sum, currency: cur };
    return pay({ way: 'h2h', reference: inv, money, pan: card.no, delayHours: delay }, read.replyFormat);
  }

  async function confirm(request: SandboxRequest): Promise<Reply> {
    const read = readRequest(request, options, ConfirmClaims);
    if ('fault' in read) return errorReply(read.fault);
    const { inv, tranRef, code } = read.claims;
    const payment = find('h2h', inv);
    if (payment?.number !== tranRef) return errorReply('NO_ORDER');
    if (!payment.awaitsCode) return read.replyFormat.payment(payment);
    payment.awaitsCode = false;
    if (code === MEMBER_CODE) decide(payment);
    else refuseCode(payment);
    return settle(payment, read.replyFormat);
  }

  function showStatus(request: SandboxRequest): Reply {
    const read = readRequest(request, options, StatusRequestClaims);
    if ('fault' in read) return errorReply(read.fault);
    const payment = find('h2h', read.claims.inv);
    return payment ? read.replyFormat.history(payment) : errorReply('NO_ORDER');
  }

  async function refundH2h(request: SandboxRequest): Promise<Reply> {
    const read = readRequest(request, options, RefundClaims);
    if ('fault' in read) return errorReply(read.fault);
    const { inv, tranRef, refund: name, sum, cur } = read.claims;
    const payment = find('h2h', inv);
    const isNamed = payment?.number === tranRef;
    return refund(isNamed ? payment : undefined, name, { amount: sum, currency: cur }, read.replyFormat);
  }

  const handle = createRouter(
    {
      'POST /orders': submitOrder,
      'GET /orders/:code': showOrder,
      'POST /orders/:code/refunds': refundOrder,
      'POST /h2h/payments': payH2h,
      'POST /h2h/confirm': confirm,
      'POST /h2h/status': showStatus,
      'POST /h2h/refund': refundH2h,
    },
    { baseUrl },
  );
  return {
    handle,
    close: () => deliveries.close(),
    events,
    causes,
    trigger: createTrigger(payments, newNumber, notify),
  };
};

createSandbox.testValues = [
  { member: 'number', value: '4000000000003246', result: 'page: asks for the member code 246810' },
];

export default createSandbox;
