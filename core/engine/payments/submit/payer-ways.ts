/** The ways to pay from which a payer can choose: those for which the route rules have a provider. */
import {
  defined,
  payerFields,
  upiIds,
  type InputKind,
  type PayerField,
  type PaymentMethod,
  type Way,
} from '@paywright/contract';
import { chargeOf } from '../../providers/accepts.ts';
import type { ActiveAdapter } from '../../providers/load/load-adapters.ts';
import { brandsOf, namesOf, pictureFile } from '../../providers/way-look.ts';
import type { PayerInput } from '../types/input.ts';
import type { PayerBrand, PayerWay, WayLook } from '../types/pay-page.ts';
import { paymentWayOf } from './attempt.ts';
import type { RiskRule } from './risk.ts';
import {
  accountsAt,
  coinOf,
  matchesOrder,
  isSameCountry,
  type RoutedOrder,
  type RouteRule,
  type RoutingDeps,
} from './routing.ts';

export interface PayerWaysDeps extends RoutingDeps {
  readonly risk: readonly RiskRule[];
}

type Order = RoutedOrder;

export interface PayerWays {
  /** In the order in which they are offered. `country`: the payer's country, if it is known. */
  of(order: Order, country?: string): readonly PayerWay[];
}

/** The methods in the order in which they are offered. Other methods are only available through the API. */
const offered: readonly PaymentMethod[] = [
  'card',
  'upi_intent',
  'upi_qr',
  'upi_collect',
  'ewallet_redirect',
  'hosted_page',
  'crypto',
];

/** A test number of the card schemes. It is only used to ask an adapter which way a card takes; nothing is sent. */
const card = { number: '4111111111111111', expiration: '12/99', expiryMonth: '12', expiryYear: '2099', cvv: '000' };
const noPayer = { payer: { ipAddress: null }, body: {} } as const;

const cardProbe = { ...noPayer, kind: 'card', card } as const;

/** Sample inputs of a payer, one for each way that an adapter may distinguish by the input. */
const probes: readonly (PayerInput & Pick<PayerWay, 'kind'>)[] = [
  cardProbe,
  { ...noPayer, kind: 'upi', upiId: upiIds.upi_intent },
  { ...noPayer, kind: 'upi', upiId: upiIds.upi_qr },
  { ...noPayer, kind: 'upi', upiId: 'payer@bank' },
  { ...noPayer, kind: 'billing' },
];

/** True if a payer who pays by card at this adapter types the card at our page. */
export function asksForCard(calls: RoutingDeps['calls'], active: ActiveAdapter, sandbox: boolean): boolean {
  const { inputs } = active.adapter.manifest;
  if (!inputs.includes('card')) return false;
  const way = paymentWayOf(calls, active, { unit: 'EUR', amount: '1', sandbox }, cardProbe);
  return !way.withoutCard && !canDoWithoutCard(way, inputs);
}

/** True for an adapter at whose page the payer types the card, and that needs no card from us. */
function canDoWithoutCard({ method }: Way, inputs: readonly InputKind[]): boolean {
  return method !== 'card' && inputs.includes('billing');
}

export function createPayerWays(deps: PayerWaysDeps): PayerWays {
  const { rules, risk, registry, openCurrencies, calls, refusesCards = false } = deps;

  /** The ways of one account for this order, whichever rule leads to the account. */
  function waysOf(ref: string, order: Order): PayerWay[] {
    const active = registry.byName(ref);
    if (active?.state !== 'on' || (order.sandbox && !active.takesTestPayments)) return [];
    const money = chargeOf(active, { ...order, openCurrencies: openCurrencies[active.name] });
    if (!money) return [];
    const { inputs, countries } = active.adapter.manifest;
    return probes.flatMap((probe) => {
      if (!inputs.includes(probe.kind)) return [];
      const way = paymentWayOf(calls, active, order, probe);
      // A card that the payer types at the provider anyway is not requested here, if the adapter can do without it.
      const isAskedTwice = probe.kind === 'card' && canDoWithoutCard(way, inputs);
      const isRefused = refusesCards && probe.kind === 'card' && !way.withoutCard;
      if (!offered.includes(way.method) || isAskedTwice || isRefused) return [];
      const fields = countries ? [...way.payerFields, 'country' as const] : way.payerFields;
      return [toPayerWay(active, way, { kind: probe.kind, currency: money.currency, fields, sandbox: order.sandbox })];
    });
  }

  /** The payer fields that the risk rules need, so that the page offers no way around a rule. */
  function askedByRisk(order: Order, method: PaymentMethod): PayerField[] {
    return risk.flatMap(({ when, velocity }) => {
      if (!matchesOrder(when, order) || when.method?.includes(method) === false) return [];
      return [...(when.country ? ['country' as const] : []), ...(velocity?.by === 'email' ? ['email' as const] : [])];
    });
  }

  return {
    of(order, country) {
      const found = new Map<string, PayerWay>();
      const settled = new Set<string>();
      const { account, merchant } = order;
      for (const { when, use } of account === undefined ? rules : [{ when: {}, use: [account] }]) {
        if (!matchesOrder(when, order) || !mayBeFor(when, country)) continue;
        const ways = use
          .flatMap((entry) => accountsAt(registry, entry, merchant))
          .flatMap((ref) => waysOf(ref, order))
          .filter(({ id, method }) => !settled.has(id) && when.method?.includes(method) !== false);
        for (const way of ways) {
          const fields = when.country ? [...way.fields, 'country' as const] : way.fields;
          const before = found.get(way.id) ?? way;
          const brands = mergeBrands(before.brands, way.brands);
          found.set(way.id, { ...before, ...brands, fields: [...before.fields, ...fields] });
        }
        // No later rule receives such a payment, no matter who pays.
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
  way: Way,
  facts: Pick<PayerWay, 'kind' | 'currency' | 'fields'> & Pick<Order, 'sandbox'>,
): PayerWay {
  const { method, withoutCard } = way;
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
    currency,
    fields,
    ...lookOf(active, way, sandbox),
  };
}

/** How the payer's page names the way and shows it. */
export function lookOf(active: ActiveAdapter, way: Way, sandbox: boolean): WayLook {
  const brands = brandsOf(active, way.method, sandbox).map((brand) => ({
    name: brand.name,
    picture: pictureFile(brand),
  }));
  const names = namesOf(active, way) ?? (brands.length === 0 ? { '': way.title } : undefined);
  return {
    title: active.adapter.manifest.title,
    ...defined({ names, leadsTo: way.leadsTo }),
    ...(brands.length > 0 && { brands }),
  };
}

/** Several providers may accept the same way: its brands are those that some of them accepts. */
function mergeBrands(
  first: readonly PayerBrand[] | undefined = [],
  more: readonly PayerBrand[] | undefined = [],
): Pick<WayLook, 'brands'> {
  const brands = [...first, ...more.filter(({ name }) => !first.some((one) => one.name === name))];
  return brands.length > 0 ? { brands } : {};
}

function mayBeFor({ country: countries }: RouteRule['when'], country: string | undefined): boolean {
  if (!countries || country === undefined) return true;
  return countries.some((one) => isSameCountry(one, country));
}

/** Each field once, in the order of the interface. */
function inOrder(fields: readonly PayerField[]): PayerField[] {
  return payerFields.filter((field) => fields.includes(field));
}
