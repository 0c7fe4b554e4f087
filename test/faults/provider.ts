/**
 * A provider behind real HTTP that sends signed callbacks until they are acknowledged, and its adapter as a package.
 */
import { createHmac } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer, request as send, Agent } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from '../support/start-gateway.ts';

export const providerCode = 59;
export const callbackKey = 'the key of the faults provider';

/** The amount selects the result. Any other amount is pending until the callback. */
export const amounts = { charged: 7, challenged: 9, declined: 6 } as const;

const adapter = `
import { createHmac } from 'node:crypto';
import { defineAdapter, genuine, invalidSignature, notFound, onlyHeader, statusTable, utf8, v } from '@paywright/contract';
const words = { succeeded: 'succeeded', failed: 'failed', pending: 'pending' };
async function post(ctx, path, body) {
  const headers = { 'Content-Type': 'application/json' };
  const reply = await ctx.http.send({ method: 'POST', path, headers, body: JSON.stringify(body) });
  const { state, id } = JSON.parse(utf8(reply.body));
  if (state !== 'challenged') return { outcome: state, providerReference: id };
  const url = 'https://bank.example/challenge?back=' + encodeURIComponent(ctx.threeDsReturnUrl);
  return { outcome: 'pending', providerReference: id, action: { type: 'redirect', method: 'GET', url, transactionId: 'tx-' + id } };
}
export default defineAdapter({
  manifest: {
    name: 'faults', title: 'Faults', code: ${providerCode}, contract: '^2.0', inputs: ['card'], currencies: 'any',
    ways: [{ method: 'card', title: 'Card', threeDs: 'unsupported', payerFields: [] }],
    options: v.strictObject({ baseUrl: v.string(), sandboxBaseUrl: v.string() }), declines: {},
    reconcile: { stepsSeconds: [600], thenEverySeconds: 600, giveUpAfterSeconds: 6000 }, idempotency: 'the reference',
  },
  submit: ({ reference, money }, ctx) => post(ctx, '/charges', { reference, amount: money.amount }),
  complete: ({ reference }, _step, ctx) => post(ctx, '/completions', { reference }),
  refund: ({ reference: charge }, { reference, money }, ctx) => post(ctx, '/refunds', { reference, charge, amount: money.amount }),
  async fetchStatus(payment, ctx) {
    const reply = await ctx.http.send({ method: 'GET', path: '/charges/' + payment.reference });
    return reply.status === 404 ? notFound(payment) : { result: 'events', events: JSON.parse(utf8(reply.body)) };
  },
  callbacks: [{
    path: 'faults', method: 'POST', caller: 'server', reports: 'payments',
    verifySignature(raw) {
      const expected = createHmac('sha256', '${callbackKey}').update(raw.body).digest('hex');
      return expected === onlyHeader(raw, 'x-signature') ? genuine(utf8(raw.body)) : invalidSignature('another hash');
    },
    parseCallback: ({ value }) => ({ events: [JSON.parse(value)] }),
  }],
  mapStatus: statusTable({ payment: words, refund: words }),
});
`;

/** Installs the adapter into the folder, with the packages that it imports. */
export async function installAdapter(folder: string): Promise<void> {
  await installPackage(folder, 'faults', adapter);
  await symlink(join(root, 'node_modules/@paywright'), join(folder, 'node_modules/@paywright'));
}

/** Installs an adapter like a package of another author. */
export async function installPackage(folder: string, name: string, text: string): Promise<void> {
  const home = join(folder, 'node_modules', name);
  await mkdir(home, { recursive: true });
  await writeFile(join(home, 'package.json'), '{ "type": "module", "exports": "./index.js" }');
  await writeFile(join(home, 'index.js'), text);
}

export interface FaultsProvider {
  readonly url: string;
  /** Reference to money: charges, and refunds with their charge. */
  readonly charges: ReadonlyMap<string, { readonly amount: number; readonly requests: number }>;
  readonly refunds: ReadonlyMap<string, { readonly charge: string; readonly amount: number }>;
  close(): Promise<void>;
}

export async function startFaultsProvider(): Promise<FaultsProvider> {
  const charges = new Map<string, { amount: number; requests: number; isCompleted?: boolean }>();
  const refunds = new Map<string, { charge: string; amount: number }>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [, what, reference = ''] = (request.url ?? '').split('/');
      const answer = (status: number, body: unknown): void => {
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      };
      if (request.method === 'GET') {
        const charge = charges.get(reference);
        return charge ? answer(200, [fetchedEventOf(reference, charge)]) : answer(404, {});
      }
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, string>;
      const amount = Number(body['amount']);
      if (what === 'refunds') {
        refunds.set(body['reference']!, { charge: body['charge']!, amount });
        return answer(200, { state: 'succeeded', id: `re-${body['reference']}` });
      }
      const known = charges.get(body['reference']!);
      if (what === 'completions') {
        if (known) known.isCompleted = true;
        return answer(known ? 200 : 404, { state: 'succeeded', id: `ch-${body['reference']}` });
      }
      const { requests = 0 } = known ?? {};
      charges.set(body['reference']!, { amount, requests: requests + 1 });
      const state = { [amounts.charged]: 'succeeded', [amounts.challenged]: 'challenged' }[amount] ?? 'pending';
      return answer(200, { state, id: `ch-${body['reference']}` });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    charges,
    refunds,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

export interface CallbackMessage {
  readonly body: string;
  readonly signature: string;
}

function eventOf(reference: string, amount: number, providerStatus = 'succeeded'): object {
  return {
    kind: 'payment',
    providerStatus,
    reference,
    providerReference: `ch-${reference}`,
    amount: String(amount),
    currency: 'EUR',
    dedupeKey: `paid:${reference}`,
  };
}

/** The answer to a status fetch, when the bank has decided. */
function fetchedEventOf(
  reference: string,
  { amount, isCompleted = false }: { readonly amount: number; readonly isCompleted?: boolean },
): object {
  if (amount === amounts.declined) return declined(reference, amount);
  return eventOf(reference, amount, amount === amounts.challenged && !isCompleted ? 'pending' : 'succeeded');
}

/** Declined for insufficient funds. */
const declined = (reference: string, amount: number): object => ({
  ...eventOf(reference, amount, 'failed'),
  decline: '51',
});

export function paidCallback(reference: string, amount: number): CallbackMessage {
  return sign(eventOf(reference, amount));
}

/** Declined for insufficient funds. */
export function declinedCallback(reference: string, amount: number): CallbackMessage {
  return sign(declined(reference, amount));
}

/** Declined without a reason. */
export function unexplainedCallback(reference: string, amount: number): CallbackMessage {
  return sign(eventOf(reference, amount, 'failed'));
}

function sign(event: object): CallbackMessage {
  const body = JSON.stringify(event);
  return { body, signature: createHmac('sha256', callbackKey).update(body).digest('hex') };
}

const reusedConnections = new Agent({ keepAlive: true, maxSockets: 32 });

/** Sends the callback once. Status 0 if there is no response within 30 s. `localAddress` is the sender's address. */
export async function deliverCallback(
  url: string,
  { body, signature }: CallbackMessage,
  from: { readonly agent?: Agent | false; readonly localAddress?: string } = {},
): Promise<{ readonly status: number; readonly ms: number }> {
  const began = performance.now();
  const status = await new Promise<number>((resolve) => {
    const headers = {
      'Content-Type': 'application/json',
      'X-Signature': signature,
      'Content-Length': Buffer.byteLength(body),
    };
    const options = { method: 'POST', agent: reusedConnections, headers, timeout: 30_000, ...from };
    const message = send(`${url}/callbacks/faults`, options, (response) => {
      response.resume();
      response.on('end', () => resolve(response.statusCode ?? 0));
      response.on('error', () => resolve(0));
    });
    message.on('timeout', () => message.destroy());
    message.on('error', () => resolve(0));
    message.end(body);
  });
  return { status, ms: performance.now() - began };
}

/** Longer than any row keeps the service from responding. */
const patienceMs = 900_000;

/**
 * Sends like a provider: again and again until the callback is acknowledged. Returns the number of tries, and the
 * slowest response.
 */
export async function deliverUntilAcknowledged(
  url: string,
  message: CallbackMessage,
): Promise<{ tries: number; slowestMs: number }> {
  const began = performance.now();
  let slowestMs = 0;
  for (let tries = 1; ; tries += 1) {
    const { status, ms } = await deliverCallback(url, message);
    slowestMs = Math.max(slowestMs, ms);
    if (status === 200) return { tries, slowestMs };
    if (performance.now() - began > patienceMs)
      throw new Error(`not acknowledged in ${tries} tries; the last answer was ${status}`);
    await sleep(250);
  }
}
