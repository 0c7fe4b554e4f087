/** Simulates a BTCPay Server: invoices and their checkout page, refunds that the payer claims, and the webhooks. */
import { compareDecimals, requestTarget, type CreateSandbox, type RawCallback } from '@paywright/contract';
import {
  amountRule,
  choicePage,
  coinActionOf,
  createDeliveries,
  createOnce,
  createRouter,
  faulty,
  jsonReply,
  messagePage,
  playScenario,
  redirectReply,
  troubleBefore,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { webhookEvents } from '../statuses.ts';
import { signatureOf } from '../wire.ts';
import { createBooks, openInvoice, openRefund, waitsUnseen, type Invoice, type Refund } from './books.ts';
import { createHooks } from './hooks.ts';
import { coinOf, inCoins, isTaken, showInvoice, showMethods, showPayouts, showRefund } from './present.ts';
import {
  invalid,
  InvoiceRequest,
  MarkRequest,
  readPost,
  refusal,
  refuseCaller,
  refuseKey,
  RefundRequest,
} from './requests.ts';
import { acts, claimsOf, scenarioFor, steps, type Act } from './scenarios.ts';
import { createTrigger, events, causes } from './trigger.ts';

const trouble = {
  error: refusal(400, 'generic-error', 'Error retrieving a matching payment method or rate.'),
  tooMany: { status: 429 },
};
const noInvoice = refusal(404, 'invoice-not-found', 'The invoice was not found');
const noPullPayment = refusal(404, 'pullpayment-not-found', 'The pull payment was not found');
/** After these actions the payer returns to the shop. */
const leaving: readonly Act[] = ['pay', 'over', 'late'];
const permissions = [
  'canmodifyinvoices',
  'canviewstoresettings',
  'cancreatenonapprovedpullpayments',
  'webhooks.canmodifywebhooks',
];

/** Signs a webhook as the server does. */
export function signCallback(raw: RawCallback, { webhookSecrets }: Options): RawCallback {
  const signature = `sha256=${signatureOf(webhookSecrets[0] ?? '', raw.body).toString('hex')}`;
  return { ...raw, headers: [...raw.headers.filter(([name]) => name !== 'BTCPay-Sig'), ['BTCPay-Sig', signature]] };
}

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
  const isFirst = createOnce();

  const show = (invoice: Invoice) => showInvoice(invoice, options.storeId, baseUrl);
  /** An answer for requests with the store's key. */
  const toCaller = (request: SandboxRequest, store: string, answer: () => Reply): Reply =>
    refuseCaller(request, store, options) ?? answer();

  /** Plays the consequences of an action of the payer. */
  function play(invoice: Invoice, act: Act, rule = invoice.rule): Promise<void> {
    return playScenario(deliveries, invoice, hooks.scenario(invoice, scenarioFor(invoice, act)), rule);
  }

  /** A second invoice of the same order is a separate invoice. */
  async function submit(request: SandboxRequest, store: string): Promise<Reply> {
    const call = readPost(request, store, options, InvoiceRequest);
    if ('refused' in call) return call.refused;
    const { amount, currency, metadata, checkout } = call.asked;
    const { orderId } = metadata;
    if (checkout.paymentMethods?.some((one) => one !== options.paymentMethod)) {
      return invalid('checkout.paymentMethods[0]', 'Invalid PaymentMethodId');
    }
    const price = { amount, currency };
    const refused = troubleBefore(amountRule(price), () => isFirst(orderId), trouble);
    if (refused) return refused;
    const { expirationMinutes: minutes, redirectURL: back } = checkout;
    const invoice = openInvoice({ metadata, orderId, price, minutes, back, checkout });
    books.invoices.set(invoice.id, invoice);
    // The state before anything is reported.
    const reply = jsonReply(200, show(invoice));
    if (!waitsUnseen(invoice)) await play(invoice, coinActionOf(invoice.rule));
    return faulty(reply, invoice.rule);
  }

  function byOrder(request: SandboxRequest, store: string): Reply {
    const found = books.byOrder(request.queryForm()?.get('orderId') ?? '');
    return toCaller(request, store, () => jsonReply(200, found.map(show)));
  }

  /** An answer about one invoice. */
  const ofInvoice =
    (view: (invoice: Invoice) => unknown) =>
    (request: SandboxRequest, store: string, id: string): Reply => {
      const invoice = books.invoices.get(id);
      return toCaller(request, store, () => (invoice ? jsonReply(200, view(invoice)) : noInvoice));
    };

  /** The payer pays to an address only after the address was requested. */
  async function methods(request: SandboxRequest, store: string, id: string): Promise<Reply> {
    const reply = ofInvoice((invoice) => showMethods(invoice, options))(request, store, id);
    const invoice = reply.status === 200 ? books.invoices.get(id) : undefined;
    if (invoice && waitsUnseen(invoice)) await play(invoice, coinActionOf(invoice.rule));
    return reply;
  }

  /** An answer about one refund; no key is needed. */
  const ofRefund =
    (view: (refund: Refund) => unknown) =>
    (_: SandboxRequest, id: string): Reply => {
      const refund = books.refunds.get(id);
      return refund ? jsonReply(200, view(refund)) : noPullPayment;
    };

  async function giveBack(request: SandboxRequest, store: string, id: string): Promise<Reply> {
    const call = readPost(request, store, options, RefundRequest);
    if ('refused' in call) return call.refused;
    const { name, description, customAmount: amount, customCurrency: currency } = call.asked;
    const invoice = books.invoices.get(id);
    if (!invoice) return noInvoice;
    const isOpen = ['New', 'Processing'].includes(invoice.status);
    // The real server does not compare the amount with the paid amount. The sandbox does, so that tests notice.
    if (isOpen || compareDecimals(amount, books.leftOf(invoice)) > 0) {
      return refusal(400, 'non-refundable', 'Cannot refund this invoice');
    }
    const refund = openRefund({ invoice, name, description, sum: { amount, currency } });
    books.refunds.set(refund.id, refund);
    const reply = jsonReply(200, showRefund(refund, baseUrl));
    const rule = amountRule(refund.sum);
    await deliveries.play(hooks.refundScenario(refund, claimsOf(rule)), rule);
    return faulty(reply, rule);
  }

  /** The real server also marks an invoice whose coins have arrived. */
  async function mark(request: SandboxRequest, store: string, id: string): Promise<Reply> {
    const call = readPost(request, store, options, MarkRequest);
    if ('refused' in call) return call.refused;
    const invoice = books.invoices.get(id);
    if (!invoice) return noInvoice;
    const step = steps[`Invoice${call.asked.status} manuallyMarked`];
    Object.assign(invoice, { status: step.status, additional: step.additional });
    await playScenario(deliveries, invoice, hooks.scenario(invoice, [step]), undefined);
    return jsonReply(200, show(invoice));
  }

  function refunds(request: SandboxRequest, store: string): Reply {
    const all = [...books.refunds.values()].map((refund) => showRefund(refund, baseUrl));
    return toCaller(request, store, () => jsonReply(200, all));
  }

  function page(request: SandboxRequest, id: string): Reply {
    const invoice = books.invoices.get(id);
    if (!invoice) return messagePage(404, 'No such invoice');
    const act = request.method === 'POST' ? acts.find((one) => one === request.form()?.get('act')) : undefined;
    if (act) {
      // The adapter does not wait for this answer any more.
      void play(invoice, act, invoice.rule === '.55' ? undefined : invoice.rule);
      if (leaving.includes(act)) return redirectReply(invoice.back);
    }
    const { orderId, price, address, status } = invoice;
    return choicePage({
      title: 'Invoice',
      text: `${inCoins(price, options)} ${coinOf(options.paymentMethod)} to ${address}: ${status}`,
      action: requestTarget(baseUrl, `/i/${id}`),
      name: 'act',
      values: acts,
      summary: { money: price, shop: options.storeId, reference: orderId },
    });
  }

  function claimPage(_: SandboxRequest, id: string): Reply {
    const refund = books.refunds.get(id);
    return refund
      ? messagePage(200, `${refund.description}: ${refund.state ?? 'to be claimed'}`)
      : messagePage(404, 'No such refund');
  }

  const webhook = {
    id: 'VC3CwUbRCnDXwVqLiCqLx4',
    enabled: true,
    automaticRedelivery: true,
    url: `${publicUrl}/callbacks/btcpay`,
    authorizedEvents: { everything: false, specificEvents: Object.keys(webhookEvents) },
  };
  const ofKey =
    (answer: unknown) =>
    (request: SandboxRequest): Reply =>
      refuseKey(request, options) ?? jsonReply(200, answer);
  const ofStore =
    (answer: unknown) =>
    (request: SandboxRequest, store: string): Reply =>
      toCaller(request, store, () => jsonReply(200, answer));

  const handle = createRouter(
    {
      'POST /api/v1/stores/:store/invoices': submit,
      'GET /api/v1/stores/:store/invoices': byOrder,
      'GET /api/v1/stores/:store/invoices/:invoice': ofInvoice(show),
      'GET /api/v1/stores/:store/invoices/:invoice/payment-methods': methods,
      'POST /api/v1/stores/:store/invoices/:invoice/refund': giveBack,
      'POST /api/v1/stores/:store/invoices/:invoice/status': mark,
      'GET /api/v1/stores/:store/pull-payments': refunds,
      'GET /api/v1/pull-payments/:pullPayment': ofRefund((refund) => showRefund(refund, baseUrl)),
      'GET /api/v1/pull-payments/:pullPayment/payouts': ofRefund((refund) => showPayouts(refund, options)),
      'GET /api/v1/server/info': ofKey({
        version: '2.4.1',
        fullySynched: true,
        supportedPaymentMethods: [options.paymentMethod],
      }),
      'GET /api/v1/api-keys/current': ofKey({
        permissions: permissions.map((one) => `btcpay.store.${one}:${options.storeId}`),
      }),
      'GET /api/v1/stores/:store/payment-methods': ofStore([{ enabled: true, paymentMethodId: options.paymentMethod }]),
      'GET /api/v1/stores/:store/webhooks': ofStore([webhook]),
      'GET /i/:invoice': page,
      'POST /i/:invoice': page,
      'GET /pull-payments/:pullPayment': claimPage,
    },
    { baseUrl },
  );
  return { handle, close: () => deliveries.close(), events, causes, trigger: createTrigger(setup, books, hooks) };
};

createSandbox.testValues = [
  { member: 'amount', value: '.60', result: 'page: underpaid by 40 %' },
  { member: 'amount', value: '.61', result: 'page: overpaid by a quarter, and paid' },
  { member: 'amount', value: '.62', result: 'page: expired, then paid late' },
  { member: 'amount', value: '.63', result: 'page: never paid' },
  { member: 'amount', value: '.64', result: 'page: received, then invalid' },
  { member: 'refund', value: '.58', result: 'failed' },
];

export default createSandbox;
