/**
 * Runs every call of the adapter against stripe-mock, Stripe's own mock. It refuses addresses, parameters and types
 * that its OpenAPI document lacks, and answers everything else with fixed objects. Started by `npm run
 * judge:stripe-mock`, not by the tests.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { HttpReply, HttpRequest, Outcome, StatusReport } from '@paywright/contract';
import { firstRefund, realHttp, scriptedProvider, firstVoid } from '@paywright/contract/testing';
import stripe from '../../index.ts';
import { harness } from '../messages.ts';

const { options, stored, submission, submissionBy } = harness;
const byToken = submissionBy('token', { token: 'pm_card_visa' });
const atPage = submissionBy('billing');

const STARTS_WITHIN_MS = 20_000;

const program = process.env['STRIPE_MOCK'] ?? 'stripe-mock';
const mock = spawn(program, ['-http-addr', '127.0.0.1:', '-strict-version-check'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
mock.once('error', ({ message }) => {
  console.error(`stripe-mock is not running: ${message}`);
  console.error('Install it with Go: go install github.com/stripe/stripe-mock@v0.203.0');
  console.error('Go puts it in $(go env GOPATH)/bin: add that folder to the PATH, or set STRIPE_MOCK to the program.');
  process.exit(1);
});

async function addressOf(): Promise<string> {
  let said = '';
  for await (const [chunk] of on(mock.stdout)) {
    said += String(chunk);
    const [, port] = /address: (?:\S*):(\d+)/.exec(said) ?? [];
    if (port) return `http://127.0.0.1:${port}`;
  }
  throw new Error(`stripe-mock printed no address: ${said}`);
}

async function* on(stream: NodeJS.ReadableStream): AsyncGenerator<unknown[]> {
  const signal = AbortSignal.timeout(STARTS_WITHIN_MS);
  while (!signal.aborted) yield await once(stream, 'data', { signal });
}

const faults: string[] = [];
let passed = 0;

async function judge(baseUrl: string): Promise<void> {
  const http = realHttp(baseUrl);
  let sent: string[] = [];
  let refusals: string[] = [];
  const watched = {
    async send(request: HttpRequest): Promise<HttpReply> {
      const reply = await http.send(request);
      const line = `${reply.status} ${request.method} ${request.path.split('?')[0]}`;
      if (reply.status !== 200) refusals.push(`${line}: ${Buffer.from(reply.body).toString()}`);
      sent.push(line);
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
    close: () => stripe.close!(stored, ctx()),
    'close a session': () => stripe.close!({ ...nameless, adapterState: { session: 'cs_test_1' } }, ctx()),
    'check the account': () => stripe.checkAccount!(ctx()),
  };
  for (const [name, call] of Object.entries(calls)) {
    [sent, refusals] = [[], []];
    await call();
    if (sent.length === 0) refusals.push('no request was sent');
    console.log(`${refusals.length > 0 ? 'failed' : 'passed'}  ${name}: ${sent.join(' · ')}`);
    if (refusals.length === 0) passed += 1;
    else faults.push(...refusals.map((refusal) => `${name}: ${refusal}`));
  }
  console.log(`${passed} passed, ${Object.keys(calls).length - passed} failed`);
}

try {
  await judge(await addressOf());
} finally {
  mock.kill();
}
for (const fault of faults) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
