/** E's options and messages; the harness makes the payment, the calls and the callbacks. */
import { createHmac } from 'node:crypto';
import {
  basicAuthorization,
  refuseSubmission,
  type HttpReply,
  type StoredPayment,
  type Submission,
} from '@paywright/contract';
import {
  createAdapterHarness,
  fixtureText,
  readVectorFile,
  reply,
  type CoreSays,
  type DeliveredCallback,
} from '@paywright/contract/testing';
import providerE from '../index.ts';
import type { Options } from '../options.ts';

export const harness = createAdapterHarness(providerE, {
  options: readVectorFile(fixtureText(import.meta.url, 'vectors.json')).options,
  now: new Date('2026-03-01T10:00:10.000Z'),
  stored: { providerReference: '900719925474099301' },
});
const { options, seconds } = harness;

/** The sample payment by each interface. */
export const h2hSubmission: Submission<'card'> = harness.submission;
export const h2hStored: StoredPayment = harness.stored;
export const xmlSubmission: Submission<'card'> = harness.submissionBy('card', { isH2h: false });
export const xmlStored: StoredPayment = { ...h2hStored, isH2h: false, providerReference: 'E0000004711' };

type Headers = readonly (readonly [string, string])[];
export const password: Headers = [['Authorization', basicAuthorization('gw-notice', 'N0tice:current')]];

/** Delivers a callback, a notice with its password by default. */
export function deliver(
  route: 'providerE' | 'providerEh2h',
  body: string | Uint8Array,
  headers: Headers = route === 'providerE' ? password : [],
  changed: Partial<Options> = {},
  coreSays: CoreSays = 'accepted',
): Promise<DeliveredCallback> {
  return harness.deliver({ route, headers, body }, { options: changed, coreSays });
}

/** The verdict with the acknowledgement that follows from it: `invalid_signature 401 [NO]`. */
export function answered({ genuine, acknowledgement }: DeliveredCallback): string {
  return `${genuine} ${acknowledgement.status} ${acknowledgement.body}`;
}

export const sum = (attributes = 'value="2590" cur="EUR" exp="2" dir="in"'): string => `<sum ${attributes}/>`;
export const result = (attributes = 'kind="CAPTURED" seq="2" at="2026-03-01T10:00:05Z"', inside = sum()): string =>
  `<result ${attributes}>${inside}</result>`;
export const order = (inside = result(), attributes = 'code="GW-10042-1" txn="E0000004711"'): string =>
  `<order ${attributes}>${inside}</order>`;
export const noticeOf = (inside = order(), attributes = 'acct="GWSHOP"'): string =>
  `<pay:notice xmlns:pay="urn:provider-e:pay:1" ${attributes}>${inside}</pay:notice>`;
export const replyOf = (inside = order(), attributes = 'acct="GWSHOP"'): string =>
  `<pay:reply xmlns:pay="urn:provider-e:pay:1" ${attributes}>${inside}</pay:reply>`;
export const faultOf = (code: string, begun: string): string =>
  `<pay:fault xmlns:pay="urn:provider-e:pay:1" code="${code}" begun="${begun}">text</pay:fault>`;

/** An error of the host-to-host interface. */
export const errorOf = (status: number, code: string, begun: unknown): HttpReply =>
  reply(status, { error: { code, begun, text: 'text' } });
/** A reply about the only result of an order. */
export const ordered = (attributes: string, inside = sum()): HttpReply =>
  reply(200, replyOf(order(result(`seq="1" at="now" ${attributes}`, inside))));

const claims = {
  acct: '"GWSHOP"',
  inv: '"GW-10042-1"',
  tranRef: '900719925474099301',
  orig: 'null',
  op: '"sale"',
  sum: '25.90',
  cur: '"EUR"',
  rc: '"0000"',
  why: 'null',
  iat: String(seconds),
};
/** Claims as JSON values by name; undefined leaves one out. */
export type Claims = Readonly<Record<string, string | undefined>>;

export function claimsOf(changes: Claims = {}): string {
  const members = Object.entries({ ...claims, ...changes }).filter(([, value]) => value !== undefined);
  return `{${members.map(([name, value]) => `"${name}":${value}`).join(',')}}`;
}

/** A token of the three parts as they are, signed with our first key by default. */
export function tokenOf(
  payload: string | Uint8Array,
  header = '{"alg":"HS256","kid":"k1","typ":"JWT"}',
  [key] = options.h2hKeys,
): string {
  const parts = [header, payload].map((part) => Buffer.from(part as string).toString('base64url'));
  const signed = signer(key!, parts.join('.'));
  return JSON.stringify({ token: [...parts, signed].join('.') });
}

function signer({ secret }: Options['h2hKeys'][number], text: string): string {
  return createHmac('sha256', Buffer.from(secret, 'base64')).update(text).digest('base64url');
}

export const callback = (changes?: Claims): string => tokenOf(claimsOf(changes));

/** The request that a payment sends, if it sends one, and the outcome. */
export async function sent(payment: Submission<'card'>, changed: Partial<Options> = {}) {
  const { result, requests } = await harness.recordCall(
    reply(500),
    async (ctx) => refuseSubmission(providerE.manifest, payment) ?? (await providerE.submit(payment, ctx)),
    { options: changed },
  );
  return { outcome: result, request: requests[0] };
}

/** The answer to a sale. */
export const sale = (changes: Claims = {}): HttpReply => reply(200, tokenOf(claimsOf({ orig: undefined, ...changes })));
