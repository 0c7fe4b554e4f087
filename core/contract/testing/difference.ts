/** Differences between an expected and an actual value, in words. Secrets never occur in them. */
import { compareDecimals, readDecimal } from '../money/money.ts';
import { secretPaths } from '../proof/options.ts';
import type { ProviderAdapter } from '../adapter.ts';

/** Hides known secrets in a text. */
export type Hide = (text: string) => string;

/**
 * Hides every given text wherever it occurs. Short digits (a CVV, a code) are hidden only if no other digit touches
 * them.
 */
export function hideAll(secrets: readonly string[]): Hide {
  const patterns = secrets
    .filter((secret) => secret.length >= 3)
    .sort((a, b) => b.length - a.length)
    .map((secret) => {
      const literal = secret.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
      return new RegExp(/^\d{3,8}$/.test(secret) ? `(?<!\\d)${literal}(?!\\d)` : literal, 'g');
    });
  return (text) => patterns.reduce((shown, pattern) => shown.replace(pattern, '(hidden)'), text);
}

/** The values of the options that their schema marks as secret. */
export function secretsIn<Options>(adapter: ProviderAdapter<Options>, options: unknown): string[] {
  return secretPaths(adapter.manifest.options).flatMap((path) => textsAt(options, path));
}

function textsAt(value: unknown, [step, ...rest]: readonly string[]): string[] {
  if (step === undefined) return typeof value === 'string' ? [value] : [];
  if (typeof value !== 'object' || !value) return [];
  if (step === '*') return Object.values(value).flatMap((item) => textsAt(item, rest));
  return textsAt((value as Record<string, unknown>)[step], rest);
}

/** The secrets of the payer in a vector's payment: card number, CVV, token, member code. */
export function payerSecrets(payment: Readonly<Record<string, unknown>> | undefined): string[] {
  return ['number', 'cvv', 'token', 'code'].flatMap((name) => {
    const value = payment?.[name];
    return typeof value === 'string' ? [value] : [];
  });
}

/** A value in the form that differences print. */
export function shown(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'string' ? JSON.stringify(value) : (JSON.stringify(value) ?? typeof value);
  return text.length > 160 ? `${text.slice(0, 160)}… (${text.length} characters)` : text;
}

/** Every path at which two values differ; null counts as absent. */
export function differences(path: string, expected: unknown, actual: unknown): string[] {
  const [left, right] = [expected ?? null, actual ?? null];
  if (left === right) return [];
  if (Array.isArray(left) && Array.isArray(right)) {
    const longest = Math.max(left.length, right.length);
    return Array.from({ length: longest }).flatMap((_, at) => differences(`${path}[${at}]`, left[at], right[at]));
  }
  if (isObject(left) && isObject(right)) {
    const names = new Set([...Object.keys(left), ...Object.keys(right)]);
    return [...names].flatMap((name) => differences(`${path}.${name}`, left[name], right[name]));
  }
  return [`${path}: expected ${shown(expected)}, got ${shown(actual)}`];
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** True for equal decimals, whether they are written as text or as a number. */
export function sameDecimal(left: unknown, right: unknown): boolean {
  const [a, b] = [toDecimal(left), toDecimal(right)];
  return a !== undefined && b !== undefined && compareDecimals(a, b) === 0;
}

/** A decimal given as text or number, in plain spelling; undefined for anything else. */
export function toDecimal(value: unknown): string | undefined {
  return typeof value === 'string' || typeof value === 'number' ? readDecimal(String(value)) : undefined;
}
