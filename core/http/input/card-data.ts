/**
 * Finds card data in a body, for a service that accepts none (`http.refuseCardNumbers`). Members that hold card data
 * are refused in every body. In a body that pays, a text that looks like a card number is refused as well.
 */
import { JsonNumber } from '@paywright/contract';
import { invalidField, type GatewayError } from '../../base/errors.ts';
import { cardFields } from '../payments/fields.ts';
import { hasCardNumber } from './card-numbers.ts';
import { hidden } from './echo.ts';
import type { FieldTable } from './field-table.ts';
import { toShownName } from './shown-name.ts';

/** `number`, `cvv` and `wallet`. */
const cardMembers: ReadonlySet<string> = new Set(
  Object.entries(cardFields as FieldTable).flatMap(([name, bounds]) => (bounds.hidden ? [name] : [])),
);

/** One in ten phone numbers of 13 or 14 digits passes the Luhn check. Most cards have more digits than the field. */
const phoneField = 'phoneNumber';

/** The path of the first member with card data. Undefined: there is none. `pays`: the body pays a payment request. */
export function findCardData(body: unknown, { pays }: { readonly pays: boolean }): string | undefined {
  const isCard = (text: string): boolean => pays && hasCardNumber(text);
  const find = (value: unknown, path: string): string | undefined => {
    if (typeof value === 'string') return isCard(value) ? path : undefined;
    if (value instanceof JsonNumber) return isCard(value.text) ? path : undefined;
    if (typeof value !== 'object' || value === null) return undefined;
    for (const [name, member] of Object.entries(value)) {
      const at = path === '' ? toShownName(name) : `${path}.${toShownName(name)}`;
      if (cardMembers.has(name) || isCard(name)) return at;
      const found = name === phoneField ? undefined : find(member, at);
      if (found !== undefined) return found;
    }
    return undefined;
  };
  return find(body, '');
}

/** VAL002 for card data at a service that accepts none. It repeats nothing of the value. */
export function refusedCardData(field: string): GatewayError {
  const cure = 'send the payer the link of the payment, or pay at a page of the provider';
  return invalidField(field, hidden, `must be absent, because this service accepts no card data: ${cure}`);
}

/** Throws VAL002 if the body has card data. */
export function refuseCardData(body: unknown, how: { readonly pays: boolean }): void {
  const field = findCardData(body, how);
  if (field !== undefined) throw refusedCardData(field);
}
