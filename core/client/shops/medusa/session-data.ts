/** What a payment session of Medusa keeps about its payment request. The storefront can read it. */
import type { PaymentRequest } from '@paywright/client';
import { MedusaError } from '@medusajs/framework/utils';

export interface SessionData {
  /** The payment request. */
  readonly id: number;
  /** Its reference at the gateway: the id of the payment session. */
  readonly session_id: string;
  /** The payer's page: the storefront leads the payer there. */
  readonly link: string;
  /** Decimal text. */
  readonly amount: string;
  /** ISO 4217 in capitals. */
  readonly currency: string;
  readonly [member: string]: unknown;
}

export function toSessionData(payment: PaymentRequest): SessionData {
  const { id, referenceId, link, amount, unit } = payment;
  return { id, session_id: referenceId ?? '', link, amount, currency: unit };
}

/**
 * Undefined for a session whose payment request was never created: Medusa then has only what the storefront sent, which
 * proves nothing.
 */
export function findSessionData(data: Readonly<Record<string, unknown>> | undefined): SessionData | undefined {
  const isComplete =
    typeof data?.['id'] === 'number' &&
    (['session_id', 'amount', 'currency'] as const).every((name) => typeof data[name] === 'string');
  return isComplete ? (data as SessionData) : undefined;
}

export function readSessionData(data: Readonly<Record<string, unknown>> | undefined): SessionData {
  const found = findSessionData(data);
  if (found) return found;
  throw new MedusaError(MedusaError.Types.INVALID_DATA, 'The payment session has no payment request at the gateway.');
}
