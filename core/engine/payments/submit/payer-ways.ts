/** The ways to pay that a payer can choose from: those that the route rules have a provider for. */
import { payerFields, upiIds, type PayerField, type PaymentMethod, type Way } from '@paywright/contract';
import { chargeOf } from '../../providers/accepts.ts';
import type { ActiveAdapter } from '../../providers/load/load-adapters.ts';
import type { PayerInput } from '../types/input.ts';
import type { PayerWay } from '../types/pay-page.ts';
import { paymentWayOf } from './attempt.ts';
import type { RiskRule } from './risk.ts';
import { coinOf, fitsAmount, type RouteFacts, type RouteRule, type RoutingDeps } from './routing.ts';

export interface PayerWaysDeps extends RoutingDeps {
  readonly risk: readonly RiskRule[];
}

type Order = Pick<RouteFacts, 'unit' | 'amount' | 'sandbox'>;

export interface PayerWays {
  /** In the order in which they are offered. `country` is the payer's, where it is known. */
  of(order: Order, country?: string): readonly PayerWay[];
}

/** In the order in which they are offered; what is not here comes by the interface alone. */
const offered: readonly PaymentMethod[] = [
  'card',
  'upi_intent',
  'upi_qr',
  'upi_collect',
  'ewallet_redirect',
  'hosted_page',
  'crypto',
];

/** A test number of the schemes: an adapter is asked which way a card takes, and nothing is sent. */
const card = { number: '4111111111111111', expiration: '12/99', expiryMonth: '12', expiryYear: '2099', cvv: '000' };
const nobody = { payer: { ipAddress: null }, body: {} } as const;

/** What a payer can put in, one for each way that an adapter may distinguish by it. */
const probes: readonly (PayerInput & Pick<PayerWay, 'kind'>)[] = [
  { ...nobody, kind: 'card', card },
  { ...nobody, kind: 'upi', upiId: upiIds.upi_intent },
  { ...nobody, kind: 'upi', upiId: upiIds.upi_qr },
  { ...nobody, kind: 'upi', upiId: 'payer@bank' },
  { ...nobody, kind: 'billing' },
];

export function createPayerWays({ rules, risk, registry, openCurrencies, calls }: PayerWaysDeps): PayerWays {
  /** The ways of one adapter for this order, whatever rule leads to it. */
  function waysOf(name: string, order: Order): PayerWay[] {
    const active = registry.byName(name);
    if (active?.state !== 'on' || (order.sandbox && !active.takesTestPayments)) return [];
    const money = chargeOf(active, { ...order, openCurrencies: openCurrencies[name] });
    if (!money) return [];
    const { inputs, countries } = active.adapter.manifest;
    return probes.flatMap((probe) => {
      if (!inputs.includes(probe.kind)) return [];
      const way = paymentWayOf(calls, active, order, probe);
      // A card that is typed at the provider all the same is not asked for here, where the adapter can do without.
      const isAskedTwice = probe.kind === 'card' && way.method !== 'card' && inputs.includes('billing');
      if (!offered.includes(way.method) || isAskedTwice) return [];
      const fields = countries ? [...way.payerFields, 'country' as const] : way.payerFields;
      return [toPayerWay(active, way, { kind: probe.kind, currency: money.currency, fields, sandbox: order.sandbox })];
    });
  }

  /** What the rules want to know of the payer, so that nobody gets around one by the page. */
  function askedByRisk(order: Order, method: PaymentMethod): PayerField[] {
    return risk.flatMap(({ when, velocity }) => {
      if (!fitsAmount(when, order) || when.method?.includes(method) === false) return [];
      return [...(when.country ? ['country' as const] : []), ...(velocity?.by === 'email' ? ['email' as const] : [])];
    });
  }

  return {
    of(order, country) {
      const found = new Map<string, PayerWay>();
      const settled = new Set<string>();
      for (const { when, use } of rules) {
        if (!fitsAmount(when, order) || !mayBeFor(when, country)) continue;
        const ways = use
          .flatMap((name) => waysOf(name, order))
          .filter(({ id, method }) => !settled.has(id) && when.method?.includes(method) !== false);
        for (const way of ways) {
          const fields = when.country ? [...way.fields, 'country' as const] : way.fields;
          const before = found.get(way.id) ?? way;
          found.set(way.id, { ...before, fields: [...before.fields, ...fields] });
        }
        // No later rule has such a payment, no matter who pays.
        if (!when.country && !when.bin) for (const { id } of ways) settled.add(id);
      }
      return [...found.values()]
        .map((way) => ({ ...way, fields: inOrder([...way.fields, ...askedByRisk(order, way.method)]) }))
        .toSorted((left, right) => offered.indexOf(left.method) - offered.indexOf(right.method));
    },
  };
}

function toPayerWay(
  active: ActiveAdapter,
  { method, withoutCard }: Way,
  facts: Pick<PayerWay, 'kind' | 'currency' | 'fields'> & Pick<Order, 'sandbox'>,
): PayerWay {
  const { kind, currency, fields, sandbox } = facts;
  const coin = coinOf(active, method, sandbox);
  const isProviders = method === 'hosted_page' || method === 'ewallet_redirect' || (method === 'crypto' && !coin);
  const whose = coin ?? (isProviders ? active.name : null);
  return {
    id: whose === null ? method : `${method}.${whose}`,
    kind,
    method,
    instrument: kind === 'card' && !withoutCard ? 'card' : method === 'upi_collect' ? 'upiId' : null,
    adapter: isProviders ? active.name : null,
    coin,
    title: active.adapter.manifest.title,
    currency,
    fields,
  };
}

function mayBeFor({ country: countries }: RouteRule['when'], country: string | undefined): boolean {
  if (!countries || country === undefined) return true;
  return countries.some((one) => one.toUpperCase() === country.toUpperCase());
}

/** Each once, as the interface lists them. */
function inOrder(fields: readonly PayerField[]): PayerField[] {
  return payerFields.filter((field) => fields.includes(field));
}
