import { readReference } from '@paywright/contract';
import { UsageError } from './command.ts';

/** Reads the id of a payment request, given as a number or as our reference (`GW-10042-1`). */
export function readPaymentId(text = ''): number {
  const named = readReference(text)?.paymentRequestId ?? text;
  if (/^\d{1,16}$/.test(named)) return Number(named);
  throw new UsageError('<payment id> must be the id of a payment request, or a reference such as GW-10042-1.');
}
