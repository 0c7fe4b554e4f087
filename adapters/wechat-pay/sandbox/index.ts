/** Simulates WeChat Pay: orders by code and by H5, their status, refunds, certificates, and the notifications. */
import { moneyFromMinor, readAs, readJsonObject, v, writeForm, type CreateSandbox } from '@paywright/contract';
import {
  BoundedMap,
  choicePage,
  createDeliveries,
  createOnce,
  createRouter,
  faulty,
  messagePage,
  redirectReply,
  troubleBefore,
  type Message,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { createMessages } from './messages.ts';
import {
  newRefundId,
  openOrder,
  payOrder,
  presentOrder,
  presentRefund,
  presentRefundNews,
  ruleOf,
  type Order,
  type Refund,
} from './orders.ts';
import { AskedClose, AskedOrder, AskedRefund } from './requests.ts';
import { createTrigger, events, causes } from './trigger.ts';

const createSandbox: CreateSandbox<Options> = (setup) => {
  const { options, baseUrl, delayMs } = setup;
  const messages = createMessages(setup);
  const { answer, error } = messages;
  const base = new URL(baseUrl).pathname.replace(/\/$/, '');
  const deliveries = createDeliveries({
    delayMs,
    acknowledged: ({ status }) => status === 200 || status === 204,
    repeatAfter: [1, 2, 4, 8],
    minRepeatMs: 50,
    onDelivery: setup.onDelivery,
  });
  const orders = new BoundedMap<string, Order>();
  const byId = new BoundedMap<string, Order>();
  const refunds = new BoundedMap<string, Refund>();
  const isFirst = createOnce();
  const wrong = (what: string): Reply => error(400, 'PARAM_ERROR', what);
  const trouble = {
    error: error(500, 'SYSTEM_ERROR', 'try again'),
    tooMany: error(429, 'FREQUENCY_LIMITED', 'too often'),
  };

  /** Reads a POST that the gateway signed, or returns the error answer. */
  function read<S extends v.GenericSchema>(
    request: SandboxRequest,
    schema: S,
  ): { readonly refused: Reply } | { readonly asked: v.InferOutput<S>; readonly body: string } {
    const refused = messages.refuse(request);
    if (refused) return { refused };
    const asked = readAs(schema, readJsonObject(request.body));
    return asked === undefined ? { refused: wrong('the body') } : { asked, body: request.body.toString() };
  }

  function paidMessage(order: Order): Message {
    return messages.notification('TRANSACTION.SUCCESS', order.notifyUrl, 1, () => {
      payOrder(order);
      return order.state === 'SUCCESS' ? presentOrder(options, order) : undefined;
    });
  }

  function howToPay({ product, id }: Order): Reply {
    if (product === 'native') return answer(200, { code_url: `weixin://wxpay/bizpayurl?pr=${id}` });
    return answer(200, { h5_url: `${baseUrl}/h5/${id}?package=1` });
  }

  async function open(product: 'native' | 'h5', request: SandboxRequest): Promise<Reply> {
    const given = read(request, AskedOrder);
    if ('refused' in given) return given.refused;
    const { asked, body } = given;
    if (asked.mchid !== options.mchid) return error(400, 'MCH_NOT_EXISTS', 'mchid');
    if (asked.appid !== options.appid) return error(400, 'APPID_MCHID_NOT_MATCH', 'appid');
    if (product === 'h5' && !asked.scene_info) return wrong('scene_info');
    const known = orders.get(asked.out_trade_no);
    if (known) {
      const isSame = known.product === product && known.body === body && known.state !== 'CLOSED';
      if (!isSame) return error(403, 'OUT_TRADE_NO_USED', 'out_trade_no');
      await show(known);
      return howToPay(known);
    }
    const refused = troubleBefore(ruleOf(asked.amount.total), () => isFirst(asked.out_trade_no), trouble);
    if (refused) return refused;
    const order = openOrder(product, asked, body);
    orders.set(order.reference, order);
    byId.set(order.id, order);
    if (order.rule !== '.53') await show(order);
    return faulty(howToPay(order), order.rule);
  }

  /** No real app can pay a code of the sandbox. An invisible payer pays it, after the code was sent completely. */
  async function show(order: Order): Promise<void> {
    if (order.product !== 'native' || order.rule === '.63' || order.isShown) return;
    order.isShown = true;
    await deliveries.play([paidMessage(order)], order.rule);
  }

  function status(request: SandboxRequest, reference: string): Reply {
    const refused = messages.refuse(request);
    if (refused) return refused;
    if (request.queryForm()?.get('mchid') !== options.mchid) return wrong('mchid');
    const order = orders.get(reference);
    return order ? answer(200, presentOrder(options, order)) : error(404, 'ORDER_NOT_EXIST', 'no such order');
  }

  function close(request: SandboxRequest, reference: string): Reply {
    const given = read(request, AskedClose);
    if ('refused' in given) return given.refused;
    const order = orders.get(reference);
    if (!order) return error(404, 'ORDER_NOT_EXIST', 'no such order');
    if (order.state === 'CLOSED') return error(400, 'ORDER_CLOSED', 'closed already');
    if (order.state !== 'NOTPAY') return error(403, 'TRADE_ERROR', 'paid already');
    order.state = 'CLOSED';
    return answer(204);
  }

  async function refund(request: SandboxRequest): Promise<Reply> {
    const given = read(request, AskedRefund);
    if ('refused' in given) return given.refused;
    const { asked, body } = given;
    const order = orders.get(asked.out_trade_no);
    if (!order) return error(404, 'RESOURCE_NOT_EXISTS', 'no such order');
    const known = refunds.get(asked.out_refund_no);
    if (known) {
      const isSame = known.body === body;
      return isSame
        ? answer(200, presentRefund(known, order))
        : error(400, 'INVALID_REQUEST', 'out_refund_no was used');
    }
    const sum = BigInt(asked.amount.refund);
    const isPaid = order.state === 'SUCCESS' || order.state === 'REFUND';
    if (!isPaid || asked.amount.total !== order.total)
      return error(400, 'INVALID_REQUEST', 'not paid, or another total');
    if (order.refunded + sum > BigInt(order.total)) return error(400, 'INVALID_REQUEST', 'more than is left');
    order.refunded += sum;
    const opened: Refund = { id: newRefundId(), asked, body, createdAt: Date.now(), status: 'PROCESSING' };
    refunds.set(asked.out_refund_no, opened);
    const reply = answer(200, presentRefund(opened, order));
    await deliveries.play(refundNews(order, opened), ruleOf(asked.amount.refund));
    return reply;
  }

  /** The sum of a refund decides its end: `.58` is closed, `.59` is abnormal and then succeeds, any other succeeds. */
  function refundNews(order: Order, opened: Refund): Message[] {
    const { out_refund_no: name, amount, notify_url } = opened.asked;
    const rule = ruleOf(amount.refund);
    const ends = rule === '.58' ? ['CLOSED'] : rule === '.59' ? ['ABNORMAL', 'SUCCESS'] : ['SUCCESS'];
    return ends.map((end, at) =>
      messages.notification(`REFUND.${end}`, notify_url, at + 1, () => {
        opened.status = end;
        if (end === 'SUCCESS') order.state = 'REFUND';
        if (end === 'CLOSED') order.refunded -= BigInt(amount.refund);
        return presentRefundNews(options, order, { id: opened.id, name, amount: amount.refund, status: end });
      }),
    );
  }

  function refundStatus(request: SandboxRequest, name: string): Reply {
    const refused = messages.refuse(request);
    if (refused) return refused;
    const known = refunds.get(name);
    if (!known) return error(404, 'RESOURCE_NOT_EXISTS', 'no such refund');
    return answer(200, presentRefund(known, orders.get(known.asked.out_trade_no)!));
  }

  /** WeChat's page for the browser of a phone. It also pays an order whose code no payer scans. */
  async function page(request: SandboxRequest, id: string): Promise<Reply> {
    const order = byId.get(id);
    if (!order) return messagePage(404, 'No such order');
    const choice = request.form()?.get('choice');
    const back = request.queryForm()?.get('redirect_url');
    if (request.method === 'POST' && (choice === 'pay' || choice === 'leave')) {
      const isOpen = order.state === 'NOTPAY' && Date.now() < order.expiresAt.getTime();
      if (choice === 'pay' && isOpen) {
        payOrder(order);
        await deliveries.play([paidMessage(order)], order.rule);
      }
      return back === undefined ? messagePage(200, 'You may close this page') : redirectReply(back);
    }
    return choicePage({
      title: 'WeChat Pay',
      action: base + request.path + (back === undefined ? '' : `?${writeForm({ redirect_url: back })}`),
      name: 'choice',
      values: ['pay', 'leave'],
      summary: { money: moneyFromMinor(order.total, 'CNY'), shop: options.mchid, reference: order.reference },
    });
  }

  const handle = createRouter(
    {
      'POST /v3/pay/transactions/native': (request) => open('native', request),
      'POST /v3/pay/transactions/h5': (request) => open('h5', request),
      'GET /v3/pay/transactions/out-trade-no/:reference': status,
      'POST /v3/pay/transactions/out-trade-no/:reference/close': close,
      'POST /v3/refund/domestic/refunds': refund,
      'GET /v3/refund/domestic/refunds/:name': refundStatus,
      'GET /v3/certificates': (request) => messages.refuse(request) ?? messages.certificates(),
      'GET /h5/:id': page,
      'POST /h5/:id': page,
      'GET /scan/:id': page,
      'POST /scan/:id': page,
    },
    { baseUrl },
  );
  return { handle, close: () => deliveries.close(), events, causes, trigger: createTrigger(setup, orders, messages) };
};

export { signAnswer, signCallback } from './signers.ts';

createSandbox.testValues = [
  { member: 'amount', value: '.63', result: 'page: paid only when the sandbox’s page of the code is visited' },
  { member: 'page', value: 'pay', result: 'paid' },
  { member: 'page', value: 'leave', result: 'the payer leaves, and the order stays open' },
  { member: 'refund', value: '.58', result: 'failed' },
  { member: 'refund', value: '.59', result: 'succeeded: it needs the merchant first' },
];

export default createSandbox;
