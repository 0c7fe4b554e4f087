/** Bodies and queries around the payment request. */
import { invalidField, missingFields } from '../../errors.ts';
import type { ListQuery, NewPaymentRequest } from '../../payments/service.ts';
import { paymentRequestFields, resendFields } from './bounds.ts';
import { accept, createForm, isEmail } from '../input/form.ts';
import { toOrderInput } from '../payments/schema.ts';
import { anyText, day, flag, instant, oneOf, readQuery, whole } from '../input/query.ts';
import type { Parameter, Query } from '../input/query.ts';
import type { Body } from '../input/read-body.ts';

export const paymentRequest = createForm(paymentRequestFields);
export const resendSpan = createForm(resendFields);

/** The resource's own labels: 0 none, 1–3 the merchant's. */
type AccountType = NewPaymentRequest['targetAccountTypeId'];

/** The provider codes and method codes of the specification, as ranges with gaps. */
export const providerCodes = whole(0, 59, [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 19, 20]);
export const methodCodes = whole(0, 20, [12]);
const anyId = whole(1, Number.MAX_SAFE_INTEGER);
const defaultPageSize = 20;
const pageSize = withDefault(whole(1, 100), defaultPageSize);
/** Most payment requests that one batch makes. */
export const batchSize = 500;

export const createQuery = { send: flag, accountType: whole<AccountType>(0, 3), applicantId: anyText } as const;

export const listQuery = {
  status: whole(0, 5),
  referenceId: anyText,
  clientId: anyId,
  providerId: providerCodes,
  methodId: methodCodes,
  createdFrom: instant,
  createdTo: instant,
  limit: pageSize,
  cursor: anyText,
} as const;

export const notificationQuery = {
  paymentRequestId: anyId,
  state: oneOf(['waiting', 'delivered', 'exhausted', 'gone']),
  type: anyText,
  limit: pageSize,
  cursor: anyText,
} as const;
export const resendQuery = { from: instant, to: instant } as const;
export const reportQuery = { from: day, to: day } as const;

function withDefault<T>(parameter: Parameter<T>, value: T): Parameter<T> {
  return { ...parameter, schema: { ...parameter.schema, default: value } };
}

/** Throws VAL001 or VAL002 about body and query together. The query beats the body. */
export function readNewPaymentRequest(body: Body, query: Query): NewPaymentRequest {
  const [given, asked] = accept(paymentRequest.read(body), readQuery(createQuery, query));
  const { client = {}, recipientName = null, payerCountry = null, notes = null } = given;
  const { payerName = null, payerEmail = null } = given;
  const send = asked.send ?? false;
  const email = given.clientEmail ?? client.email ?? null;
  if (send)
    requireAddress({ [typeof given.clientEmail === 'string' ? 'clientEmail' : 'client.email']: email, payerEmail });
  return {
    ...toOrderInput(given),
    recipientName,
    payerCountry,
    notes,
    client: {
      name: given.clientName ?? client.name ?? null,
      email,
      address: given.clientAddress ?? client.address ?? null,
      phone: given.clientPhone ?? client.phone ?? null,
      memberId: given.clientMemberId ?? client.memberId ?? null,
    },
    payerName,
    payerEmail,
    targetAccountTypeId: asked.accountType ?? ((given.targetAccountTypeId ?? 0) as AccountType),
    kycApplicantId: asked.applicantId ?? null,
    send,
  };
}

/** Whom the link is mailed to: the first that says anything. VAL001 where none does, VAL002 where it is no address. */
function requireAddress(given: Readonly<Record<string, string | null | undefined>>): void {
  const [named] = Object.entries(given).filter(([, value]) => value);
  if (!named) throw missingFields(['clientEmail']);
  const [field, value] = named;
  if (!isEmail(value ?? '')) throw invalidField(field, value, 'must be an e-mail address, to send the link to');
}

export function readListQuery(query: Query): ListQuery {
  const [{ limit = defaultPageSize, ...filters }] = accept(readQuery(listQuery, query));
  return { ...filters, limit };
}

export function readNotificationQuery(query: Query) {
  const [{ limit = defaultPageSize, ...filters }] = accept(readQuery(notificationQuery, query));
  return { ...filters, limit };
}

/** The span of notifications to send again, from query or body, which beats it; up to now where nothing is said. */
export function readResendSpan(body: Body, query: Query, now: Date): { readonly from: Date; readonly to: Date } {
  const [given] = accept(resendSpan.read(body));
  const [inQuery, inBody] = accept(readQuery(resendQuery, query), readQuery(resendQuery, given));
  const { from = new Date(0), to = now } = { ...inQuery, ...inBody };
  if (from > to) throw invalidField('from', from, 'must not be later than to');
  return { from, to };
}

const reportDays = 30;
const dayMs = 86_400_000;

/** Both days included; the last 30 days where nothing is said. */
export function readReportSpan(query: Query, now: Date): { readonly from: string; readonly to: string } {
  const [asked] = accept(readQuery(reportQuery, query));
  const to = asked.to ?? toDay(now.getTime());
  const from = asked.from ?? toDay(Date.parse(to) - (reportDays - 1) * dayMs);
  if (from > to) throw invalidField('from', from, 'must not be later than to');
  return { from, to };
}

function toDay(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
