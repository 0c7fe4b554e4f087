/** The identifiers of a payer, which are searched for in texts. */
import type { PaymentRecord } from '../database/collections/payment-request.ts';
import type { Found, Payer } from './find.ts';

/**
 * Only the payer's own identifiers. Another person in a payment, such as the school that a parent pays, is not the
 * payer.
 */
export function identifiersOf(
  { email }: Payer,
  { clients, payments }: Pick<Found, 'clients' | 'payments'>,
): readonly (string | null)[] {
  const isEmail = (other: string | null): boolean => other?.toLowerCase() === email.toLowerCase();
  const known = new Set(clients.flatMap(({ _id, aliasOf }) => [_id, ...(aliasOf === undefined ? [] : [aliasOf])]));
  return [
    email,
    ...clients.flatMap((client) => [client.email, client.name, client.phone, client.address, client.memberId]),
    ...payments.flatMap((payment) => identifiersIn(payment, isEmail, known.has(payment.clientId))),
  ];
}

function identifiersIn(
  { client, payerName, payerEmail, payerPhone = '', kycApplicantId }: PaymentRecord,
  isEmail: (email: string | null) => boolean,
  isKnownClient: boolean,
): readonly (string | null)[] {
  const isClient = isKnownClient || isEmail(client.email);
  // A name without an e-mail address, next to a client, is assumed to be the client's.
  const isPayer = payerEmail === null ? isClient : isEmail(payerEmail);
  return [
    ...(isClient ? [client.email, client.name, client.phone, client.address, client.memberId] : []),
    ...(isPayer ? [payerName, payerEmail, payerPhone, kycApplicantId] : []),
  ];
}
