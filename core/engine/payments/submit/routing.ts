/**
 * Chooses the account of a payment whose body names none: the first rule that matches, and the first entry of its list
 * that accepts the payment. An entry is an account, or an adapter: then the first account counts that the merchant may
 * use and that accepts the payment.
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
import type { FieldError } from '../../../base/errors.ts';
import { accepts, chargeOf } from '../../providers/accepts.ts';
import type { ProviderCalls } from '../../providers/calls.ts';
import type { ActiveAdapter } from '../../providers/load/load-adapters.ts';
import type { Registry } from '../../providers/registry.ts';
import type { ChosenWay } from '../types/pay-page.ts';
import type { PayerInput } from '../types/input.ts';
import type { AccountUser } from '../../providers/account-access.ts';
import { parseAccountRef, toAccountRef } from '../../providers/account-ref.ts';
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
    /** The names of merchants. */
    readonly merchant?: readonly string[] | undefined;
  };
  /** Adapters and accounts. */
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
  /** Undefined: the merchant is not known, and uses the accounts that serve everybody. */
  readonly merchant?: AccountUser | undefined;
  /** The reference of the account that the merchant chose for the payment request. */
  readonly account?: string | undefined;
  /** The payer's choice: no provider is used in another way. */
  readonly way?: ChosenWay;
}

export interface Candidate {
  readonly active: ActiveAdapter;
  readonly money: Money;
}

export interface Route {
  /** Null: the merchant chose the account. */
  readonly ruleId: number | null;
  /** The payment is submitted to the first one; the others are for a fallback. Never empty. */
  readonly candidates: readonly [Candidate, ...Candidate[]];
}

/** Why an account of a rule was skipped, for the command that explains a route. */
export interface SkippedAdapter {
  readonly ruleId: number | null;
  /** The reference of the account; the name of the adapter if the merchant may use none of its accounts. */
  readonly adapter: string;
  /** Its provider code; undefined if config lists no such adapter. */
  readonly code: number | undefined;
  readonly why: string;
  /** The fields of the body that the account refuses. Absent: it refuses the payment for another reason. */
  readonly errors?: readonly FieldError[];
}

/** What is known of a payment before its payer. */
export type RoutedOrder = Pick<RouteFacts, 'unit' | 'amount' | 'sandbox' | 'merchant' | 'account'>;

export interface RoutingDeps {
  readonly rules: readonly RouteRule[];
  readonly registry: Registry;
  readonly openCurrencies: Readonly<Record<string, readonly string[]>>;
  readonly calls: Pick<ProviderCalls, 'methodOf'>;
  /** True: the service accepts no card data, so no provider is chosen for a card. Absent: false. */
  readonly refusesCards?: boolean | undefined;
}

export interface Routing {
  choose(facts: RouteFacts, explain?: (skipped: SkippedAdapter) => void): Route | undefined;
  /** True if some rule has a provider for this input kind, as far as that is known before the payer is. */
  hasWay(kind: InputKind, order: RoutedOrder): boolean;
}

export function createRouting({ rules, registry, openCurrencies, calls, refusesCards }: RoutingDeps): Routing {
  function candidateOf(ref: string, facts: RouteFacts): Candidate | string | readonly FieldError[] {
    const { unit, amount, sandbox, input, way: chosen } = facts;
    const active = registry.byName(ref);
    if (!active || active.state !== 'on') return `accepts no payments: it is ${registry.stateOf(ref) ?? 'not listed'}`;
    if (sandbox && !active.takesTestPayments) return 'accepts no test payments';
    if (!active.adapter.manifest.inputs.includes(input.kind)) return `takes no ${input.kind} input`;
    if (refusesCards && (input.card || input.wallet)) return 'would receive a card: http.refuseCardNumbers is on';
    const { payer, body, is3ds } = input;
    const way = is3ds || chosen ? paymentWayOf(calls, active, { unit, amount, sandbox }, input) : undefined;
    const other = chosen && way && whyNotChosen(chosen, way, active, facts);
    if (other) return other;
    const acceptance = accepts(active, {
      unit,
      amount,
      body,
      openCurrencies: openCurrencies[active.name],
      ...(payer.country !== undefined && { country: payer.country }),
      ...(is3ds !== undefined && { is3ds }),
      ...(is3ds && way && { way }),
    });
    if (acceptance.ok) return { active, money: acceptance.money };
    return acceptance.errors;
  }

  /** The first account of an entry that accepts the payment. */
  function candidateAt(
    entry: string,
    ruleId: number | null,
    facts: RouteFacts,
    explain: (skipped: SkippedAdapter) => void,
  ): Candidate | undefined {
    const refs = accountsAt(registry, entry, facts.merchant);
    const { adapter } = parseAccountRef(entry);
    const code = registry.byName(adapter)?.adapter.manifest.code;
    if (refs.length === 0) explain({ ruleId, adapter: entry, code, why: whyNone(registry, entry) });
    for (const ref of refs) {
      const candidate = candidateOf(ref, facts);
      if (typeof candidate === 'string') explain({ ruleId, adapter: ref, code, why: candidate });
      else if ('active' in candidate) return candidate;
      else {
        const why = candidate.map(({ field, message }) => `${field}: ${message}`).join('; ');
        explain({ ruleId, adapter: ref, code, why, errors: candidate });
      }
    }
    return undefined;
  }

  return {
    choose(facts, explain = () => undefined) {
      if (facts.account !== undefined) {
        const chosen = candidateAt(facts.account, null, facts, explain);
        return chosen && { ruleId: null, candidates: [chosen] };
      }
      for (const { id, when, use, fallback } of rules) {
        if (!matches(when, facts)) continue;
        const [first, ...others] = use.flatMap((entry) => candidateAt(entry, id, facts, explain) ?? []);
        if (first) return { ruleId: id, candidates: fallback ? [first, ...others] : [first] };
      }
      return undefined;
    },

    hasWay(kind, order) {
      const serves = (ref: string): boolean => {
        const active = registry.byName(ref);
        if (active?.state !== 'on' || !active.adapter.manifest.inputs.includes(kind)) return false;
        if (order.sandbox && !active.takesTestPayments) return false;
        if (refusesCards && kind === 'card' && !hasWayWithoutCard(active)) return false;
        return chargeOf(active, { ...order, openCurrencies: openCurrencies[active.name] }) !== undefined;
      };
      const isServed = (entry: string): boolean => accountsAt(registry, entry, order.merchant).some(serves);
      if (order.account !== undefined) return isServed(order.account);
      return rules.some(({ when, use }) => matchesMethod(when, { ...order, input: { kind } }) && use.some(isServed));
    },
  };
}

/**
 * The accounts that an entry of a rule means for the merchant, in the order in which they are tried: an account only if
 * the merchant may use it, of an adapter those that the merchant may use.
 */
export function accountsAt(
  registry: Pick<Registry, 'accountsFor' | 'isOpenTo'>,
  entry: string,
  merchant: AccountUser | undefined,
): readonly string[] {
  if (!entry.includes('/')) return registry.accountsFor(entry, merchant);
  const ref = toAccountRef(entry);
  return registry.isOpenTo(ref, merchant) ? [ref] : [];
}

function whyNone(registry: Pick<Registry, 'stateOf'>, entry: string): string {
  const isListed = registry.stateOf(toAccountRef(entry)) !== undefined;
  if (!isListed) return 'accepts no payments: it is not listed';
  return entry.includes('/') ? 'is not open to this merchant' : 'has no account that is open to this merchant';
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

/** True if a payer can pay with the input kind `card` and types the card at the provider. */
function hasWayWithoutCard({ adapter }: ActiveAdapter): boolean {
  return adapter.manifest.ways.some(({ withoutCard }) => withoutCard);
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
    matchesMethod(when, facts) &&
    (when.country?.some((country) => isSameCountry(country, payer.country)) ?? true) &&
    (when.bin?.some((prefix) => bin.startsWith(prefix)) ?? true)
  );
}

/** Checks the conditions that do not depend on the payer. */
function matchesMethod(
  when: RouteRule['when'],
  { input, way, ...order }: Omit<RouteFacts, 'input'> & { readonly input: Pick<PayerInput, 'kind' | 'wallet'> },
): boolean {
  const methods = way ? [way.method] : methodsOf(input);
  return (when.method?.some((method) => methods.includes(method)) ?? true) && matchesOrder(when, order);
}

/** Checks the conditions that depend neither on the payer nor on the method. */
export function matchesOrder(when: RouteRule['when'], { unit, amount, sandbox, merchant }: RoutedOrder): boolean {
  return (
    (when.merchant?.includes(merchant?.name ?? '') ?? true) &&
    (when.currency?.includes(unit) ?? true) &&
    (when.amountFrom === undefined || atLeast(amount, when.amountFrom)) &&
    (when.amountTo === undefined || atLeast(when.amountTo, amount)) &&
    (when.isSandbox === undefined || when.isSandbox === sandbox)
  );
}

function atLeast(left: string, right: string): boolean {
  return isDecimal(left) && isDecimal(right) && compareDecimals(left, right) >= 0;
}
