/**
 * Runs every call of the adapter against stripe-mock, Stripe's own mock: it refuses addresses, parameters and types that
 * its OpenAPI document lacks, and answers the rest with fixed objects. Run by `npm run judge:stripe-mock`, not by tests.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { HttpReply, HttpRequest, Outcome, StatusReport } from '@gateway/contract';
import { firstRefund, realHttp, scriptedProvider, firstVoid } from '@gateway/contract/testing';
import stripe from '../../index.ts';
import { atPage, byToken, options, stored, submission } from '../helpers.ts';

const STARTS_WITHIN_MS = 20_000;

const mock = spawn(process.env['STRIPE_MOCK'] ?? 'stripe-mock', ['-http-addr', '127.0.0.1:', '-strict-version-check'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
mock.once('error', (error) => {
  console.error(`stripe-mock does not run: ${error.message}. Install it, or name it in STRIPE_MOCK (README.md).`);
  process.exitCode = 1;
});

async function addressOf(): Promise<string> {
  let said = '';
  for await (const [chunk] of on(mock.stdout)) {
    said += String(chunk);
    const [, port] = /address: (?:\S*):(\d+)/.exec(said) ?? [];
    if (port) return `http://127.0.0.1:${port}`;
  }
  throw new Error(`stripe-mock names no address: ${said}`);
}

async function* on(stream: NodeJS.ReadableStream): AsyncGenerator<unknown[]> {
  const signal = AbortSignal.timeout(STARTS_WITHIN_MS);
  while (!signal.aborted) yield await once(stream, 'data', { signal });
}

const refusals: string[] = [];
let asked = 0;

async function judge(baseUrl: string): Promise<void> {
  const http = realHttp(baseUrl);
  const watched = {
    async send(request: HttpRequest): Promise<HttpReply> {
      const reply = await http.send(request);
      asked += 1;
      const line = `${reply.status} ${request.method} ${request.path.split('?')[0]}`;
      console.log(line);
      if (reply.status !== 200) refusals.push(`${line}: ${Buffer.from(reply.body).toString()}`);
      return reply;
    },
  };
  const ctx = (more: Partial<typeof options> = {}) =>
    scriptedProvider({ options: { ...options, ...more }, sandbox: true, http: watched, now: () => new Date() });
  const { providerReference: _id, ...nameless } = stored;
  const calls: Readonly<Record<string, () => Promise<Outcome | StatusReport | object>>> = {
    'submit a card': () => stripe.submit(submission, ctx()),
    'submit a token that demands 3D Secure': () => stripe.submit({ ...byToken, is3ds: true }, ctx()),
    'submit a token, to be captured': () => stripe.submit(byToken, ctx({ captureMethod: 'manual' })),
    'submit at the page': () => stripe.submit({ ...atPage, is3ds: true }, ctx()),
    complete: () => stripe.complete!(stored, { kind: 'return' }, ctx()),
    'fetch by id': () => stripe.fetchStatus!(stored, ctx()),
    'fetch by reference': () => stripe.fetchStatus!(nameless, ctx()),
    'fetch a session': () => stripe.fetchStatus!({ ...nameless, adapterState: { session: 'cs_test_1' } }, ctx()),
    refund: () => stripe.refund!(stored, { ...firstRefund, reference: 'GW-10042-1-R1', money: stored.money }, ctx()),
    'refund again': () =>
      stripe.refund!(
        stored,
        { ...firstRefund, isRepetition: true, reference: 'GW-10042-1-R1', money: stored.money },
        ctx(),
      ),
    capture: () => stripe.capture!(stored, { reference: 'GW-10042-1-C', money: stored.money }, ctx()),
    void: () => stripe.void!(stored, ctx(), firstVoid),
    'check the account': () => stripe.checkAccount!(ctx()),
  };
  for (const [name, call] of Object.entries(calls)) {
    console.log(`# ${name}`);
    await call();
  }
}

try {
  await judge(await addressOf());
} finally {
  mock.kill();
}
console.log(`${asked} requests, ${refusals.length} refused by stripe-mock`);
for (const refusal of refusals) console.error(refusal);
if (refusals.length > 0) process.exitCode = 1;
