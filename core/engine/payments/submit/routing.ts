/**
 * Chooses the provider of a payment whose body names none: the first rule that matches, and the first adapter in its
 * list that accepts the payment.
 */
import {
  compareDecimals,
  isDecimal,
  toCountry,
  type InputKind,
  type Money,
  type PaymentMethod,
  type Way,
} from '@paywright/contract';
import { accepts, chargeOf } from '../../providers/accepts.ts';
import type { ProviderCalls } from '../../providers/calls.ts';
import type { ActiveAdapter } from '../../providers/load/load-adapters.ts';
import type { Registry } from '../../providers/registry.ts';
import type { ChosenWay } from '../types/pay-page.ts';
import type { PayerInput } from '../types/input.ts';
import { paymentWayOf } from './attempt.ts';

export interface RouteRule {
  readonly id: number;
  readonly when: {
    readonly method?: readonly PaymentMethod[] | undefined;
    readonly currency?: readonly string[] | undefined;
    readonly country?: readonly string[] | undefined;
    readonly bin?: readonly string[] | undefined;
    readonly amountFrom?: string | undefined;
    readonly amountTo?: string | undefined;
    readonly isSandbox?: boolean | undefined;
  };
  readonly use: readonly string[];
  /** True: if certainly nothing was charged, the next adapter in the list is tried. */
  readonly fallback: boolean;
}

/** The facts against which a rule is matched. */
export interface RouteFacts {
  readonly unit: string;
  readonly amount: string;
  readonly sandbox: boolean;
  readonly input: PayerInput;
  /** The payer's choice: no provider is used in another way. */
  readonly way?: ChosenWay;
}

export interface Candidate {
  readonly active: ActiveAdapter;
  readonly money: Money;
}

export interface Route {
  readonly ruleId: number;
  /** The payment is submitted to the first one; the others are for a fallback. Never empty. */
  readonly candidates: readonly [Candidate, ...Candidate[]];
}

/** Why an adapter of a rule was skipped, for the command that explains a route. */
export interface SkippedAdapter {
  readonly ruleId: number;
  readonly adapter: string;
  /** Its provider code; undefined if config lists no such adapter. */
  readonly code: number | undefined;
  readonly why: string;
}

export interface RoutingDeps {
  readonly rules: readonly RouteRule[];
  readonly registry: Registry;
  readonly openCurrencies: Readonly<Record<string, readonly string[]>>;
  readonly calls: Pick<ProviderCalls, 'methodOf'>;
}

export interface Routing {
  choose(facts: RouteFacts, explain?: (skipped: SkippedAdapter) => void): Route | undefined;
  /** True if some rule has a provider for this input kind, as far as that is known before the payer is. */
  hasWay(kind: InputKind, order: Pick<RouteFacts, 'unit' | 'amount' | 'sandbox'>): boolean;
}

export function createRouting({ rules, registry, openCurrencies, calls }: RoutingDeps): Routing {
  function candidateOf(name: string, facts: RouteFacts): Candidate | string {
    const { unit, amount, sandbox, input, way: chosen } = facts;
    const active = registry.byName(name);
    if (!active || active.state !== 'on') return `accepts no payments: it is ${registry.stateOf(name) ?? 'not listed'}`;
    if (sandbox && !active.takesTestPayments) return 'accepts no test payments';
    if (!active.adapter.manifest.inputs.includes(input.kind)) return `takes no ${input.kind} input`;
    const { payer, body, is3ds } = input;
    const way = is3ds || chosen ? paymentWayOf(calls, active, { unit, amount, sandbox }, input) : undefined;
    const other = chosen && way && whyNotChosen(chosen, way, active, facts);
    if (other) return other;
    const acceptance = accepts(active, {
      unit,
      amount,
      body,
      openCurrencies: openCurrencies[name],
      ...(payer.country !== undefined && { country: payer.country }),
      ...(is3ds !== undefined && { is3ds }),
      ...(is3ds && way && { way }),
    });
    if (acceptance.ok) return { active, money: acceptance.money };
    return acceptance.errors.map(({ field, message }) => `${field}: ${message}`).join('; ');
  }

  return {
    choose(facts, explain = () => undefined) {
      for (const { id, when, use, fallback } of rules) {
        if (!matches(when, facts)) continue;
        const candidates: Candidate[] = [];
        for (const name of use) {
          const candidate = candidateOf(name, facts);
          if (typeof candidate === 'string')
            explain({ ruleId: id, adapter: name, code: registry.byName(name)?.adapter.manifest.code, why: candidate });
          else candidates.push(candidate);
        }
        const [first, ...others] = candidates;
        if (first) return { ruleId: id, candidates: fallback ? [first, ...others] : [first] };
      }
      return undefined;
    },

    hasWay(kind, order) {
      const serves = (name: string): boolean => {
        const active = registry.byName(name);
        if (active?.state !== 'on' || !active.adapter.manifest.inputs.includes(kind)) return false;
        if (order.sandbox && !active.takesTestPayments) return false;
        return chargeOf(active, { ...order, openCurrencies: openCurrencies[name] }) !== undefined;
      };
      return rules.some(({ when, use }) => fitsOrder(when, { ...order, input: { kind } }) && use.some(serves));
    },
  };
}

/** Why a provider cannot take the payment in the way that the payer chose; undefined: it can. */
function whyNotChosen(
  chosen: ChosenWay,
  { method, payerFields }: Way,
  active: ActiveAdapter,
  { sandbox, input: { payer } }: RouteFacts,
): string | undefined {
  if (method !== chosen.method || coinOf(active, method, sandbox) !== chosen.coin) return `accepts it as ${method}`;
  if (chosen.adapter !== null && chosen.adapter !== active.name) return 'is not the provider that the payer chose';
  const unknown = payerFields.filter((field) => payer[field] === undefined);
  return unknown.length > 0 ? `needs ${unknown.join(', ')} of the payer` : undefined;
}

/** The coin in which a payment in coins is paid. Null for any other payment, and if the adapter does not say. */
export function coinOf({ adapter, options, sandboxOptions }: ActiveAdapter, method: PaymentMethod, sandbox: boolean) {
  if (method !== 'crypto') return null;
  return adapter.manifest.coin?.(sandbox ? sandboxOptions : options) ?? null;
}

/** True for the same country in any spelling that `toCountry` corrects. */
export function isSameCountry(one: string, other: string | undefined): boolean {
  return other !== undefined && toCountry(one) === toCountry(other);
}

/** The methods into which an input kind can turn. Rules name methods. */
function methodsOf({ kind, wallet }: Pick<PayerInput, 'kind' | 'wallet'>): readonly PaymentMethod[] {
  switch (kind) {
    case 'card':
      return wallet ? ['wallet_card'] : ['card'];
    case 'token':
      return ['card_token'];
    case 'upi':
      return ['upi_collect', 'upi_intent', 'upi_qr'];
    case 'billing':
      return ['hosted_page', 'ewallet_redirect', 'crypto'];
  }
}

/** True if the payment meets every condition of the rule. */
export function matches(when: RouteRule['when'], facts: RouteFacts): boolean {
  const { payer, card } = facts.input;
  const bin = card?.number ?? '';
  return (
    fitsOrder(when, facts) &&
    (when.country?.some((country) => isSameCountry(country, payer.country)) ?? true) &&
    (when.bin?.some((prefix) => bin.startsWith(prefix)) ?? true)
  );
}

/** Checks the conditions that do not depend on the payer. */
function fitsOrder(
  when: RouteRule['when'],
  { input, way, ...order }: Omit<RouteFacts, 'input'> & { readonly input: Pick<PayerInput, 'kind' | 'wallet'> },
): boolean {
  const methods = way ? [way.method] : methodsOf(input);
  return (when.method?.some((method) => methods.includes(method)) ?? true) && fitsAmount(when, order);
}

/** Checks the conditions that depend neither on the payer nor on the method. */
export function fitsAmount(
  when: RouteRule['when'],
  { unit, amount, sandbox }: Omit<RouteFacts, 'input' | 'way'>,
): boolean {
  return (
    (when.currency?.includes(unit) ?? true) &&
    (when.amountFrom === undefined || atLeast(amount, when.amountFrom)) &&
    (when.amountTo === undefined || atLeast(when.amountTo, amount)) &&
    (when.isSandbox === undefined || when.isSandbox === sandbox)
  );
}

function atLeast(left: string, right: string): boolean {
  return isDecimal(left) && isDecimal(right) && compareDecimals(left, right) >= 0;
}
