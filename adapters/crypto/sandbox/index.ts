/** Simulates the coin server: invoices, their pages, refunds and all callbacks. */
import { compareDecimals, isSameMoney, requestTarget, type CreateSandbox } from '@paywright/contract';
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
  newId,
  playScenario,
  redirectReply,
  refundEnds,
  toCoins,
  troubleBefore,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { createHooks, isTaken } from './hooks.ts';
import { createInvoices, leftOf, openInvoice, present, presentRefund, type Invoice, type Refund } from './invoices.ts';
import { InvoiceRequest, notFound, readPost, refusal, refuseCaller, RefundRequest } from './requests.ts';
import { acts, scenarioFor, type Act } from './scenarios.ts';
import { createTrigger, events, causes } from './trigger.ts';

/** The server accepts only lower prices. */
const LIMIT = '50000';

const trouble = { error: refusal(500, 'unavailable', { created: false }), tooMany: refusal(429, 'throttled') };
const inUse = refusal(409, 'reference-in-use');
/** After these actions the payer returns to the shop. */
const leaving: readonly Act[] = ['pay', 'over', 'late'];

const createSandbox: CreateSandbox<Options> = (setup) => {
  const { options, baseUrl, delayMs } = setup;
  const deliveries = createDeliveries({
    delayMs,
    acknowledged: isTaken,
    repeatAfter: [1, 1, 1],
    onDelivery: setup.onDelivery,
  });
  const hooks = createHooks(setup);
  const invoices = createInvoices();
  const isFirst = createOnce();

  const view = (invoice: Invoice) => present(invoice, options.storeId, baseUrl);
  const show = (invoice: Invoice, status = 200): Reply => jsonReply(status, view(invoice));
  const showRefund = (refund: Refund, status = 200): Reply => jsonReply(status, presentRefund(refund, options.storeId));

  /** Plays the consequences of a payer's action. */
  function play(invoice: Invoice, act: Act, rule = invoice.rule): Promise<void> {
    return playScenario(deliveries, invoice, hooks.scenario(invoice, scenarioFor(invoice.state, act)), rule);
  }

  async function submit(request: SandboxRequest, store: string): Promise<Reply> {
    const call = readPost(request, store, options, InvoiceRequest);
    if ('refused' in call) return call.refused;
    const { ref, price: amount, unit: currency, buyer, ...terms } = call.asked;
    const price = { amount, currency };
    const known = invoices.byRef(ref);
    if (known) return isSameMoney(known.price, price) && known.coin === terms.coin ? show(known) : inUse;
    const refused = troubleBefore(amountRule(price), () => isFirst(ref), trouble) ?? refuse(buyer.country, amount);
    if (refused) return refused;

    const invoice = openInvoice({ ref, price, ...terms });
    invoices.keep(invoice);
    // The answer as it was before the first report.
    const reply = show(invoice, 201);
    await play(invoice, coinActionOf(invoice.rule));
    return faulty(reply, invoice.rule);
  }

  function byId(request: SandboxRequest, store: string, id: string): Reply {
    const invoice = invoices.byId(id);
    return refuseCaller(request, store, options) ?? (invoice ? show(invoice) : notFound);
  }

  function byRef(request: SandboxRequest, store: string): Reply {
    const invoice = invoices.byRef(request.queryForm()?.get('ref') ?? '');
    return refuseCaller(request, store, options) ?? jsonReply(200, { items: invoice ? [view(invoice)] : [] });
  }

  async function giveBack(request: SandboxRequest, store: string, id: string): Promise<Reply> {
    const call = readPost(request, store, options, RefundRequest);
    if ('refused' in call) return call.refused;
    const { key, asked } = call;
    const sum = { amount: asked.sum, currency: asked.unit };
    const invoice = invoices.byId(id);
    if (!invoice) return notFound;
    const known = invoice.refunds.get(key);
    if (known) return isSameMoney(known.sum, sum) ? showRefund(known) : inUse;
    if (sum.currency !== invoice.price.currency || compareDecimals(sum.amount, leftOf(invoice)) > 0) {
      return refusal(422, 'refused', { reason: 'too-much', text: '' });
    }
    const refund: Refund = { id: newId('rf_', 12), invoice: id, sum, state: 'created' };
    invoices.keepRefund(invoice, key, refund);
    const reply = showRefund(refund, 202);
    const rule = amountRule(sum);
    await deliveries.play(hooks.refundScenario(invoice, refund, refundEnds(rule)), rule);
    return reply;
  }

  function refundById(request: SandboxRequest, store: string, id: string): Reply {
    const refund = invoices.refund(id);
    return refuseCaller(request, store, options) ?? (refund ? showRefund(refund) : notFound);
  }

  function page(request: SandboxRequest, id: string): Reply {
    const invoice = invoices.byId(id);
    if (!invoice) return messagePage(404, 'No such invoice');
    const act = request.method === 'POST' ? acts.find((one) => one === request.form()?.get('act')) : undefined;
    if (act) {
      // No request waits for an answer here.
      void play(invoice, act, invoice.rule === '.55' ? undefined : invoice.rule);
      if (leaving.includes(act)) return redirectReply(invoice.back);
    }
    return choicePage({
      title: 'Invoice',
      text: `${toCoins(invoice.price.amount)} ${invoice.coin} to ${invoice.address}: ${invoice.state}`,
      action: requestTarget(baseUrl, `/i/${id}`),
      name: 'act',
      values: acts,
      summary: { money: invoice.price, shop: options.storeId, reference: invoice.ref },
    });
  }

  const handle = createRouter(
    {
      'POST /api/stores/:store/invoices': submit,
      'GET /api/stores/:store/invoices': byRef,
      'GET /api/stores/:store/invoices/:invoice': byId,
      'POST /api/stores/:store/invoices/:invoice/refunds': giveBack,
      'GET /api/stores/:store/refunds/:refund': refundById,
      'GET /i/:invoice': page,
      'POST /i/:invoice': page,
    },
    { baseUrl },
  );
  return { handle, close: () => deliveries.close(), events, causes, trigger: createTrigger(setup, invoices, hooks) };
};

/** The answer for a buyer or price that the server refuses. */
function refuse(country: string, amount: string): Reply | undefined {
  if (country === 'KP') return refusal(422, 'refused', { reason: 'buyer-blocked', text: 'not for this buyer' });
  const isOver = compareDecimals(amount, LIMIT) >= 0;
  return isOver ? refusal(422, 'refused', { reason: 'limit', text: 'too much' }) : undefined;
}

createSandbox.testValues = [
  { member: 'amount', value: '.60', result: 'page: underpaid by 40 %' },
  { member: 'amount', value: '.61', result: 'page: overpaid by a quarter, and paid' },
  { member: 'amount', value: '.62', result: 'page: expired, then paid late' },
  { member: 'amount', value: '.63', result: 'page: never paid' },
  { member: 'amount', value: '.64', result: 'page: seen, then invalid' },
  { member: 'country', value: 'KP', result: 'declined 57' },
  { member: 'refund', value: '.58', result: 'failed' },
  { member: 'refund', value: '.59', result: 'reversed: the money comes back after the refund succeeded' },
];

export default createSandbox;
