/** What the tests of this adapter share: options, messages of E's, a delivered callback, a call answered by script. */
import { createHmac } from 'node:crypto';
import {
  basicAuthorization,
  refuseSubmission,
  v,
  type HttpReply,
  type Outcome,
  type AdapterContext,
  type StoredPayment,
  type Submission,
} from '@paywright/contract';
import {
  firstRefund,
  fixtureText,
  playCallback,
  readVectorFile,
  reply,
  sampleStored,
  sampleSubmission,
  scriptedHttp,
  scriptedProvider,
  type CoreSays,
  type PlayedCallback,
} from '@paywright/contract/testing';
import providerE from '../index.ts';
import { Options } from '../options.ts';

export const options: Options = v.parse(Options, readVectorFile(fixtureText(import.meta.url, 'vectors.json')).options);

export const now = new Date('2026-03-01T10:00:10.000Z');
export const seconds = now.getTime() / 1000;

type Headers = readonly (readonly [string, string])[];

export const password: Headers = [['Authorization', basicAuthorization('gw-notice', 'N0tice:current')]];

/** Delivers a callback: verifies, parses, maps and acknowledges it. */
export function deliver(
  path: 'providerE' | 'providerEh2h',
  body: string | Uint8Array,
  headers: Headers = path === 'providerE' ? password : [],
  given: Partial<Options> = {},
  coreSays: CoreSays = 'accepted',
): Promise<PlayedCallback> {
  const route = providerE.callbacks.find((candidate) => candidate.path === path)!;
  const raw = {
    method: 'POST',
    path: `/callbacks/${path}`,
    query: '',
    headers,
    body: Buffer.from(body as string),
    remoteAddress: '203.0.113.1',
    receivedAt: now,
  };
  return playCallback(providerE, route, raw, scriptedProvider({ options: { ...options, ...given }, now }), coreSays);
}

/** The verdict with the acknowledgement that it leads to: `invalid_signature 401 [NO]`. */
export function answered({ genuine, acknowledgement }: PlayedCallback): string {
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

export const xmlSubmission: Submission<'card'> = { ...sampleSubmission, isH2h: false };
export const xmlStored: StoredPayment = { ...sampleStored('E0000004711', now), isH2h: false };
export const h2hSubmission: Submission<'card'> = sampleSubmission;
export const h2hStored: StoredPayment = sampleStored('900719925474099301', now);
export const refundOf = { reference: 'GW-10042-1-R1', money: { amount: '5', currency: 'EUR' }, ...firstRefund };

/** Makes a call that the given answer answers. */
export function ask<T>(
  answer: HttpReply,
  call: (ctx: AdapterContext<Options>) => Promise<T>,
  given: Partial<Options> = {},
): Promise<T> {
  return call(scriptedProvider({ options: { ...options, ...given }, now, http: scriptedHttp([answer]) }));
}

export function submit(answer: HttpReply, payment: Submission<'card'>): Promise<Outcome> {
  return ask(answer, (ctx) => providerE.submit(payment, ctx));
}

/** What is sent for a payment, or not. */
export async function sent(payment: Submission<'card'>, given: Partial<Options> = {}) {
  const http = scriptedHttp([reply(500)]);
  const ctx = scriptedProvider({ options: { ...options, ...given }, now, http });
  const outcome = refuseSubmission(providerE.manifest, payment) ?? (await providerE.submit(payment, ctx));
  return { outcome, request: http.requests[0] };
}

/** The answer to a sale. */
export const sale = (changes: Claims = {}): HttpReply => reply(200, tokenOf(claimsOf({ orig: undefined, ...changes })));

export { reply };
