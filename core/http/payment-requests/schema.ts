/** Bodies and queries of the calls about payment requests. */
import { isEmail, readRfc3339 } from '@paywright/contract';
import { invalidField, missingFields } from '../../base/errors.ts';
import type { ListQuery } from '../../engine/payments/types/listing.ts';
import type { NewPaymentRequest, OrderInput } from '../../engine/payments/types/input.ts';
import { accept, createForm } from '../input/form.ts';
import type { FormValue, Reading } from '../input/form.ts';
import {
  anyId,
  anyText,
  defaultPageSize,
  flag,
  instant,
  pageQuery,
  readExactQuery,
  readQuery,
  whole,
} from '../input/query.ts';
import type { Query } from '../input/query.ts';
import type { Body } from '../input/read-body.ts';
import type { Warn } from '../../base/warnings.ts';
import { HOUR } from '../../base/async/time.ts';
import { withoutCards } from '../input/free-text.ts';
import { warnOfUnknown } from '../input/unknown-members.ts';
import { methodCodes, providerCodes } from './codes.ts';
import { memberNames } from './view.ts';
import { captureFields, orderFields, paymentRequestFields, refundFields } from './fields.ts';

export const order = createForm(orderFields);
export const paymentRequest = createForm(paymentRequestFields);
export const refund = createForm(refundFields);
export const capture = createForm(captureFields);

/** The labels of the resource: 0 none, 1–3 the merchant's own. */
type AccountType = NewPaymentRequest['targetAccountTypeId'];

/** Maximum number of payment requests in one batch. */
export const batchSize = 500;

export const createQuery = { send: flag, accountType: whole<AccountType>(0, 3), applicantId: anyText } as const;

export const listQuery = {
  status: whole(0, 5),
  referenceId: anyText,
  clientId: anyId,
  providerId: providerCodes,
  methodId: methodCodes,
  providerAccount: anyText,
  createdFrom: instant,
  createdTo: instant,
  ...pageQuery,
} as const;

/** The order of an h2h body, or of a payment request. */
export function toOrderInput(given: FormValue<typeof orderFields>): OrderInput {
  const { amount, unit, referenceId, notifyUrl, successUrl, failureUrl, originDomain } = given;
  return { amount, unit, referenceId, notifyUrl, successUrl, failureUrl, originDomain };
}

interface NewRequestRules {
  readonly now: Date;
  /** The latest expiry, in hours from now. */
  readonly expireAtMostAfterHours: number;
  readonly warn: Warn;
}

/** Throws VAL001 or VAL002 about body and query together. The query takes precedence. */
export function readNewPaymentRequest(body: Body, query: Query, rules: NewRequestRules): NewPaymentRequest {
  const { warn } = rules;
  const [read, asked, expiry] = accept(
    paymentRequest.read(body),
    readQuery(createQuery, query),
    readExpiry(body['expiresAt'], rules),
  );
  warnOfUnknown(paymentRequestFields, body, warn, { ours: memberNames });
  const given = withoutCards(paymentRequestFields, read, { warn });
  const { client = {}, clientName, clientEmail, clientAddress, clientPhone, clientMemberId, ...others } = given;
  const { send = false, accountType, applicantId = null } = asked;
  const email = clientEmail ?? client.email ?? null;
  if (send)
    requireAddress({ [clientEmail === null ? 'client.email' : 'clientEmail']: email, payerEmail: given.payerEmail });
  return {
    ...others,
    client: {
      name: clientName ?? client.name ?? null,
      email,
      address: clientAddress ?? client.address ?? null,
      phone: clientPhone ?? client.phone ?? null,
      memberId: clientMemberId ?? client.memberId ?? null,
    },
    targetAccountTypeId: accountType ?? ((given.targetAccountTypeId ?? 0) as AccountType),
    kycApplicantId: applicantId,
    ...expiry,
    send,
  };
}

type Expiry = Pick<NewPaymentRequest, 'expiresAt' | 'expiresAtText'>;

/** Reads the expiry. The form refuses a value that is not text. */
function readExpiry(text: unknown, { now, expireAtMostAfterHours }: NewRequestRules): Reading<Expiry> {
  if (typeof text !== 'string') return { missing: [], wrong: [], value: { expiresAt: null, expiresAtText: null } };
  const at = instant.read(text);
  const latest = now.getTime() + expireAtMostAfterHours * HOUR;
  const wrong = (message: string): Reading<Expiry> => {
    return { missing: [], wrong: [{ field: 'expiresAt', value: text, message }], value: undefined };
  };
  if (at === undefined) return wrong(instant.rule);
  if (at <= now) return wrong('must be in the future');
  if (at.getTime() > latest) return wrong(`must be at most ${expireAtMostAfterHours} hours ahead`);
  // Answers show only times with a full date and time.
  return { missing: [], wrong: [], value: { expiresAt: at, expiresAtText: readRfc3339(text) ? text : null } };
}

/**
 * The address that the link is mailed to: the first one given. Throws VAL001 without an address, VAL002 for an invalid
 * one.
 */
function requireAddress(given: Readonly<Record<string, string | null>>): void {
  const [named] = Object.entries(given).filter(([, value]) => value);
  if (!named) throw missingFields(['clientEmail']);
  const [field, value] = named;
  if (!isEmail(value ?? '')) throw invalidField(field, value, 'must be an email address: the link is sent to it');
}

export function readListQuery(query: Query): ListQuery {
  const [{ limit = defaultPageSize, ...filters }] = accept(readExactQuery(listQuery, query));
  return { ...filters, limit };
}
