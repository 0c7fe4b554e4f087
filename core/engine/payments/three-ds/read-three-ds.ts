/**
 * /callbacks/3ds: the payer's browser brings the result of a 3D Secure step, by POST from the issuer's page or by GET
 * from a provider's page. The request belongs to no provider, is unsigned, and is a hint only. The gateway's own token
 * in it names the payment.
 * Protocol: core/contract/docs/3ds.md.
 */
import {
  acknowledgeBy,
  contentType,
  page,
  payPage,
  readAs,
  readJson,
  readPairs,
  seeOther,
  uniquePairs,
  utf8,
  v,
} from '@paywright/contract';
import { toReference } from '@paywright/contract/core';
import type { AckOutcome, Acknowledgement, CompletionStep, RawCallback } from '@paywright/contract';
import type { MappedEvent } from '../../providers/mapped-event.ts';
import { looksLikeToken, readToken, type ThreeDsOptions } from './token.ts';

/** The gateway's own route, and the adapter name under which its rows are stored. */
export const threeDsRoute = '3ds';

type Field = Extract<CompletionStep, { kind: '3ds' }>['field'];
/** What the browser brought. */
type Brought = Exclude<CompletionStep, { kind: 'code' }>;

export interface ThreeDsResult {
  readonly event: MappedEvent;
  /** The reference of the attempt. */
  readonly reference: string;
  /** The name of the step in the token. */
  readonly nonce: string;
  readonly posted: Brought;
}

export type ReadThreeDs =
  | { readonly verdict: 'genuine'; readonly result: ThreeDsResult; readonly token: string }
  /** `stale` still names the payment to whose page the browser returns. */
  | { readonly verdict: 'invalid_signature' }
  | { readonly verdict: 'malformed' }
  | {
      readonly verdict: 'stale';
      readonly reference: string;
      readonly token: string;
      readonly field: Field | undefined;
    };

const MAX_BYTES = 64 * 1024;
const resultFields = ['cres', 'PaRes', 'threeDSMethodData'] as const satisfies readonly Field[];
const fields = [...resultFields, 'threeDSSessionData', 'MD'] as const;
const Uuid = v.pipe(v.string(), v.regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i));
const Result = v.looseObject({ threeDSServerTransID: Uuid });
const Challenge = v.looseObject({
  ...Result.entries,
  messageType: v.picklist(['CRes', 'Erro']),
  transStatus: v.optional(v.unknown()),
});
const malformed = { verdict: 'malformed' } as const;
const invalid = { verdict: 'invalid_signature' } as const;

/** Reads the request in this order: its form, its token, the token's expiry, the result. */
export function readThreeDs(raw: RawCallback, options: ThreeDsOptions): ReadThreeDs {
  return raw.method === 'GET' ? readReturn(raw, options) : readPosted(raw, options);
}

/**
 * A provider's page has added to the address what the adapter's `complete` needs. Without that, the request says
 * nothing and takes no step.
 */
function readReturn({ query, receivedAt }: RawCallback, options: ThreeDsOptions): ReadThreeDs {
  const pairs = readPairs(query);
  const token = pairs && uniquePairs(pairs, ['t'])?.get('t');
  const added = query.split('&').filter((pair) => pair !== '' && !pair.startsWith('t='));
  if (token === undefined || added.length === 0) return malformed;
  const read = readToken(options, token, receivedAt);
  if (read.verdict === 'invalid_signature') return invalid;
  const reference = toReference(read.token.paymentRequestId, read.token.attempt);
  if (read.verdict === 'expired') return { verdict: 'stale', reference, token, field: undefined };
  const result = { providerStatus: 'return', status: 'pending', transactionId: null } as const;
  return genuineResult(token, reference, read.token.nonce, result, { kind: 'return', query: added.join('&') });
}

function readPosted(raw: RawCallback, options: ThreeDsOptions): ReadThreeDs {
  if (contentType(raw) !== 'application/x-www-form-urlencoded' || raw.body.length > MAX_BYTES) return malformed;
  const body = utf8(raw.body);
  const pairs = body === undefined ? undefined : readPairs(body);
  const form = pairs && uniquePairs(pairs, fields);
  const queryPairs = readPairs(raw.query);
  const query = queryPairs && uniquePairs(queryPairs, ['t']);
  if (!form || !query) return malformed;
  const [field, ...more] = resultFields.filter((name) => form.get(name));
  if (!field || more.length) return malformed;

  const session = { cres: 'threeDSSessionData', PaRes: 'MD', threeDSMethodData: '' }[field];
  const inBody = form.get(session) ?? '';
  const inQuery = query.get('t') ?? '';
  // Some providers fill MD themselves. Then the token is in the address to which the issuer posts.
  const isTheirs = inBody !== '' && inQuery !== '' && !looksLikeToken(inBody);
  if (inBody && inQuery && !isTheirs && inBody !== inQuery) return invalid;
  const token = isTheirs ? inQuery : inBody || inQuery;
  const read = readToken(options, token, raw.receivedAt);
  if (read.verdict === 'invalid_signature') return invalid;
  const { paymentRequestId, attempt, nonce } = read.token;
  const reference = toReference(paymentRequestId, attempt);
  if (read.verdict === 'expired') return { verdict: 'stale', reference, token, field };

  const value = tidy(form.get(field) ?? '');
  const result = readResult(field, value);
  if (!result) return malformed;
  return genuineResult(token, reference, nonce, result, {
    kind: '3ds',
    field,
    value,
    ...(isTheirs && { sessionData: inBody }),
    transactionId: result.transactionId,
    hint: result.providerStatus,
  });
}

function genuineResult(
  token: string,
  reference: string,
  nonce: string,
  { providerStatus, status, transactionId }: Read,
  posted: Brought,
): ReadThreeDs {
  const event: MappedEvent = {
    kind: '3ds',
    providerStatus,
    status,
    reference,
    providerReference: transactionId,
    amount: null,
    currency: null,
    dedupeKey: `3ds:${reference}:${nonce}`,
  };
  return { verdict: 'genuine', token, result: { event, reference, nonce, posted } };
}

/** Pages that build their own body leave line breaks and bare plus signs in it. */
function tidy(value: string): string {
  return value.replace(/[\r\n\t]/g, '').replaceAll(' ', '+');
}

interface Read {
  readonly providerStatus: string;
  readonly status: 'pending' | 'unknown';
  readonly transactionId: string | null;
}

function readResult(field: Field, value: string): Read | undefined {
  if (field === 'PaRes') {
    return /^[A-Za-z0-9+/_=-]+$/.test(value)
      ? { providerStatus: 'PaRes', status: 'pending', transactionId: null }
      : undefined;
  }
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(value)) return undefined;
  const message = readJson(utf8(Buffer.from(value.replaceAll('-', '+').replaceAll('_', '/'), 'base64')));
  if (field === 'threeDSMethodData') {
    const method = readAs(Result, message);
    return (
      method && {
        providerStatus: 'method',
        status: 'pending',
        transactionId: method.threeDSServerTransID.toLowerCase(),
      }
    );
  }
  const challenge = readAs(Challenge, message);
  if (!challenge) return undefined;
  const transactionId = challenge.threeDSServerTransID.toLowerCase();
  if (challenge.messageType === 'Erro') return { providerStatus: 'Erro', status: 'pending', transactionId };
  const { transStatus } = challenge;
  if (typeof transStatus !== 'string') return { providerStatus: 'none', status: 'unknown', transactionId };
  return {
    providerStatus: transStatus,
    status: /^[YANRUCDI]$/.test(transStatus) ? 'pending' : 'unknown',
    transactionId,
  };
}

const quiet = { 'Cache-Control': 'no-store', 'Referrer-Policy': 'no-referrer' };
const answers = acknowledgeBy({
  accepted: page(404, quiet),
  invalid_signature: page(403, quiet),
  malformed: page(400, quiet),
  try_later: page(503, { ...quiet, 'Retry-After': '5' }),
});

/**
 * The answer to the browser: back to the payment's page, and after a method step with the token with which the page
 * continues.
 */
export function acknowledgeThreeDs(outcome: AckOutcome, read: ReadThreeDs, publicUrl: string): Acknowledgement {
  if (read.verdict === 'invalid_signature' || read.verdict === 'malformed' || outcome === 'try_later')
    return answers({ outcome });
  const { reference, field } = read.verdict === 'stale' ? read : { ...read.result, field: fieldOf(read.result.posted) };
  const address = payPage(publicUrl, reference);
  if (!address) return answers({ outcome });
  const { status, body, headers } = seeOther(field === 'threeDSMethodData' ? `${address}?t=${read.token}` : address);
  return { status, body, headers: { ...headers, ...quiet } };
}

function fieldOf(posted: Brought): Field | undefined {
  return posted.kind === '3ds' ? posted.field : undefined;
}
