/** Decides which part of a wrong value an answer may repeat. */
import { JsonNumber } from '@paywright/contract';
import { cardFields, memberConfirmFields, tokenFields, upiFields, walletFields } from '../payments/fields.ts';
import { hasCardNumber, replaceCardNumbers } from './card-numbers.ts';
import type { FieldTable } from './field-table.ts';

export const hidden = '[hidden]';

/** Names of our own fields whose values are never repeated, at any depth. */
const hiddenNames: ReadonlySet<string> = new Set(
  [cardFields, walletFields, tokenFields, upiFields, memberConfirmFields].flatMap((table: FieldTable) =>
    Object.entries(table).flatMap(([name, bounds]) => (bounds.hidden ? [name] : [])),
  ),
);
/** Names of members that usually hold a secret, ours or another system's. */
const secretName = /secret|passw|authorization|api-?_?key|private-?_?key/i;
/**
 * Texts that start like our keys and webhook secrets, or like a credential after the name of an authentication scheme.
 */
const secretText = /\bgk_(?:test|live|ops)_|\bwhsec_|^\s*(?:Bearer|Basic)\s/i;

/**
 * The value for `details.value`: as sent, but values of members with the name of a secret are hidden, and so is every
 * text that looks like a card number or a secret, because people type them into the wrong field.
 */
export function toEchoed(value: unknown): unknown {
  if (typeof value === 'string') return hasCardNumber(value) || secretText.test(value) ? hidden : value;
  if (value instanceof JsonNumber) return hasCardNumber(value.text) ? hidden : value;
  if (Array.isArray(value)) return value.map(toEchoed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => {
      const isHidden = hiddenNames.has(name) || secretName.test(name);
      return [name, isHidden ? hidden : toEchoed(member)];
    }),
  );
}

/** Removes everything that looks like a card number from our own text, which may contain input of a caller. */
export function withoutCardNumbers(text: string): string {
  return replaceCardNumbers(text, () => hidden);
}
