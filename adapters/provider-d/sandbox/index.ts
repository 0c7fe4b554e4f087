/** Simulates provider D: orders, the page on which the payer types a card, status, refunds and all callbacks. */
import { moneyFromMinor, type CreateSandbox, type Money } from '@paywright/contract';
import {
  amountRule,
  BoundedMap,
  cardBehaviour,
  choicePage,
  createDeliveries,
  createOnce,
  createRouter,
  cut,
  isCardNumber,
  jsonReply,
  messagePage,
  noAnswer,
  redirectReply,
  sendOnDemand,
  troubleBefore,
  type AmountRule,
  type Message,
  type PageSummary,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { currencyByNumeric } from '../order.ts';
import { routePath } from '../submit.ts';
import { cancel, expire, giveBack, isOpen, leftOf, pay, type Order, type Report } from './orders.ts';
import { errorReply, OrderRequest, readCall, RefundRequest, StateRequest } from './requests.ts';
import { createMessages, triggers, causes } from './messages.ts';

const PAGE_LIFE_MS = 30 * 60_000;
const APPROVED_CARD = '4111111111111111';

const trouble = { error: errorReply(500, 'not_started'), tooMany: errorReply(429, 'slow_down') };
const orderTaken = errorReply(409, 'order_taken');
const noSuchOrder = errorReply(404, 'no_such_order');

interface Refund {
  readonly order: Order;
  readonly sum: string;
  report: Report;
}

const createSandbox: CreateSandbox<Options> = (setup) => {
  const { options, baseUrl, publicUrl, delayMs } = setup;
  const messages = createMessages(options);
  const { notify } = messages;
  const deliveries = createDeliveries({
    delayMs,
    acknowledged: ({ status }) => status === 200,
    repeatAfter: [1, 2, 4, 8],
    onDelivery: setup.onDelivery,
  });
  const byReference = new BoundedMap<string, Order>();
  const byId = new BoundedMap<string, Order>();
  const refunds = new BoundedMap<string, Refund>();
  const isFirst = createOnce();

  let count = 0;
  /** 20 digits: beyond 2^53, and beyond 64 bits. */
  const newId = (): string => `81${Date.now()}${String(count++ % 100_000).padStart(5, '0')}`;

  /** The current state of an order. An abandoned page has ended. */
  async function current(order: Order | undefined): Promise<Order | undefined> {
    if (order && isOpen(order) && order.until.getTime() < Date.now()) await play(order, expire(order, notify));
    return order;
  }

  const play = (order: Order, scenario: readonly Message[]): Promise<void> => deliveries.play(scenario, order.rule);
  const pageUrl = ({ id }: Order): string => `${baseUrl}/d/page/${id}`;

  function answer(order: Order, more: Readonly<Record<string, string>> = {}): Reply {
    const until = order.until.toISOString().replace(/\.\d+/, '');
    const page: Readonly<Record<string, string>> = isOpen(order) ? { D_Page: pageUrl(order), D_Until: until } : {};
    return jsonReply(200, messages.triple(order, order.report, { ...page, ...more }));
  }

  async function order(request: SandboxRequest): Promise<Reply> {
    const call = readCall(request, options, OrderRequest);
    if ('refused' in call) return call.refused;
    const { D_Order: reference, D_Sum: sum, D_Cur: cur, D_Notify: notifyUrl, D_Return: back } = call.asked;
    const known = await current(byReference.get(reference));
    if (known) return known.sum === sum && known.cur === cur ? answer(known) : orderTaken;
    if (currencyByNumeric.get(cur) === undefined) return errorReply(422, 'not_payable');
    const rule = ruleOf(sum, cur);
    const refused = troubleBefore(rule, () => isFirst(reference), trouble);
    if (refused) return refused;
    const id = newId();
    const opened: Order = {
      id,
      reference,
      sum,
      cur,
      rule,
      notify: notifyUrl,
      back,
      until: new Date(Date.now() + PAGE_LIFE_MS),
      report: { D_Op: '0', D_Id: id, D_Sum: sum, D_Code: '8000' },
      asked: 0n,
      returned: 0n,
      dispute: 'none',
    };
    byReference.set(reference, opened);
    byId.set(id, opened);
    const reply = answer(opened);
    if (rule === '.53' || rule === '.55') await play(opened, pay(opened, APPROVED_CARD, notify, newId));
    return rule === '.53' ? cut(reply) : reply;
  }

  async function state(request: SandboxRequest): Promise<Reply> {
    const call = readCall(request, options, StateRequest);
    if ('refused' in call) return call.refused;
    const found = await current(byReference.get(call.asked.D_Order));
    return found ? answer(found, { D_Back: String(found.returned), D_Case: found.dispute }) : noSuchOrder;
  }

  async function end(request: SandboxRequest): Promise<Reply> {
    const call = readCall(request, options, StateRequest);
    if ('refused' in call) return call.refused;
    const found = await current(byReference.get(call.asked.D_Order));
    if (!found) return noSuchOrder;
    if (isOpen(found)) await play(found, cancel(found, notify));
    return answer(found);
  }

  async function refund(request: SandboxRequest): Promise<Reply> {
    const call = readCall(request, options, RefundRequest);
    if ('refused' in call) return call.refused;
    const { D_Order: reference, D_Refund: name, D_Sum: sum, D_Cur: cur } = call.asked;
    const found = byReference.get(reference);
    if (!found) return noSuchOrder;
    if (found.cur !== cur) return errorReply(400, 'bad_member');
    const known = refunds.get(name);
    if (known) {
      const isSame = known.order === found && known.sum === sum;
      return isSame ? jsonReply(200, messages.triple(found, known.report)) : orderTaken;
    }
    if (BigInt(sum) > leftOf(found)) return errorReply(422, 'too_much');
    const [id, rule] = [newId(), ruleOf(sum, cur)];
    const [isRefused, isLater] = [rule === '.59', rule === '.58'];
    const report = (D_Code: string): Report => ({ D_Op: '3', D_Id: id, D_Sum: sum, D_Code });
    const final = report(isRefused ? '0190' : '0900');
    const made: Refund = { order: found, sum, report: isLater ? report('9997') : final };
    const settle = (): void => {
      made.report = final;
      if (!isRefused) giveBack(found, sum);
    };
    refunds.set(name, made);
    if (!isRefused) found.asked += BigInt(sum);
    if (!isLater) settle();
    const reply = jsonReply(200, messages.triple(found, made.report));
    await deliveries.play([notify(found, final, 1, isLater ? settle : undefined)], rule);
    return reply;
  }

  function summaryOf(found: Order): PageSummary {
    const money = moneyOf(found);
    return { ...(money && { money }), shop: options.shop, reference: found.reference };
  }

  const typingPage = (found: Order, text: string): Reply =>
    choicePage({
      title: 'Payment',
      text,
      action: new URL(pageUrl(found)).pathname,
      name: 'choice',
      values: ['pay', 'cancel'],
      inputs: { pan: APPROVED_CARD },
      labels: { pan: 'Card number' },
      summary: summaryOf(found),
    });

  const challengePage = (found: Order): Reply =>
    choicePage({
      title: '3D Secure',
      text: 'Approve this payment?',
      action: new URL(pageUrl(found)).pathname,
      name: 'choice',
      values: ['pass', 'fail'],
      summary: summaryOf(found),
    });

  async function page(request: SandboxRequest, id: string): Promise<Reply> {
    const found = await current(byId.get(id));
    if (!found) return messagePage(404, 'No such page');
    const back = (): Reply => redirectReply(messages.backTo(found));
    const finish = async (pan: string, passed = true): Promise<Reply> => {
      await play(found, pay(found, pan, notify, newId, passed));
      return cardBehaviour(pan).kind === 'silent' ? noAnswer : back();
    };
    if (!isOpen(found)) return back();

    const form = request.method === 'POST' ? request.form() : undefined;
    const [choice, pan] = [form?.get('choice'), form?.get('pan') ?? APPROVED_CARD];
    if (choice === 'cancel') {
      await play(found, cancel(found, notify));
      return back();
    }
    if (found.challenged !== undefined) {
      return choice === 'pass' || choice === 'fail'
        ? finish(found.challenged, choice === 'pass')
        : challengePage(found);
    }
    if (choice !== 'pay') return typingPage(found, 'Type a card number.');
    if (!isCardNumber(pan)) return typingPage(found, 'That is no card number.');
    if (cardBehaviour(pan).kind !== 'challenge') return finish(pan);
    found.challenged = pan;
    return challengePage(found);
  }

  const handle = createRouter(
    {
      'POST /d/orders': order,
      'POST /d/orders/state': state,
      'POST /d/orders/close': end,
      'POST /d/refunds': refund,
      'GET /d/page/:id': page,
      'POST /d/page/:id': page,
    },
    { baseUrl },
  );
  return {
    events: triggers,
    causes,
    trigger: async (trigger) =>
      sendOnDemand(messages.onDemand(trigger, `${publicUrl}/callbacks/${routePath}`, newId), trigger),
    handle,
    close: () => deliveries.close(),
  };
};

/** Undefined in a currency that D does not have. */
function moneyOf({ sum, cur }: Pick<Order, 'sum' | 'cur'>): Money | undefined {
  const currency = currencyByNumeric.get(cur);
  return currency === undefined ? undefined : moneyFromMinor(sum, currency);
}

/** The rule of an amount in minor units. Undefined in a currency that D does not have. */
function ruleOf(sum: string, cur: string): AmountRule | undefined {
  const money = moneyOf({ sum, cur });
  return money && amountRule(money);
}

createSandbox.testValues = [
  { member: 'page', value: 'pay', result: 'paid, by the card that is typed there' },
  { member: 'page', value: 'cancel', result: 'cancelled by the payer' },
  { member: 'refund', value: '.58', result: 'succeeded: pending first' },
  { member: 'refund', value: '.59', result: 'refused' },
];

export default createSandbox;
