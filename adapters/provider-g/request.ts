/** What we send to G: signed, its body in a box. */
import type { HttpRequest, Provider } from '@gateway/contract';
import { closeBox } from './box.ts';
import type { Options } from './options.ts';
import { requestText, signedHeaders } from './signature.ts';

/** A GET, signed; `path` with its query. */
export function get(path: string, provider: Provider<Options>): HttpRequest {
  return signed('GET', path, provider.random(12), '', provider);
}

/** A POST about `ref`, its plaintext in a box. */
export function post(path: string, ref: string, plaintext: string, provider: Provider<Options>): HttpRequest {
  const nonce = provider.random(12);
  const box = closeBox(provider.options, ref, nonce, plaintext);
  return signed('POST', path, nonce, JSON.stringify({ ref, box }), provider);
}

function signed(
  method: 'GET' | 'POST',
  path: string,
  random: Uint8Array,
  body: string,
  { options, baseUrl, now }: Provider<Options>,
): HttpRequest {
  const time = String(Math.floor(now().getTime() / 1000));
  const nonce = Buffer.from(random).toString('hex');
  const base = new URL(baseUrl).pathname.replace(/\/$/, '');
  const text = requestText(method, base + path, { time, nonce }, Buffer.from(body));
  return {
    method,
    path,
    headers: {
      ...(method === 'POST' ? { 'Content-Type': 'application/json' } : {}),
      'G-Mid': options.merchantId,
      ...signedHeaders(options.merchantKey, { time, nonce }, text),
    },
    ...(method === 'POST' ? { body } : {}),
  };
}
