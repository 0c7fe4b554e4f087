/** Money as operators read it, in the console, in the command line, in logs and alarms. */
import { formatAmount, isDecimal } from '@paywright/contract';

/** With the decimals of its currency: `25.90 EUR`, `500 JPY`. What a message calls an amount and is none stays as it is. */
export function moneyText(amount: string, currency: string): string {
  return `${amountText(amount, currency)} ${currency}`.trimEnd();
}

/** The same without its currency. */
export function amountText(amount: string, currency: string): string {
  return isDecimal(amount) ? formatAmount({ amount, currency }) : amount;
}
