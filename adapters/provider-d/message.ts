/** What D says inside a triple: one set of members for callbacks and answers alike. */
import { compareDecimals, fromMinor, v, type Money } from '@gateway/contract';
import { readNumeric } from './countries.ts';
import { Text } from './signing.ts';

const digits = (form: RegExp) => v.pipe(Text, v.regex(form));
export const Sum = digits(/^\d{1,15}$/);
const optionalText = v.optional(Text);

export const Message = v.object({
  D_Shop: Text,
  D_Term: Text,
  D_Order: Text,
  D_Op: digits(/^\d$/),
  /** D's id of the payment, refund or case; may pass 2^53. */
  D_Id: digits(/^\d{1,20}$/),
  /** Minor units. */
  D_Sum: Sum,
  /** The currency, which D writes as its numeric code. */
  D_Cur: v.pipe(
    Text,
    v.transform((numeric) => readNumeric(numeric)),
    v.string(),
  ),
  D_Code: digits(/^\d{4}$/),
  D_Auth: optionalText,
  /** `0` none, `1` full, `2` attempted, `3` failed. */
  D_Secure: optionalText,
  D_Text: optionalText,
  D_Card: optionalText,
  D_Page: optionalText,
  D_Until: optionalText,
  /** Refunded so far, in minor units. */
  D_Back: v.optional(Sum),
  D_Case: optionalText,
  // D has no reason to repeat these; where it does, they are text like every member.
  D_Refund: optionalText,
  D_Name: optionalText,
  D_Mail: optionalText,
  D_Phone: optionalText,
  D_Addr: optionalText,
  D_City: optionalText,
  D_Region: optionalText,
  D_Zip: optionalText,
  D_Land: optionalText,
  D_Ip: optionalText,
  D_Item: optionalText,
  D_Notify: optionalText,
  D_Return: optionalText,
});
export type Message = v.InferOutput<typeof Message>;

/** What the sum is in major units. */
export function moneyOf({ D_Sum, D_Cur }: Pick<Message, 'D_Sum' | 'D_Cur'>): Money {
  return { amount: fromMinor(D_Sum, D_Cur), currency: D_Cur };
}

export function isSameMoney(left: Money, right: Money): boolean {
  return left.currency === right.currency && compareDecimals(left.amount, right.amount) === 0;
}
