/** Formats money for operators: in the console, the command line, logs and alarms. */
import { formatAmount, isDecimal } from '@paywright/contract';
import { showAmount } from './show-amount.ts';

/**
 * Formats with the decimals of the currency: `25.90 EUR`, `500 JPY`. Text that is not a valid amount stays unchanged.
 * A net amount can begin with a minus sign.
 */
export function moneyText(amount: string, currency: string): string {
  return `${amountText(amount, currency)} ${currency}`.trimEnd();
}

/** Like `moneyText`, but without the currency. */
export function amountText(amount: string, currency: string): string {
  if (amount.startsWith('-')) return `-${amountText(amount.slice(1), currency)}`;
  return isDecimal(amount) ? formatAmount({ amount, currency }) : amount;
}

/** As people read it: `€25.90`, `¥500`. For sentences and pages. */
export function shownMoney(amount: string, currency: string): string {
  if (amount.startsWith('-')) return `−${shownMoney(amount.slice(1), currency)}`;
  return showAmount('en', amountText(amount, currency), currency);
}
