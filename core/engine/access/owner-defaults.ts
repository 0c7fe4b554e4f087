/**
 * The defaults that an owner can change: its addresses, its currency, the notifications that it gets, and its brand.
 */
import { isDeepStrictEqual } from 'node:util';
import { isCurrency } from '@paywright/contract';
import { GatewayError, invalidField } from '../../base/errors.ts';
import { notificationTypes } from '../../database/collections/payment-request.ts';
import { readBrand, type Brand, type BrandChanges, type LogoName } from './brand.ts';
import type { Environment } from '../../base/environment.ts';

/** An absent member stays unchanged; null removes it. */
export interface OwnerDefaults extends BrandChanges {
  /** The address of live notifications. */
  readonly notifyUrl?: string | null | undefined;
  readonly testNotifyUrl?: string | null | undefined;
  readonly email?: string | null | undefined;
  readonly reportingCurrency?: string | null | undefined;
  readonly notificationTypes?: readonly string[] | null | undefined;
  /** Null: the owner also uses accounts that serve everybody. */
  readonly ownAccountsOnly?: true | null | undefined;
}

/** Returns the stored members to set and to remove. Throws VAL002 with the name of the member that is wrong. */
export function readDefaults(defaults: OwnerDefaults): { readonly set: object; readonly unset: object } {
  const {
    notifyUrl,
    testNotifyUrl,
    email,
    reportingCurrency,
    notificationTypes: types,
    ownAccountsOnly,
    ...look
  } = defaults;
  for (const [field, url] of Object.entries({ notifyUrl, testNotifyUrl })) {
    if (typeof url === 'string' && !isWebAddress(url)) {
      throw invalidField(field, url, 'must be an http or https address of at most 2048 characters');
    }
  }
  if (typeof email === 'string' && !/^[^\s@]{1,64}@[^\s@]{1,255}$/.test(email)) {
    throw invalidField('email', email, 'must be an e-mail address');
  }
  if (typeof reportingCurrency === 'string' && !isCurrency(reportingCurrency)) {
    throw invalidField('currency', reportingCurrency, 'must be an active ISO 4217 currency, such as EUR');
  }
  const wrong = types?.find((type) => !(notificationTypes as readonly string[]).includes(type));
  if (wrong !== undefined || types?.length === 0) {
    throw invalidField('types', wrong ?? types, `must be some of ${notificationTypes.join(', ')}`);
  }
  const brand = Object.entries(readBrand(look)).map(([member, value]) => [`brand.${member}`, value] as const);
  const own = { notifyUrl, testNotifyUrl, email, reportingCurrency, notificationTypes: types, ownAccountsOnly };
  const given = [...Object.entries(own), ...brand];
  return {
    set: Object.fromEntries(given.filter(([, value]) => value)),
    unset: Object.fromEntries(given.flatMap(([member, value]) => (value === null ? [[member, 1]] : []))),
  };
}

/** Every setting, removed. */
export const noDefaults = {
  notifyUrl: null,
  testNotifyUrl: null,
  email: null,
  reportingCurrency: null,
  notificationTypes: null,
  ownAccountsOnly: null,
  displayName: null,
  logo: null,
  colour: null,
  support: null,
  terms: null,
} as const satisfies Required<OwnerDefaults>;

/** The present settings of an owner. */
export interface PresentDefaults {
  readonly notifyUrls: Readonly<Record<Environment, string | null>>;
  readonly email: string | null;
  readonly reportingCurrency: string | null;
  readonly notificationTypes: readonly string[] | null;
  readonly ownAccountsOnly: boolean;
  readonly brand: Brand;
}

/** True if the owner has these settings already. False for settings that are not valid. */
export function hasDefaults(owner: PresentDefaults, defaults: OwnerDefaults): boolean {
  const { notifyUrls, brand } = owner;
  const present: Readonly<Record<string, unknown>> = {
    ...owner,
    notifyUrl: notifyUrls.live,
    testNotifyUrl: notifyUrls.test,
    ...Object.fromEntries(Object.entries(brand).map(([member, value]) => [`brand.${member}`, value])),
  };
  const changes = readIfValid(defaults);
  if (!changes) return false;
  const isRemoved = (member: string): boolean => !present[member];
  const isPresent = ([member, value]: readonly [string, unknown]): boolean =>
    member === 'brand.logo' ? brand.logo?.hash === (value as LogoName).hash : isDeepStrictEqual(present[member], value);
  return Object.keys(changes.unset).every(isRemoved) && Object.entries(changes.set).every(isPresent);
}

function readIfValid(defaults: OwnerDefaults): ReturnType<typeof readDefaults> | undefined {
  try {
    return readDefaults(defaults);
  } catch (error) {
    if (error instanceof GatewayError) return undefined;
    throw error;
  }
}

function isWebAddress(text: string): boolean {
  return text.length <= 2048 && URL.canParse(text) && /^https?:$/.test(new URL(text).protocol);
}
