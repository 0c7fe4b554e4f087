import { readReference } from '@paywright/contract';
import { UsageError } from './command.ts';

/** Reads the id of a payment request, given as a number or as our reference (`GW-10042-1`). */
export function readPaymentId(text = ''): number {
  const named = readReference(text)?.paymentRequestId ?? text;
  if (/^\d{1,16}$/.test(named)) return Number(named);
  throw new UsageError('<payment id> must be the id of a payment request, or a reference such as GW-10042-1.');
}

/** Reads the id of the payment request from our id of one of its refunds (`GW-10042-1-R1`). */
export function paymentIdOfRefund(text: string): number {
  const named = readReference(text.replace(/-[RP][0-9A-Za-z]{1,8}$/, ''))?.paymentRequestId;
  if (named !== undefined && /^\d{1,16}$/.test(named)) return Number(named);
  throw new UsageError('<refund> must be our id of a refund, such as GW-10042-1-R1.');
}
