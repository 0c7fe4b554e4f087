/** The name of an attempt towards a provider: `GW-<payment request id>-<attempt>`. */
import type { StoredPayment } from './payment.ts';

const form = /^GW-([1-9]\d{0,18})-([1-9]\d{0,2})$/;

export function toReference(paymentRequestId: string | number, attempt: number): string {
  return `GW-${paymentRequestId}-${attempt}`;
}

/** Parses one of our references; undefined for any other text. */
export function readReference(reference: string): { paymentRequestId: string; attempt: number } | undefined {
  const match = form.exec(reference);
  return match ? { paymentRequestId: match[1]!, attempt: Number(match[2]) } : undefined;
}

/** True if a message names this attempt: by our reference, and by the provider's own if that is known. */
export function namesAttempt(
  attempt: Pick<StoredPayment, 'reference' | 'providerReference'>,
  reference: string,
  providerReference: string,
): boolean {
  return attempt.reference === reference && (attempt.providerReference ?? providerReference) === providerReference;
}

/** The payer's page of the payment that a reference names; undefined if the reference is not ours. */
export function payPage(publicUrl: string, reference: string): string | undefined {
  const read = readReference(reference);
  return read && `${publicUrl}/pay/${read.paymentRequestId}`;
}
