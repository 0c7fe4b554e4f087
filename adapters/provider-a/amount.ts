/** What A can take: an amount of at most 15 digits in minor units. */
import { isCurrency, readDecimal, toMinor, v, type Money } from '@gateway/contract';

const MAX_DIGITS = 15;

/** Minor units; undefined for an amount that A, or the currency itself, cannot express. */
export function readMinor(money: Money): number | undefined {
  try {
    const minor = toMinor(money);
    return minor.length <= MAX_DIGITS ? Number(minor) : undefined;
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

/** The merchant's body where it names an amount; everything else is core's to judge. */
export const Bounds = v.pipe(
  v.looseObject({ amount: v.optional(v.unknown()), unit: v.optional(v.unknown()) }),
  v.rawCheck(({ dataset, addIssue }) => {
    if (!dataset.typed) return;
    const { amount, unit } = dataset.value;
    if (fits(readDecimal(spelling(amount)), unit)) return;
    // The issue names the amount alone: the body around it holds the card.
    addIssue({
      message: `an amount of at most ${MAX_DIGITS} digits in minor units`,
      input: amount,
      path: [{ type: 'object', origin: 'value', input: { amount }, key: 'amount', value: amount }],
    });
  }),
);

function fits(amount: string | undefined, currency: unknown): boolean {
  if (amount === undefined || typeof currency !== 'string' || !isCurrency(currency)) return true;
  return readMinor({ amount, currency }) !== undefined;
}

/** A number as it was spelled, whichever way it was read. */
function spelling(amount: unknown): string {
  if (typeof amount === 'object' && amount && 'text' in amount) return String(amount.text);
  return typeof amount === 'number' || typeof amount === 'string' ? String(amount) : '';
}
