/** Masks that keep sensitive data out of the log, wherever it is logged. */
import { passesLuhn } from '@paywright/contract';
import { describeRefusedWrite } from './refused-write.ts';

const hidden = '[hidden]';

/** Names of members, in lower case without `-` and `_`, whose values are never written. */
const sensitive = new Set(
  [
    ['number', 'cardnumber', 'pan', 'cvv', 'cvc', 'expiration', 'authenticationvalue', 'cryptogram', 'xid'],
    ['token', 'cardtoken', 'upiid', 'vpa', 'code', 'cres'],
    ['authorization', 'proxyauthorization', 'cookie', 'setcookie', 'xapikey', 'apikey', 'key', 'privatekey'],
    ['secret', 'secrets', 'webhooksecret', 'tokensecrets', 'encryptionkey', 'password', 'passphrase', 'salt'],
  ].flat(),
);
const deepest = 6;

/** Returns a copy in which sensitive members are hidden and texts are masked. Errors become plain data. */
export function hideSensitive(record: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, show(name, value, 1)]));
}

function show(name: string, value: unknown, depth: number): unknown {
  if (isSensitive(name, value)) return hidden;
  if (typeof value === 'string') return maskText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (value instanceof Error) return describeError(value, depth);
  if (value instanceof Date) return value;
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (depth === deepest) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => show(name, item, depth + 1));
  if (!isPlain(value)) return showOther(value);
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, show(key, member, depth + 1)]));
}

/** Cache from a member name to its entry in `sensitive`, or null. There are few names: those in our own code. */
const sensitiveNames = new Map<string, string | null>();
const maxNames = 5000;

function sensitiveName(name: string): string | null {
  const known = sensitiveNames.get(name);
  if (known !== undefined) return known;
  const plain = name.toLowerCase().replaceAll(/[-_]/g, '');
  const found = sensitive.has(plain) ? plain : null;
  if (sensitiveNames.size < maxNames) sensitiveNames.set(name, found);
  return found;
}

function isSensitive(name: string, value: unknown): boolean {
  if (value === undefined || value === null || value === '' || typeof value === 'boolean') return false;
  const plain = sensitiveName(name);
  if (plain === null) return false;
  // A small number is a count, not a card number. The code of an error or a decline is not a one-time code of a payer.
  if (plain === 'number') return typeof value !== 'number' || value > 99_999;
  if (plain === 'code') return typeof value === 'string' && !/^([A-Z][A-Z0-9_]*|\d{2})$/.test(value);
  return true;
}

/** Shows a database id or a URL as JSON would. */
function showOther(value: object): string {
  const json: unknown = 'toJSON' in value && typeof value.toJSON === 'function' ? value.toJSON() : undefined;
  return typeof json === 'string' ? maskText(json) : `[${value.constructor.name}]`;
}

function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

/**
 * Returns only type, message, code, stack and cause of an error. Its other members may contain the document or the
 * request that caused it.
 */
export function describeError(error: Error, depth = 1): Record<string, unknown> {
  const { code } = error as NodeJS.ErrnoException;
  const { cause } = error;
  const refused = describeRefusedWrite(error);
  return {
    type: error.name,
    message: maskText(error.message),
    ...(refused !== undefined && { refused }),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(error.stack !== undefined && { stack: maskText(error.stack) }),
    ...(cause instanceof Error && depth < deepest && { cause: describeError(cause, depth + 1) }),
  };
}

/** Matches a key, a secret, a database URI, or 13 digits. */
const suspicious = /gk_(?:test|live|ops)_|whsec_|mongodb|(?:\d[ -]?){13}/;

/** Hides keys and secrets in our formats, and possible card numbers, inside a text. */
export function maskText(text: string): string {
  // Most texts contain nothing sensitive, and this check is cheap.
  if (!suspicious.test(text)) return text;
  return text
    .replaceAll(/\b(gk_(?:test|live|ops)_|whsec_)[\w+/=-]+/g, `$1${hidden}`)
    .replaceAll(/(?<![\w.-])[2-6]\d(?:[ -]?\d){11,17}(?![\w-])/g, hideCard)
    .replaceAll(/\b(mongodb(?:\+srv)?:\/\/)[^@\s/]+@/g, `$1${hidden}@`);
}

/** Hides digits that pass the Luhn check. Our own ids start with 1 until the year 2033; card numbers never do. */
function hideCard(digits: string): string {
  return passesLuhn(digits.replaceAll(/\D/g, '')) ? hidden : digits;
}
