/**
 * The gateway's own 3D Secure token. It names the payment, the attempt and the step. It travels through the payer's
 * browser and the issuer's page, and neither of them can make one.
 * Protocol: core/contract/docs/3ds.md.
 */
import { hmac, sameText } from '@paywright/contract';

export interface ThreeDsOptions {
  /** The first secret signs. Every secret is accepted. */
  readonly tokenSecrets: readonly string[];
  readonly tokenTtlSeconds: number;
}

export interface TokenFacts {
  readonly paymentRequestId: string;
  readonly attempt: number;
  /** 16 lower-case hex digits. */
  readonly nonce: string;
}

export type ReadToken =
  { readonly verdict: 'right' | 'expired'; readonly token: TokenFacts } | { readonly verdict: 'invalid_signature' };

const form = /^3ds1\.([1-9]\d{0,18})\.([1-9]\d{0,2})\.(\d{10})\.([0-9a-f]{16})\.[0-9a-f]{64}$/;

export function makeToken({ tokenSecrets, tokenTtlSeconds }: ThreeDsOptions, facts: TokenFacts, now: Date): string {
  const expires = Math.floor(now.getTime() / 1000) + tokenTtlSeconds;
  const text = `3ds1.${facts.paymentRequestId}.${facts.attempt}.${expires}.${facts.nonce}`;
  return Buffer.from(`${text}.${macOf(text, tokenSecrets[0] ?? '')}`).toString('base64url');
}

function macOf(text: string, secret: string): string {
  return hmac('sha256', secret, text).toString('hex');
}

/**
 * True for text that starts as only a token of ours does, valid or not. Any other text in `MD` belongs to the provider.
 */
export function looksLikeToken(text: string): boolean {
  return Buffer.from(text, 'base64url').toString('latin1').startsWith('3ds1.');
}

/** Reads a token strictly: exact form, exact encoding, and a valid MAC under one of the secrets. */
export function readToken({ tokenSecrets }: ThreeDsOptions, token: string, now: Date): ReadToken {
  const text = Buffer.from(token, 'base64url').toString('latin1');
  const match = form.exec(text);
  if (!match || Buffer.from(text, 'latin1').toString('base64url') !== token) return { verdict: 'invalid_signature' };
  const signed = text.slice(0, text.lastIndexOf('.'));
  const mac = text.slice(signed.length + 1);
  // Every secret is tried, so that the time taken does not show which one fits.
  const fitting = tokenSecrets.filter((secret) => sameText(macOf(signed, secret), mac));
  if (!fitting.length) return { verdict: 'invalid_signature' };
  const [, paymentRequestId = '', attempt = '', expires = '', nonce = ''] = match;
  const facts = { paymentRequestId, attempt: Number(attempt), nonce };
  return { verdict: now.getTime() > Number(expires) * 1000 ? 'expired' : 'right', token: facts };
}
