/** Simulates Razorpay: orders and UPI payments, payment links and their page, refunds, and the webhooks. */
import { fromMinor, moneyFromMinor, requestTarget, type CreateSandbox } from '@paywright/contract';
import {
  choicePage,
  createDeliveries,
  createOnce,
  createRepetitions,
  createRouter,
  faulty,
  jsonReply,
  messagePage,
  redirectReply,
  troubleBefore,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { webhookEvents } from '../statuses.ts';
import {
  createBooks,
  leftOf,
  newId,
  newOrder,
  newPayment,
  ruleOf,
  seconds,
  type Link,
  type Refund,
  type ShownDispute,
} from './books.ts';
import { createHooks, isTaken } from './hooks.ts';
import { collection, showLink, showOrder, showPayment, showRefund } from './present.ts';
import {
  LinkRequest,
  noSuchId,
  OrderRequest,
  PaymentRequest,
  readPost,
  refusal,
  refuseCaller,
  RefundRequest,
} from './requests.ts';
import { acts, linkScenario, paymentScenario, refundScenario } from './scenarios.ts';
import { createTrigger, events, causes } from './trigger.ts';

export { signCallback } from './hooks.ts';

const trouble = { error: refusal(400, 'The request is refused'), tooMany: refusal(429, 'Request failed') };
const attempted = refusal(400, 'payment link creation with reference ID already attempted');
const otherBody = refusal(400, 'Different request with the same idempotency key has already been processed.');

const createSandbox: CreateSandbox<Options> = (setup) => {
  const { options, baseUrl, publicUrl, delayMs } = setup;
  const deliveries = createDeliveries({
    delayMs,
    acknowledged: isTaken,
    repeatAfter: [1, 1, 1],
    onDelivery: setup.onDelivery,
  });
  const hooks = createHooks(setup);
  const books = createBooks();
  const refunds = createRepetitions();
  const isFirst = createOnce();
  const keepDispute = (dispute: ShownDispute): void => void books.disputes.set(dispute.id, dispute);

  function makeOrder(request: SandboxRequest): Reply {
    const call = readPost(request, options, OrderRequest);
    if ('refused' in call) return call.refused;
    const order = newOrder(call.asked);
    books.orders.set(order.id, order);
    return jsonReply(200, showOrder(order));
  }

  function findOrders(request: SandboxRequest): Reply {
    const query = request.queryForm();
    const found = books.orderOf(query?.get('receipt') ?? '');
    const payments = (order: (typeof found)[number]) =>
      query?.get('expand[]') === 'payments' ? { payments: collection(order.payments.map(showPayment)) } : {};
    const shown = found.map((order) => ({ ...showOrder(order), ...payments(order) }));
    return refuseCaller(request, options) ?? jsonReply(200, collection(shown));
  }

  async function pay(request: SandboxRequest): Promise<Reply> {
    const call = readPost(request, options, PaymentRequest);
    if ('refused' in call) return call.refused;
    const { order_id, amount, currency, upi, notes } = call.asked;
    const order = books.orders.get(order_id);
    if (order?.amount !== amount || order.currency !== currency) {
      return refusal(400, 'The id provided does not exist', { reason: 'invalid_order_id' });
    }
    const rule = ruleOf(order);
    const refused = troubleBefore(rule, () => isFirst(order_id), trouble);
    if (refused) return refused;
    const payment = newPayment(order, { notes });
    books.payments.set(payment.id, payment);
    const link = `upi://pay?pa=upi@razorpay&pn=Gateway&tr=${payment.id}&am=${fromMinor(amount, currency)}&cu=INR`;
    const poll = { action: 'poll', url: `${baseUrl}/v1/payments/${payment.id}` };
    const next = upi.flow === 'intent' ? [{ action: 'intent', url: link }, poll] : [poll];
    const vpa = upi.flow === 'collect' ? upi.vpa : undefined;
    await deliveries.play(paymentScenario(payment, vpa, hooks, keepDispute), rule);
    return faulty(jsonReply(200, { razorpay_payment_id: payment.id, next }), rule);
  }

  function makeLink(request: SandboxRequest): Reply {
    const call = readPost(request, options, LinkRequest);
    if ('refused' in call) return call.refused;
    const { amount, currency, reference_id: referenceId, notes, callback_url, expire_by } = call.asked;
    if (books.linkOf(referenceId)) return attempted;
    if (expire_by < seconds() + 900) return refusal(400, 'timestamp must be atleast 15 minutes in future');
    const rule = ruleOf({ amount, currency });
    const refused = troubleBefore(rule, () => isFirst(referenceId), trouble);
    if (refused) return refused;
    const link: Link = {
      id: newId('plink_'),
      amount,
      currency,
      referenceId,
      notes,
      callbackUrl: callback_url,
      expireBy: expire_by,
      createdAt: seconds(),
      status: 'created',
      amountPaid: '0',
    };
    books.links.set(link.id, link);
    return faulty(jsonReply(200, showLink(link, baseUrl)), rule);
  }

  function findLinks(request: SandboxRequest): Reply {
    const link = books.linkOf(request.queryForm()?.get('reference_id') ?? '');
    return refuseCaller(request, options) ?? jsonReply(200, { payment_links: link ? [showLink(link, baseUrl)] : [] });
  }

  function linkById(request: SandboxRequest, id: string): Reply {
    const link = books.links.get(id);
    return refuseCaller(request, options) ?? (link ? jsonReply(200, showLink(link, baseUrl)) : noSuchId);
  }

  async function cancelLink(request: SandboxRequest, id: string): Promise<Reply> {
    const refused = refuseCaller(request, options);
    if (refused) return refused;
    const link = books.links.get(id);
    if (!link) return noSuchId;
    if (link.status !== 'created') return refusal(400, `Payment Link cannot be cancelled as it is ${link.status}`);
    await deliveries.play(linkScenario(link, 'cancel', hooks, () => undefined));
    return jsonReply(200, showLink(link, baseUrl));
  }

  async function page(request: SandboxRequest, id: string): Promise<Reply> {
    const link = books.links.get(id);
    if (!link) return messagePage(404, 'No such payment link');
    const { amount, currency, referenceId, status } = link;
    const act = request.method === 'POST' ? acts.find((one) => one === request.form()?.get('act')) : undefined;
    if (act) {
      const scenario = linkScenario(link, act, hooks, (payment) => books.payments.set(payment.id, payment));
      await deliveries.play(scenario, ruleOf(link));
      return redirectReply(link.callbackUrl);
    }
    return choicePage({
      title: 'Payment link',
      text: `The link is ${status}.`,
      action: requestTarget(baseUrl, `/sim/${id}`),
      name: 'act',
      values: acts,
      summary: { money: moneyFromMinor(amount, currency), shop: options.accountId, reference: referenceId },
    });
  }

  async function giveBack(request: SandboxRequest, id: string): Promise<Reply> {
    const call = readPost(request, options, RefundRequest);
    if ('refused' in call) return call.refused;
    const key = request.headers.find(([name]) => name.toLowerCase() === 'x-refund-idempotency')?.[1] ?? '';
    if (key.length < 10) return refusal(400, 'The idempotency key must be at least 10 characters');
    const answers = { busy: refusal(409, 'Conflict'), differs: otherBody, keep: ({ status }: Reply) => status === 200 };
    const values = `${id} ${request.text() ?? ''}`;
    return refunds.answer(key, values, () => refund(id, call.asked), answers);
  }

  async function refund(
    id: string,
    { amount, receipt, notes }: { amount: string; receipt?: string | undefined; notes: Refund['notes'] },
  ): Promise<Reply> {
    const payment = books.payments.get(id);
    if (!payment) return noSuchId;
    if (leftOf(payment) < BigInt(amount))
      return refusal(400, 'The refund amount provided is greater than amount captured');
    const made: Refund = {
      id: newId('rfnd_'),
      payment,
      amount,
      receipt: receipt ?? null,
      notes,
      createdAt: seconds(),
      status: 'pending',
    };
    payment.refunds.push(made);
    const reply = jsonReply(200, showRefund(made));
    await deliveries.play(refundScenario(made, hooks), ruleOf({ amount, currency: payment.currency }));
    return reply;
  }

  function findRefunds(request: SandboxRequest, id: string): Reply {
    const payment = books.payments.get(id);
    const refused = refuseCaller(request, options);
    return refused ?? (payment ? jsonReply(200, collection(payment.refunds.map(showRefund))) : noSuchId);
  }

  const findDisputes = (request: SandboxRequest): Reply => {
    const skip = Number(request.queryForm()?.get('skip') ?? 0);
    const page = [...books.disputes.values()].slice(skip, skip + 100);
    return refuseCaller(request, options) ?? jsonReply(200, collection(page));
  };

  const findPayments = (request: SandboxRequest): Reply =>
    refuseCaller(request, options) ?? jsonReply(200, collection([]));
  const methods = (): Reply => jsonReply(200, { entity: 'methods', card: true, upi: true });
  const webhooks = (request: SandboxRequest): Reply => {
    const own = { entity: 'webhook', url: `${publicUrl}/callbacks/razorpay`, active: true, events: webhookEvents };
    return refuseCaller(request, options) ?? jsonReply(200, collection([own]));
  };

  const handle = createRouter(
    {
      'POST /v1/orders': makeOrder,
      'GET /v1/orders': findOrders,
      'GET /v1/payments': findPayments,
      'POST /v1/payments/create/json': pay,
      'POST /v1/payments/:payment/refund': giveBack,
      'GET /v1/payments/:payment/refunds': findRefunds,
      'POST /v1/payment_links': makeLink,
      'GET /v1/payment_links': findLinks,
      'GET /v1/payment_links/:link': linkById,
      'POST /v1/payment_links/:link/cancel': cancelLink,
      'GET /v1/disputes': findDisputes,
      'GET /v1/methods': methods,
      'GET /v1/webhooks': webhooks,
      'GET /sim/:link': page,
      'POST /sim/:link': page,
    },
    { baseUrl },
  );
  return { handle, close: () => deliveries.close(), events, causes, trigger: createTrigger(hooks, setup) };
};

createSandbox.testValues = [
  { member: 'upiId', value: 'success@razorpay', result: 'pending, then paid' },
  { member: 'upiId', value: 'failure@razorpay', result: 'pending, then declined' },
  { member: 'upiId', value: 'poor@razorpay', result: 'pending, then declined 51' },
  { member: 'upiId', value: 'cancel@razorpay', result: 'pending, then cancelled by the payer' },
  { member: 'upiId', value: 'expire@razorpay', result: 'pending, then expired' },
  { member: 'upiId', value: 'retry@razorpay', result: 'pending: a wrong PIN first, then paid' },
  { member: 'upiId', value: 'stuck@razorpay', result: 'pending forever' },
  {
    member: 'upiId',
    value: 'dispute@razorpay',
    result: 'pending, then paid, charged back later, and the dispute is lost',
  },
  { member: 'page', value: 'pay', result: 'paid' },
  { member: 'page', value: 'expire', result: 'expired' },
  { member: 'page', value: 'cancel', result: 'cancelled' },
  { member: 'refund', value: '.58', result: 'failed' },
  { member: 'refund', value: '.59', result: 'reversed: the money comes back after the refund succeeded' },
];

export default createSandbox;
