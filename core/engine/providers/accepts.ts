/** Decides from its manifest whether a provider accepts a payment, before it is called. */
import {
  currencyEnd,
  decimalsOf,
  fitsCurrency,
  fitsManifest,
  isCurrency,
  toCountry,
  type Money,
  type Way,
} from '@paywright/contract';
import * as v from 'valibot';
import type { FieldError } from '../../base/errors.ts';
import { describeIssue, issuePath } from './load/describe-issue.ts';
import type { ActiveAdapter } from './load/load-adapters.ts';

export interface Candidate {
  readonly unit: string;
  /** A plain decimal number as text. */
  readonly amount: string;
  /** The payer's country, as sent. */
  readonly country?: string;
  /** The merchant's body as sent. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Overrides the body's member: true if a rule demands 3D Secure. */
  readonly is3ds?: boolean;
  /** The payment way that the payment would use; present if 3D Secure is demanded. */
  readonly way?: Way;
  /** The currencies of the provider that the operator allows; absent: all. */
  readonly openCurrencies?: readonly string[] | undefined;
}

export type Acceptance =
  | { readonly ok: true; readonly money: Money }
  | { readonly ok: false; readonly errors: readonly [FieldError, ...FieldError[]] };

/**
 * Returns the amount to charge, or one error per field that this provider does not accept. The errors become VAL002, or
 * a routing rule tries the next provider.
 */
export function accepts(active: ActiveAdapter, candidate: Candidate): Acceptance {
  const { unit, amount, country, body, is3ds, way } = candidate;
  const { countries, bounds } = active.adapter.manifest;
  const errors = new Map<string, FieldError>();
  const refuse = (field: string, value: unknown, message: string): void => {
    if (!errors.has(field)) errors.set(field, { field, value, message });
  };

  const currency = currencyOf(active, candidate);
  if (currency !== undefined && !fitsCurrency({ amount, currency })) {
    refuse('amount', body['amount'] ?? amount, `${currency} has ${decimalsOf(currency)} decimals`);
  } else if (currency !== undefined && !fitsManifest(active.adapter.manifest, { amount, currency })) {
    const { maxMinorDigits } = active.adapter.manifest;
    refuse('amount', body['amount'] ?? amount, `an amount of at most ${maxMinorDigits} digits in minor units`);
  }
  // The amount and unit of a payment request are not in the body that pays it.
  const judged = { unit, ...body, amount, ...(is3ds !== undefined && { is3ds }) };
  for (const issue of (bounds && v.safeParse(bounds, judged).issues) ?? []) {
    const path = issuePath(issue);
    const field = path.join('.') || 'body';
    // A rule about several fields has the whole body as its input.
    refuse(field, shownValue({ ...judged, amount: body['amount'] ?? amount }, path), describeIssue(issue));
  }
  if (is3ds && way?.threeDs === 'unsupported')
    refuse('is3ds', true, `cannot be demanded: ${way.title} has no 3D Secure that a demand could reach`);
  if (currency === undefined) refuse('unit', unit, `must be ${describeUnits(active, candidate)}`);
  if (countries && country !== undefined && !countries.includes(toCountry(country))) {
    refuse('country', country, 'not a country that this provider serves');
  }

  const [first, ...others] = errors.values();
  if (first) return { ok: false, errors: [first, ...others] };
  return { ok: true, money: { amount, currency: currency! } };
}

/** The value of a member of a merchant's body, as an answer may repeat it. */
export function shownValue(body: Readonly<Record<string, unknown>>, path: readonly string[]): unknown {
  if (isHidden(path.join('.') || 'body')) return '[hidden]';
  const value = path.reduce<unknown>(
    (outer, key) => (outer as Readonly<Record<string, unknown>> | undefined)?.[key],
    body,
  );
  return value ?? null;
}

/** Returns the money that this provider would charge. Undefined if it does not accept the unit or the amount. */
export function chargeOf(
  active: ActiveAdapter,
  order: Pick<Candidate, 'unit' | 'amount' | 'openCurrencies'>,
): Money | undefined {
  const currency = currencyOf(active, order);
  if (currency === undefined) return undefined;
  const money = { amount: order.amount, currency };
  const { manifest } = active.adapter;
  return fitsManifest(manifest, money) && fitsBounds(manifest.bounds, order) ? money : undefined;
}

/** True if the adapter's own bounds allow the amount. Nothing else of the body is known yet. */
function fitsBounds(
  bounds: v.GenericSchema | undefined,
  { amount, unit }: Pick<Candidate, 'unit' | 'amount'>,
): boolean {
  const issues = (bounds && v.safeParse(bounds, { amount, unit }).issues) ?? [];
  return !issues.some((issue) => issuePath(issue)[0] === 'amount');
}

function currencyOf(
  active: ActiveAdapter,
  { unit, ...candidate }: Pick<Candidate, 'unit' | 'openCurrencies'>,
): string | undefined {
  const { adapter, options } = active;
  const openCurrencies = openAt(active, candidate);
  const { units, currencies, cryptocurrencies } = adapter.manifest;
  const currency = !units ? unit : Object.hasOwn(units, unit) ? units[unit] : undefined;
  if (currency === undefined || openCurrencies?.includes(currency) === false) return undefined;
  if (cryptocurrencies?.includes(currency)) return currency;
  if (currencyEnd(currency) !== undefined) return undefined;
  if (currencies === 'any') return isCurrency(currency) ? currency : undefined;
  return (typeof currencies === 'function' ? currencies(options) : currencies).includes(currency)
    ? currency
    : undefined;
}

/** The currencies that are open: an account's own list takes precedence over that of its adapter. */
function openAt(
  { currencies }: ActiveAdapter,
  { openCurrencies }: Pick<Candidate, 'openCurrencies'>,
): readonly string[] | undefined {
  return currencies ?? openCurrencies;
}

/** Describes the accepted values of `unit` for an error message. */
function describeUnits(active: ActiveAdapter, candidate: Candidate): string {
  const { adapter, options } = active;
  const openCurrencies = openAt(active, candidate);
  const { units, currencies, cryptocurrencies = [] } = adapter.manifest;
  const known = typeof currencies === 'function' ? currencies(options) : currencies;
  if (known === 'any' && !units && !openCurrencies)
    return ['an ISO 4217 currency in capitals, such as EUR', ...cryptocurrencies].join(', or ');
  const listed = known === 'any' ? (openCurrencies ?? []) : [...known, ...cryptocurrencies];
  const named = units ? Object.entries(units) : listed.map((currency) => [currency, currency] as const);
  const open = named.filter(([, currency]) => {
    const isListed = known === 'any' || known.includes(currency);
    const isKnown = (isListed && currencyEnd(currency) === undefined) || cryptocurrencies.includes(currency);
    return isKnown && openCurrencies?.includes(currency) !== false;
  });
  if (open.length === 0) return 'a unit that this provider accepts, but none is allowed here';
  return `one of ${open.map(([unit]) => unit).join(', ')}`;
}

/** True for members of a body that no answer may repeat, and for objects that contain them. */
function isHidden(field: string): boolean {
  return /^(body|number|cvv|token|upiId|code|wallet)(\.|$)/.test(field);
}
