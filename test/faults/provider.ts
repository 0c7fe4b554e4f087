/**
 * A provider behind real HTTP that sends signed callbacks until they are acknowledged, and its adapter as a package.
 */
import { createHmac } from 'node:crypto';
import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { createServer, request as send, Agent } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { callbackPath, mainAccount } from '../../core/engine/providers/index.ts';
import { root } from '../support/start-gateway.ts';

export const providerCode = 59;
export const callbackKey = 'the key of the faults provider';

/** The amount selects the result. Any other amount is pending until the callback. */
export const amounts = { charged: 7, challenged: 9, declined: 6 } as const;

const adapter = `
import { createHmac } from 'node:crypto';
import { defineAdapter, genuine, invalidSignature, notFound, onlyHeader, statusTable, utf8, v } from '@paywright/contract';
const words = { succeeded: 'succeeded', failed: 'failed', pending: 'pending' };
const accountOf = ({ options }) => ({ 'X-Account': options.account ?? 'main' });
async function post(ctx, path, body) {
  const headers = { 'Content-Type': 'application/json', ...accountOf(ctx) };
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
    options: v.strictObject({
      baseUrl: v.string(), sandboxBaseUrl: v.string(), account: v.optional(v.string()), callbackKey: v.optional(v.string()),
    }),
    accountKey: ({ account }) => account ?? 'main',
    declines: {},
    reconcile: { stepsSeconds: [600], thenEverySeconds: 600, giveUpAfterSeconds: 6000 }, idempotency: 'the reference',
  },
  submit: ({ reference, money }, ctx) => post(ctx, '/charges', { reference, amount: money.amount }),
  complete: ({ reference }, _step, ctx) => post(ctx, '/completions', { reference }),
  refund: ({ reference: charge }, { reference, money }, ctx) => post(ctx, '/refunds', { reference, charge, amount: money.amount }),
  async fetchStatus(payment, ctx) {
    const reply = await ctx.http.send({ method: 'GET', path: '/charges/' + payment.reference, headers: accountOf(ctx) });
    return reply.status === 404 ? notFound(payment) : { result: 'events', events: JSON.parse(utf8(reply.body)) };
  },
  callbacks: [{
    path: 'faults', method: 'POST', caller: 'server', reports: 'payments',
    accountHint: (raw) => onlyHeader(raw, 'x-account'),
    verifySignature(raw, { options }) {
      const expected = createHmac('sha256', options.callbackKey ?? '${callbackKey}').update(raw.body).digest('hex');
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
  /** Reference to money: charges with the account that was charged, and refunds with their charge. */
  readonly charges: ReadonlyMap<
    string,
    { readonly amount: number; readonly requests: number; readonly account: string }
  >;
  readonly refunds: ReadonlyMap<string, { readonly charge: string; readonly amount: number }>;
  /** Calls of an account about a charge of another one. They get the answer for a charge that does not exist. */
  readonly strayCalls: readonly string[];
  /** Called when a charge was made, before it is answered. */
  onCharge: (reference: string, account: string) => void;
  close(): Promise<void>;
}

export async function startFaultsProvider(): Promise<FaultsProvider> {
  const charges = new Map<string, { amount: number; requests: number; account: string; isCompleted?: boolean }>();
  const strayCalls: string[] = [];
  const refunds = new Map<string, { charge: string; amount: number }>();
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [, what, reference = ''] = (request.url ?? '').split('/');
      const answer = (status: number, body: unknown): void => {
        response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
      };
      const account = String(request.headers['x-account']);
      const findCharge = (of: string) => {
        const found = charges.get(of);
        if (!found || found.account === account) return found;
        strayCalls.push(`${request.method} ${request.url} of ${account} about ${of}, a charge of ${found.account}`);
        return undefined;
      };
      if (request.method === 'GET') {
        const charge = findCharge(reference);
        return charge ? answer(200, [fetchedEventOf(reference, charge)]) : answer(404, {});
      }
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, string>;
      const amount = Number(body['amount']);
      if (what === 'refunds') {
        if (charges.has(body['charge']!) && !findCharge(body['charge']!)) return answer(404, {});
        refunds.set(body['reference']!, { charge: body['charge']!, amount });
        return answer(200, { state: 'succeeded', id: `re-${body['reference']}` });
      }
      const known = findCharge(body['reference']!);
      if (what === 'completions') {
        if (known) known.isCompleted = true;
        return answer(known ? 200 : 404, { state: 'succeeded', id: `ch-${body['reference']}` });
      }
      const { requests = 0 } = known ?? {};
      charges.set(body['reference']!, { amount, requests: requests + 1, account });
      provider.onCharge(body['reference']!, account);
      const state = { [amounts.charged]: 'succeeded', [amounts.challenged]: 'challenged' }[amount] ?? 'pending';
      return answer(200, { state, id: `ch-${body['reference']}` });
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const provider: FaultsProvider = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    charges,
    refunds,
    strayCalls,
    onCharge: () => undefined,
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
  return provider;
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

export function paidCallback(reference: string, amount: number, account?: string): CallbackMessage {
  return sign(eventOf(reference, amount), account);
}

/** Declined for insufficient funds. */
export function declinedCallback(reference: string, amount: number, account?: string): CallbackMessage {
  return sign(declined(reference, amount), account);
}

/** Declined without a reason. */
export function unexplainedCallback(reference: string, amount: number): CallbackMessage {
  return sign(eventOf(reference, amount, 'failed'));
}

/** Every account has a key of its own. */
export function callbackKeyOf(account: string): string {
  return account === mainAccount ? callbackKey : `${callbackKey}, account ${account}`;
}

function sign(event: object, account: string = mainAccount): CallbackMessage {
  const body = JSON.stringify(event);
  return { body, signature: createHmac('sha256', callbackKeyOf(account)).update(body).digest('hex') };
}

const reusedConnections = new Agent({ keepAlive: true, maxSockets: 32 });

interface Sending {
  readonly agent?: Agent | false;
  /** The sender's address. */
  readonly localAddress?: string;
  /** Sends to the address of this account instead of the address that all accounts share. */
  readonly account?: string | undefined;
}

/** Sends the callback once. Status 0 if there is no response within 30 s. */
export async function deliverCallback(
  url: string,
  { body, signature }: CallbackMessage,
  { account = mainAccount, ...from }: Sending = {},
): Promise<{ readonly status: number; readonly ms: number }> {
  const began = performance.now();
  const status = await new Promise<number>((resolve) => {
    const headers = {
      'Content-Type': 'application/json',
      'X-Signature': signature,
      'Content-Length': Buffer.byteLength(body),
    };
    const options = { method: 'POST', agent: reusedConnections, headers, timeout: 30_000, ...from };
    const message = send(`${url}/callbacks/${callbackPath('faults', account)}`, options, (response) => {
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
  sending: Sending = {},
): Promise<{ tries: number; slowestMs: number }> {
  const began = performance.now();
  let slowestMs = 0;
  for (let tries = 1; ; tries += 1) {
    const { status, ms } = await deliverCallback(url, message, sending);
    slowestMs = Math.max(slowestMs, ms);
    if (status === 200) return { tries, slowestMs };
    if (performance.now() - began > patienceMs)
      throw new Error(`not acknowledged in ${tries} tries; the last answer was ${status}`);
    await sleep(250);
  }
}
