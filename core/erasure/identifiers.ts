/** What a payer is known by, to be looked for in texts. */
import type { PaymentRecord } from '../database/collections/payment-request.ts';
import type { Found, Payer } from './find.ts';

/** Only the payer's own: who a payment names beside, as the school that a parent pays, is somebody else. */
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
  { client, payerName, payerEmail, kycApplicantId }: PaymentRecord,
  isEmail: (email: string | null) => boolean,
  isKnownClient: boolean,
): readonly (string | null)[] {
  const isClient = isKnownClient || isEmail(client.email);
  // A name without an address beside a client is the client's, as far as anybody said.
  const isPayer = payerEmail === null ? isClient : isEmail(payerEmail);
  return [
    ...(isClient ? [client.email, client.name, client.phone, client.address, client.memberId] : []),
    ...(isPayer ? [payerName, payerEmail, kycApplicantId] : []),
  ];
}
