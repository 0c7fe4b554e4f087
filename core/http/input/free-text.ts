/**
 * Handles card numbers in texts that are stored: masks them, or warns if the text is an identifier of the merchant's.
 */
import type { Warn } from '../../base/warnings.ts';
import { hasCardNumber, maskCardNumber, maskThisCard, replaceCardNumbers } from './card-numbers.ts';
import type { FieldTable, TextBounds } from './field-table.ts';

export interface FreeTextRules {
  /** The card that the same request pays with. It is masked in every other text. */
  readonly card?: string | undefined;
  readonly warn: Warn;
}

/** The values of a form as they may be stored, with a warning for each value that contained a card number. */
export function withoutCards<T extends object>(fields: FieldTable, values: T, rules: FreeTextRules, at = ''): T {
  const entries = Object.entries(values).map(([name, value]: [string, unknown]) => {
    const bounds = fields[name];
    const field = at + name;
    if (bounds?.hidden) return [name, value];
    if (bounds?.type === 'object' && typeof value === 'object' && value !== null)
      return [name, withoutCards(bounds.fields, value, rules, `${field}.`)];
    const isText = bounds && 'text' in bounds;
    return [name, typeof value === 'string' ? maskField(field, value, isText ? bounds.text : undefined, rules) : value];
  });
  return Object.fromEntries(entries) as T;
}

function maskField(field: string, value: string, text: TextBounds['text'], { card, warn }: FreeTextRules): string {
  const others = card === undefined ? value : maskThisCard(value, card);
  const masked = text === 'free' ? replaceCardNumbers(others, maskCardNumber) : others;
  if (masked !== value) warn({ field, message: 'contained a card number, which is masked' });
  if (text === 'own' && hasCardNumber(masked))
    warn({ field, message: 'looks like a card number: it is stored as given, and masked in logs and mail' });
  return masked;
}
