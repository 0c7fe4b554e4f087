/**
 * Card schemes by the prefix of their numbers. They are used to show a name and group the digits, never for a decision.
 */
export interface CardBrand {
  readonly name: string;
  /** A regular expression. The first that matches counts. */
  readonly prefix: string;
  readonly lengths: readonly number[];
  /** The groups in which the digits are printed on the card. */
  readonly groups: readonly number[];
  /** Number of digits of the security code. */
  readonly cvv: 3 | 4;
}

const fours = [4, 4, 4, 4, 3];

export const cardBrands: readonly CardBrand[] = [
  { name: 'Visa', prefix: '^4', lengths: [13, 16, 19], groups: fours, cvv: 3 },
  { name: 'Mastercard', prefix: '^(5[1-5]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720)', lengths: [16], groups: fours, cvv: 3 },
  { name: 'American Express', prefix: '^3[47]', lengths: [15], groups: [4, 6, 5], cvv: 4 },
  { name: 'RuPay', prefix: '^(508[5-9]|60(?!11)|8[12])', lengths: [16], groups: fours, cvv: 3 },
  { name: 'Discover', prefix: '^(6011|64[4-9]|65)', lengths: [16, 17, 18, 19], groups: fours, cvv: 3 },
  { name: 'Diners Club', prefix: '^(30[0-5]|3[689])', lengths: [14, 16, 19], groups: [4, 6, 4, 5], cvv: 3 },
  { name: 'JCB', prefix: '^35(2[89]|[3-8])', lengths: [16, 17, 18, 19], groups: fours, cvv: 3 },
  { name: 'UnionPay', prefix: '^62', lengths: [16, 17, 18, 19], groups: fours, cvv: 3 },
  { name: 'Maestro', prefix: '^(50|5[6-9]|6[37])', lengths: [12, 13, 14, 15, 16, 17, 18, 19], groups: fours, cvv: 3 },
];

/** The brand of a number, or of its first six digits. Undefined if the prefix is not known. */
export function cardBrandOf(digits: string): CardBrand | undefined {
  return cardBrands.find(({ prefix }) => new RegExp(prefix).test(digits));
}
