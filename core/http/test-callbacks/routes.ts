/** Test callbacks: integrators use them to check that they reach the service, and that their signature is valid. */
import { hmac, verifyWithAny, readHex, readPairs, utf8 } from '@paywright/contract';
import { maxJsonValues } from '@paywright/contract/core';
import type { RawCallback } from '@paywright/contract';
import { groupBy } from '../../base/group-by.ts';
import { GatewayError, invalidField, notFound } from '../../base/errors.ts';
import { answerJson, send } from '../answer.ts';
import type { HttpDeps } from '../deps.ts';
import type { KeylessBudgets } from '../keyless.ts';
import { toEchoed } from '../input/echo.ts';
import { parseJson } from '../input/read-body.ts';
import type { Ctx } from '../state.ts';

const methods: Readonly<Record<string, string>> = { 'test/json': 'POST', 'test/form': 'POST', 'test/text': 'GET' };

/** Largest body; it is an echo for an integrator who tries, and proves nothing. */
export const testLimitBytes = 8192;

interface TestCallbackDeps extends Pick<HttpDeps, 'access'> {
  readonly keyless: Pick<KeylessBudgets, 'wrongKeys'>;
}

export function isTestPath(name: string): boolean {
  return Object.hasOwn(methods, name);
}

export async function answerTestCallback(
  ctx: Ctx,
  name: string,
  raw: RawCallback,
  deps: TestCallbackDeps,
): Promise<void> {
  if (ctx.method !== methods[name] && !(ctx.method === 'HEAD' && methods[name] === 'GET'))
    throw notFound('this address');
  const received =
    name === 'test/text'
      ? undefined
      : name === 'test/json'
        ? parseJson(raw.body, maxJsonValues(testLimitBytes))
        : readForm(raw);
  const signatureValid = await checkSignature(ctx, raw, deps);
  if (name === 'test/text') {
    if (signatureValid !== undefined) ctx.set('X-Signature-Valid', `${signatureValid}`);
    ctx.body = 'OK';
    ctx.type = 'text/plain';
  } else {
    send(ctx, answerJson({ received: toEchoed(received), signatureValid }));
  }
}

/** A name that occurs more than once has the list of its values. */
function readForm({ body }: RawCallback): unknown {
  const pairs = readPairs(utf8(body) ?? '%');
  if (!pairs) throw invalidField('body', null, 'is not a form of application/x-www-form-urlencoded in UTF-8');
  const members = groupBy(pairs, ([name]) => name);
  return Object.fromEntries(
    Array.from(members, ([name, given]) => {
      const values = given.map(([, value]) => value);
      return [name, values.length > 1 ? values : values[0]];
    }),
  );
}

/** Undefined where no owner is named, or no signature was sent. */
async function checkSignature(
  ctx: Ctx,
  { body }: RawCallback,
  { access, keyless }: TestCallbackDeps,
): Promise<boolean | undefined> {
  const given = ctx.get('X-Webhook-Signature');
  const apiKey = ctx.get('X-API-Key');
  if (!given || !apiKey) return undefined;
  try {
    const { ownerId, environment } = await access.authenticate({ apiKey });
    const { current, previous } = await access.webhookSecrets(ownerId, environment);
    const secrets = previous === undefined ? [current] : [current, previous];
    return verifyWithAny(secrets, readHex(given, 64), (secret) => hmac('sha512', secret, body)) !== undefined;
  } catch (error) {
    if (!(error instanceof GatewayError) || error.kind !== 'UNAUTHORIZED') throw error;
    await keyless.wrongKeys.demand(ctx.ip);
    return undefined;
  }
}
