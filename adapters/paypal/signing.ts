/**
 * The signature of PayPal's webhooks. It covers two headers, the id of our webhook, and a checksum of the body. Its key
 * is in a certificate that the webhook names. The certificate is fetched only from PayPal's own address, and the TLS
 * connection to that address proves where it comes from: PayPal does not say that the file contains the certificates of
 * its issuers. With `certificateAuthorities`, it must contain them.
 */
import { verify, X509Certificate, type KeyObject } from 'node:crypto';
import { crc32 } from 'node:zlib';
import {
  hash,
  invalidSignature,
  isFresh,
  onlyHeader,
  readBase64,
  readJsonBody,
  readJsonObject,
  readRfc3339,
  stale,
  tryLater,
  utf8,
  v,
  type HttpRequest,
  type RawCallback,
  type Remembered,
  type Verdict,
} from '@paywright/contract';
import type { Context } from './options.ts';
import { send } from './wire.ts';

/** PayPal repeats a webhook for three days, and does not say whether the repetition has a new time. */
const TOLERANCE_MS = 4 * 86_400_000;

/** The headers of a webhook. */
export interface Transmission {
  readonly id: string;
  /** RFC 3339, as sent. */
  readonly time: string;
  readonly certUrl: string;
  /** Base64, as sent. */
  readonly signature: string;
}

const ALGORITHM = 'SHA256withRSA';

/** Undefined if a header is missing, repeated or malformed, and for any other algorithm. */
export function readTransmission(raw: Pick<RawCallback, 'headers'>): Transmission | undefined {
  const [id = '', time = '', signature = '', certUrl = '', algorithm] = [
    'paypal-transmission-id',
    'paypal-transmission-time',
    'paypal-transmission-sig',
    'paypal-cert-url',
    'paypal-auth-algo',
  ].map((name) => onlyHeader(raw, name));
  const isFormed = /^[A-Za-z0-9-]{1,100}$/.test(id) && readRfc3339(time) && readBase64(signature);
  return isFormed && algorithm === ALGORITHM ? { id, time, certUrl, signature } : undefined;
}

/** The signed text. It has only a CRC-32 of the body, so it does not prove the body: see README.md. */
export function signedText(
  { id, time }: Pick<Transmission, 'id' | 'time'>,
  webhookId: string,
  body: Uint8Array,
): string {
  return [id, time, webhookId, crc32(body)].join('|');
}

/** The headers of a webhook as PayPal sends them. */
export function headersOf({ id, time, certUrl, signature }: Transmission): [name: string, value: string][] {
  return [
    ['PAYPAL-TRANSMISSION-ID', id],
    ['PAYPAL-TRANSMISSION-TIME', time],
    ['PAYPAL-TRANSMISSION-SIG', signature],
    ['PAYPAL-CERT-URL', certUrl],
    ['PAYPAL-AUTH-ALGO', ALGORITHM],
  ];
}

/** The index in `webhookIds` of the webhook that the message was sent to, or the verdict that refuses the message. */
export async function proveMessage(raw: RawCallback, ctx: Context): Promise<number | Verdict<never>> {
  const transmission = readTransmission(raw);
  if (!transmission) return invalidSignature('a PAYPAL header is missing, repeated or malformed');
  if (!certificateRequest(transmission.certUrl, ctx))
    return invalidSignature('PAYPAL-CERT-URL is not an address of PayPal’s certificates');
  const proven =
    ctx.options.verifyBy === 'call'
      ? await askPayPal(raw, transmission, ctx)
      : await verifyHere(raw, transmission, ctx);
  if (typeof proven !== 'number') return proven;
  const time = readRfc3339(transmission.time)!.getTime();
  return isFresh(time, ctx.now(), TOLERANCE_MS) ? proven : stale('PAYPAL-TRANSMISSION-TIME');
}

type Proof = number | Verdict<never>;

async function verifyHere({ body }: RawCallback, transmission: Transmission, ctx: Context): Promise<Proof> {
  const key = await findKey(transmission.certUrl, ctx);
  if (key === 'unavailable') return tryLater('the certificate is not available');
  if (key === 'denied') return invalidSignature('the certificate is not PayPal’s, or is not valid now');
  const signature = readBase64(transmission.signature)!;
  const index = ctx.options.webhookIds.findIndex((id) =>
    verify('sha256', Buffer.from(signedText(transmission, id, body)), key, signature),
  );
  return index < 0 ? invalidSignature('PAYPAL-TRANSMISSION-SIG does not match any of webhookIds') : index;
}

const Answer = v.object({ verification_status: v.picklist(['SUCCESS', 'FAILURE']) });

/** PayPal's answer about a webhook is kept for a minute. */
const ANSWER_KEPT_MS = 60_000;

/** The requests count as loads of the cache, so that forged webhooks cause a limited number of them. */
async function askPayPal(raw: RawCallback, transmission: Transmission, ctx: Context): Promise<Proof> {
  if (!readJsonObject(raw.body)) return invalidSignature('the body is not a JSON object');
  const digest = hash('sha256', JSON.stringify(transmission), raw.body).toString('hex');
  const load = async (): Promise<Remembered<number>> => ({
    value: await findWebhook(raw, transmission, ctx),
    until: new Date(ctx.now().getTime() + ANSWER_KEPT_MS),
  });
  try {
    const index = await ctx.cache.remember(`webhook ${digest}`, load);
    return index < 0 ? invalidSignature('PayPal did not send it to any of webhookIds') : index;
  } catch {
    return tryLater('PayPal did not answer whether it sent the webhook');
  }
}

/** The index of the webhook that PayPal sent the message to; -1 if it is none of ours. Rejects without an answer. */
async function findWebhook(raw: RawCallback, transmission: Transmission, ctx: Context): Promise<number> {
  for (const [index, webhookId] of ctx.options.webhookIds.entries()) {
    const reply = await send(ctx, verificationRequest(raw, transmission, webhookId));
    const answer = reply.status === 200 ? readJsonBody(Answer, reply) : undefined;
    if (!answer) throw new Error('PayPal gave no readable answer');
    if (answer.verification_status === 'SUCCESS') return index;
  }
  return -1;
}

/** The event is sent back byte for byte, because PayPal's checksum depends on its spelling. */
export function verificationRequest(
  { body }: Pick<RawCallback, 'body'>,
  { id, time, certUrl, signature }: Transmission,
  webhookId: string,
): HttpRequest {
  const members = {
    transmission_id: id,
    transmission_time: time,
    transmission_sig: signature,
    cert_url: certUrl,
    auth_algo: ALGORITHM,
    webhook_id: webhookId,
  };
  return {
    method: 'POST',
    path: '/v1/notifications/verify-webhook-signature',
    headers: { 'Content-Type': 'application/json' },
    body: `${JSON.stringify(members).slice(0, -1)},"webhook_event":${utf8(body) ?? 'null'}}`,
    chargesNothing: true,
  };
}

/** The key of a valid certificate is kept for a day. */
const KEPT_MS = 86_400_000;
/** An address without a valid certificate is remembered for a minute, so that forged webhooks cause few requests. */
const DENIED_MS = 60_000;
/** Maximum number of certificates between PayPal's own and a root. */
const MAX_BETWEEN = 4;

export type Chain = readonly [X509Certificate, ...X509Certificate[]];

/** The request for a certificate; undefined if the address is not the address of one of PayPal's certificates. */
export function certificateRequest(url: string, { options }: Pick<Context, 'options'>): HttpRequest | undefined {
  const { certificateBaseUrl } = options;
  const path = url.startsWith(certificateBaseUrl) ? url.slice(certificateBaseUrl.length) : '';
  const isCertificate = /^\/v1\/notifications\/certs\/[A-Za-z0-9-]{1,100}$/.test(path);
  return isCertificate ? { method: 'GET', path, to: 'certificateBaseUrl' } : undefined;
}

/**
 * The key of the certificate at an address. `denied`: the certificate is not PayPal's, or not valid now. `unavailable`:
 * that cannot be found out now. Never rejects.
 */
export async function findKey(url: string, ctx: Context): Promise<KeyObject | 'denied' | 'unavailable'> {
  const request = certificateRequest(url, ctx);
  if (!request) return 'denied';
  try {
    return await ctx.cache.remember(`certificate ${url}`, () => loadKey(request, ctx));
  } catch {
    return 'unavailable'; // The answer was not readable, or core allows no further request now.
  }
}

/** Rejects if PayPal's answer is not readable. */
async function loadKey(
  request: HttpRequest,
  { http, options, now }: Context,
): Promise<Remembered<KeyObject | 'denied'>> {
  const reply = await http.send(request);
  const time = now();
  const denied = { value: 'denied', until: new Date(time.getTime() + DENIED_MS) } as const;
  if (reply.status === 404) return denied;
  const chain = reply.status === 200 ? readChain(utf8(reply.body) ?? '') : undefined;
  if (!chain) throw new Error('the answer has no readable certificate');
  const authorities = options.certificateAuthorities?.map((pem) => new X509Certificate(pem));
  const until = trustedUntil(chain, authorities, time);
  if (!until) return denied;
  return { value: chain[0].publicKey, until: earlier(until, new Date(time.getTime() + KEPT_MS)) };
}

/** Certificates in PEM, one after the other, PayPal's own first. */
export function readChain(pem: string): Chain | undefined {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  try {
    const [own, ...others] = blocks.slice(0, MAX_BETWEEN + 2).map((block) => new X509Certificate(block));
    return own && [own, ...others];
  } catch {
    return undefined; // Node has no other check of the form.
  }
}

/**
 * The end of the time in which PayPal's own certificate is trusted. Undefined if it is not trusted: it has another
 * name, is not valid now, or does not lead to one of the authorities.
 */
export function trustedUntil(
  [own, ...others]: Chain,
  authorities: readonly X509Certificate[] | undefined,
  now: Date,
): Date | undefined {
  const isPayPals = /^CN=messageverificationcerts(\.sandbox)?\.paypal\.com$/m.test(own.subject);
  if (!isPayPals || !isValid(own, now)) return undefined;
  let last = own;
  let until = new Date(own.validTo);
  if (!authorities) return until;
  for (let between = 0; between <= MAX_BETWEEN; between += 1) {
    const root = authorities.find((one) => hasIssued(one, last, now));
    if (root) return earlier(until, new Date(root.validTo));
    const next = others.find((one) => hasIssued(one, last, now));
    if (!next) return undefined;
    last = next;
    until = earlier(until, new Date(next.validTo));
  }
  return undefined;
}

function hasIssued(issuer: X509Certificate, issued: X509Certificate, now: Date): boolean {
  return issuer.ca && isValid(issuer, now) && issued.checkIssued(issuer) && issued.verify(issuer.publicKey);
}

function isValid({ validFrom, validTo }: X509Certificate, now: Date): boolean {
  return new Date(validFrom) <= now && now <= new Date(validTo);
}

function earlier(one: Date, other: Date): Date {
  return one < other ? one : other;
}
