/** Orders and their payments: create, capture, reserve, release and refund. */
import { compareDecimals, type v } from '@paywright/contract';
import {
  createOnce,
  createRepetitions,
  faulty,
  jsonReply,
  refundEnds,
  troubleBefore,
  type createDeliveries,
  type Message,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { leftOf, newEntry, newOrder, reservedOf, ruleOf, type Books, type Entry, type Order } from './books.ts';
import { presentAuthorization, presentCapture, presentOrder, presentRefund } from './present.ts';
import type { Reports } from './reports.ts';
import * as ask from './requests.ts';

const { errorReply, isReply, notFound, readPost, refuseCaller, repeated, trouble } = ask;

export interface PaymentsDeps {
  readonly options: Options;
  readonly baseUrl: string;
  readonly currencies: readonly string[];
  readonly books: Books;
  readonly reports: Reports;
  readonly deliveries: ReturnType<typeof createDeliveries>;
}

type Handler = (request: SandboxRequest, id?: string) => Reply | Promise<Reply>;

/** Handlers of PayPal's requests, by method and path. */
export function createPayments(deps: PaymentsDeps): Readonly<Record<string, Handler>> {
  const { options, baseUrl, books, currencies } = deps;
  const repetitions = createRepetitions();
  const isFirst = createOnce();

  /** Answers a POST once per request id; the handler gets what was asked. */
  function once<T>(
    schema: Parameters<typeof readPost<T>>[2],
    answer: (asked: T, id: string, key: string) => Reply | Promise<Reply>,
  ): Handler {
    return (request, id = '') => {
      const read = readPost(request, options, schema);
      if ('refused' in read) return read.refused;
      return repetitions.answer(read.key, request.body, () => answer(read.asked, id, read.key), repeated);
    };
  }

  function show(id: string, present: (order: Order) => object | undefined): Reply {
    const order = books.orders.get(id) ?? books.byPart.get(id);
    const shown = order && present(order);
    return shown ? jsonReply(200, shown) : notFound;
  }
  const reader =
    (present: (order: Order, id: string) => object | undefined): Handler =>
    (request, id = '') =>
      refuseCaller(request, options) ?? show(id, (order) => present(order, id));
  const byId = <T extends Entry>(list: readonly T[], id: string): T | undefined => list.find((one) => one.id === id);

  const create = once(ask.OrderRequest, ({ intent, purchase_units: [unit], payment_source }, _id, key) => {
    const amount = ask.readMoney(unit.amount, "/purchase_units/@reference_id=='default'/amount", currencies);
    if (isReply(amount)) return amount;
    const refused = troubleBefore(ruleOf({ amount }), () => isFirst(key), trouble);
    if (refused) return refused;
    const { custom_id, invoice_id } = unit;
    const { return_url: returnUrl, cancel_url: cancelUrl } = payment_source.paypal.experience_context;
    const order = newOrder({ intent, amount, custom_id, invoice_id, returnUrl, cancelUrl });
    books.orders.set(order.id, order);
    return jsonReply(201, presentOrder(order, baseUrl));
  });
  return {
    'POST /v2/checkout/orders': create,
    'GET /v2/checkout/orders/:id': reader((order, id) => (order.id === id ? presentOrder(order, baseUrl) : undefined)),
    'POST /v2/checkout/orders/:id/capture': once(ask.NoRequest, (_asked, id) => complete(deps, id, 'CAPTURE')),
    'POST /v2/checkout/orders/:id/authorize': once(ask.NoRequest, (_asked, id) => complete(deps, id, 'AUTHORIZE')),
    'GET /v2/payments/authorizations/:id': reader((order, id) =>
      order.authorization?.id === id ? presentAuthorization(order.authorization, order, baseUrl) : undefined,
    ),
    'POST /v2/payments/authorizations/:id/capture': once(ask.CaptureRequest, (asked, id) => collect(deps, id, asked)),
    'POST /v2/payments/authorizations/:id/void': once(ask.NoRequest, (_asked, id) => release(deps, id)),
    'GET /v2/payments/captures/:id': reader((order, id) => {
      const found = byId(order.captures, id);
      return found && presentCapture(found, order, baseUrl);
    }),
    'POST /v2/payments/captures/:id/refund': once(ask.RefundRequest, (asked, id) => giveBack(deps, id, asked)),
    'GET /v2/payments/refunds/:id': reader((order, id) => {
      const found = byId([...order.refunds, ...order.reversals], id);
      return found && presentRefund(found, baseUrl);
    }),
  };
}

/** Captures an approved order, or reserves its money. */
async function complete({ books, reports, deliveries, baseUrl }: PaymentsDeps, id: string, intent: Order['intent']) {
  const order = books.orders.get(id);
  if (!order) return notFound;
  if (order.intent !== intent) return errorReply(422, 'ACTION_DOES_NOT_MATCH_INTENT');
  if (order.status === 'PAYER_ACTION_REQUIRED') return errorReply(422, 'ORDER_NOT_APPROVED');
  if (order.status !== 'APPROVED') {
    return errorReply(422, intent === 'CAPTURE' ? 'ORDER_ALREADY_CAPTURED' : 'ORDER_ALREADY_AUTHORIZED');
  }
  if (order.choice === 'decline') return errorReply(422, 'INSTRUMENT_DECLINED');
  const rule = ruleOf(order);
  const approved = rule === '.56' ? [reports.approved(order)] : [];
  const made: Message[] = intent === 'CAPTURE' ? reports.capture(order, order.amount) : [reports.authorize(order)];
  order.status = 'COMPLETED';
  const reply = jsonReply(201, presentOrder(order, baseUrl));
  // The other rules about webhooks act on the approval.
  await deliveries.play([...approved, ...made], rule === '.54' || rule === '.56' ? rule : undefined);
  return faulty(reply, rule);
}

/** Captures reserved money. PayPal releases the rest after a final capture. */
async function collect(
  { books, currencies, reports, deliveries, baseUrl }: PaymentsDeps,
  id: string,
  { amount: asked, final_capture: isFinal }: v.InferOutput<typeof ask.CaptureRequest>,
): Promise<Reply> {
  const order = books.byPart.get(id);
  const reserved = order?.authorization;
  if (!order || reserved?.id !== id) return notFound;
  const amount = ask.readMoney(asked, '/amount', currencies);
  if (isReply(amount)) return amount;
  if (reserved.status === 'VOIDED') return errorReply(422, 'AUTHORIZATION_VOIDED');
  if (reserved.status === 'CAPTURED') return errorReply(422, 'AUTHORIZATION_ALREADY_CAPTURED');
  if (amount.currency !== order.amount.currency) return errorReply(422, 'AUTH_CAPTURE_CURRENCY_MISMATCH');
  if (compareDecimals(amount.amount, reservedOf(order)) > 0) return errorReply(422, 'MAX_CAPTURE_AMOUNT_EXCEEDED');
  const scenario = reports.capture(order, amount);
  reserved.status = isFinal || reservedOf(order) === '0' ? 'CAPTURED' : 'PARTIALLY_CAPTURED';
  const reply = jsonReply(201, presentCapture(order.captures.at(-1)!, order, baseUrl));
  await deliveries.play(scenario);
  return reply;
}

async function release({ books, reports, deliveries, baseUrl }: PaymentsDeps, id: string): Promise<Reply> {
  const order = books.byPart.get(id);
  const reserved = order?.authorization;
  if (!order || reserved?.id !== id) return notFound;
  if (reserved.status === 'VOIDED') return errorReply(422, 'PREVIOUSLY_VOIDED');
  if (reserved.status !== 'CREATED') return errorReply(422, 'PREVIOUSLY_CAPTURED');
  reserved.status = 'VOIDED';
  await deliveries.play([reports.released(order, reserved)]);
  return jsonReply(200, presentAuthorization(reserved, order, baseUrl));
}

async function giveBack(
  { books, currencies, reports, deliveries, baseUrl }: PaymentsDeps,
  id: string,
  { amount: asked, ...named }: v.InferOutput<typeof ask.RefundRequest>,
): Promise<Reply> {
  const order = books.byPart.get(id);
  const taken = order?.captures.find((one) => one.id === id);
  if (!order || !taken) return notFound;
  const amount = ask.readMoney(asked, '/amount', currencies);
  if (isReply(amount)) return amount;
  if (taken.status === 'PENDING') return errorReply(422, 'PENDING_CAPTURE');
  if (taken.status === 'REFUNDED') return errorReply(422, 'CAPTURE_FULLY_REFUNDED');
  if (order.dispute?.status === 'OPEN') return errorReply(422, 'TRANSACTION_DISPUTED');
  if (amount.currency !== taken.amount.currency) return errorReply(422, 'REFUND_CAPTURE_CURRENCY_MISMATCH');
  if (compareDecimals(amount.amount, leftOf(order, taken)) > 0) return errorReply(422, 'REFUND_AMOUNT_EXCEEDED');
  const [end] = refundEnds(ruleOf({ amount }));
  const made = { ...newEntry(amount, end === 'failed' ? 'PENDING' : 'COMPLETED', named), captureId: id };
  const reply = jsonReply(201, presentRefund(made, baseUrl));
  await deliveries.play([reports.refunded(order, taken, made, end === 'failed' ? 'FAILED' : 'COMPLETED')]);
  return reply;
}
