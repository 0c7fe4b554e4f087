/**
 * Acme as a wallet: the submission creates an order that charges nothing, the payer approves it at a page, and core
 * charges it by `complete` when the payer returns. Its sandbox has the faulty amounts.
 */
import {
  fromMinor,
  noInformation,
  nothingCharged,
  readAs,
  readJson,
  statusTable,
  toMinor,
  unknown,
  utf8,
  v,
  type CreateSandbox,
  type ProviderAdapter,
} from '../../index.ts';
import {
  amountRule,
  choicePage,
  createDeliveries,
  createOnce,
  createRouter,
  faulty,
  jsonReply,
  redirectReply,
  troubleBefore,
  wrongSecret,
  type AmountRule,
  type Message,
  type Reply,
  type SandboxRequest,
} from '../../sandbox/index.ts';
import { createAcme, toEvent } from './adapter.ts';
import { Notice, sealHeader, type Options } from './protocol.ts';

const Order = v.looseObject({ id: v.string(), ref: v.string(), state: v.string(), page: v.string() });

export function createReturningAcme(): ProviderAdapter<Options> {
  return createAcme({
    adapter: {
      async submit({ reference, money, paymentRequestId }, ctx) {
        const minor = Number(toMinor(money));
        const body = { ref: reference, minor, cur: money.currency, back: ctx.returnUrl(paymentRequestId) };
        const request = { method: 'POST', path: '/orders', chargesNothing: true } as const;
        const reply = await ctx.http.send({ ...request, body: JSON.stringify(body) });
        const order = readAs(Order, readJson(utf8(reply.body)));
        if (!order) return nothingCharged('no order');
        const action = { type: 'redirect', method: 'GET', url: order.page, transactionId: order.id } as const;
        return { outcome: 'pending', providerReference: order.id, action };
      },
      async complete({ reference, action }, _step, { http }) {
        const reply = await http.send({ method: 'POST', path: `/orders/${reference}/complete` });
        const order = readAs(Order, readJson(utf8(reply.body)));
        if (order?.state === 'paid') return { outcome: 'succeeded', providerReference: order.id };
        return order ? { outcome: 'pending', ...(action && { action }) } : unknown('unreadable');
      },
      async fetchStatus({ reference }, { http }) {
        const notice = readAs(
          Notice,
          readJson(utf8((await http.send({ method: 'GET', path: `/orders/${reference}` })).body)),
        );
        return notice ? { result: 'events', events: [toEvent(notice)] } : noInformation('no order');
      },
      mapStatus: statusTable({ payment: { open: 'pending', approved: 'pending', paid: 'succeeded' } }),
    },
  });
}

/** Acme as a page that charges the payer, whose address is in the first answer alone. */
export function createPageAcme(more: Partial<ProviderAdapter<Options>> = {}): ProviderAdapter<Options> {
  const returning = createReturningAcme();
  return {
    manifest: returning.manifest,
    callbacks: returning.callbacks,
    mapStatus: returning.mapStatus,
    fetchStatus: (payment, ctx) => returning.fetchStatus!(payment, ctx),
    async submit(payment, ctx) {
      const outcome = await returning.submit(payment, ctx);
      if (outcome.outcome !== 'pending' || outcome.action?.type !== 'redirect') return outcome;
      const { url } = outcome.action;
      return { ...outcome, action: { type: 'redirect', method: 'GET', url } };
    },
    ...more,
  };
}

interface Order {
  readonly ref: string;
  readonly minor: number;
  readonly cur: string;
  readonly back: string;
  state: 'open' | 'approved' | 'paid';
}

/**
 * A sandbox that ignores the faulty amounts of one rule; none by default. Charged by `page`, it charges the payer at
 * the page and cuts the answer that has the address.
 */
export const createReturningSandbox =
  (ignored?: AmountRule, chargedBy: 'complete' | 'page' = 'complete'): CreateSandbox<Options> =>
  ({ options, baseUrl, publicUrl, delayMs, onDelivery }) => {
    const orders = new Map<string, Order>();
    const isFirst = createOnce();
    const acknowledged = ({ status }: { readonly status: number }): boolean => status === 200;
    const deliveries = createDeliveries({ delayMs, repeatAfter: [1], acknowledged, onDelivery });
    const ruleOf = ({ minor, cur }: Order): AmountRule | undefined => {
      const rule = amountRule({ amount: fromMinor(minor, cur), currency: cur });
      return rule === ignored ? undefined : rule;
    };
    const notice = ({ ref, minor, cur }: Order, state: Order['state']): string =>
      JSON.stringify({ notice: `n-${ref}-${state}`, shop: options.shop, ref, id: `ao-${ref}`, state, minor, cur });
    const answer = ({ ref, state }: Order): Reply =>
      jsonReply(200, { id: `ao-${ref}`, ref, state, page: `${baseUrl}/pages/${ref}` });

    const report = (order: Order, state: Order['state'], after: number): Message => ({
      name: state,
      after,
      request({ forged }) {
        const body = Buffer.from(notice(order, state));
        const [key = ''] = options.sealKeys;
        const seal = sealHeader(forged ? wrongSecret(key) : key, String(Math.floor(Date.now() / 1000)), body);
        return { method: 'POST', url: `${publicUrl}/callbacks/acme`, headers: { 'X-Acme-Seal': seal }, body };
      },
    });

    function open(request: SandboxRequest): Reply {
      const order: Order = { ...(JSON.parse(request.text() ?? '') as Order), state: 'open' };
      const refused = troubleBefore(ruleOf(order), () => isFirst(order.ref), {
        error: jsonReply(500, { error: 'internal' }),
        tooMany: jsonReply(429, { error: 'slow_down' }),
      });
      if (refused) return refused;
      orders.set(order.ref, order);
      return faulty(answer(order), chargedBy === 'page' ? ruleOf(order) : undefined);
    }

    async function page(request: SandboxRequest, ref = ''): Promise<Reply> {
      const order = orders.get(ref);
      if (!order) return jsonReply(404, {});
      if (request.method === 'GET') {
        const summary = { shop: options.shop, reference: ref };
        return choicePage({ title: 'Approve', action: `/pages/${ref}`, name: 'choice', values: ['pay'], summary });
      }
      const rule = ruleOf(order);
      if (order.state === 'open' && chargedBy === 'page') {
        order.state = 'paid';
        await deliveries.play([report(order, 'approved', 1), report(order, 'paid', 2)], rule);
      }
      if (order.state === 'open') {
        order.state = 'approved';
        // For `.56` the approval is reported after the end.
        if (rule !== '.56') await deliveries.play([report(order, 'approved', 1)], rule);
      }
      return redirectReply(order.back);
    }

    async function complete(_: SandboxRequest, ref = ''): Promise<Reply> {
      const order = orders.get(ref);
      if (!order) return jsonReply(404, {});
      const isRepetition = order.state === 'paid';
      if (order.state === 'approved') {
        order.state = 'paid';
        const rule = ruleOf(order);
        const late = rule === '.56' ? [report(order, 'approved', 2)] : [];
        await deliveries.play([report(order, 'paid', 1), ...late], rule === '.54' ? rule : undefined);
      }
      return faulty(answer(order), isRepetition ? undefined : ruleOf(order));
    }

    const handle = createRouter(
      {
        'POST /orders': open,
        'GET /orders/:ref': (_, ref = '') => {
          const order = orders.get(ref);
          return order ? { status: 200, body: notice(order, order.state) } : jsonReply(404, {});
        },
        'POST /orders/:ref/complete': complete,
        'GET /pages/:ref': page,
        'POST /pages/:ref': page,
      },
      { baseUrl },
    );
    return { handle, close: () => deliveries.close() };
  };
