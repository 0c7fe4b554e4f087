/** A provider that moves money correctly, but answers as each payment's plan says until `behave('well')` is called. */
import { createServer as createHttpServer, type ServerResponse } from 'node:http';
import { connect, createServer, type AddressInfo, type Socket } from 'node:net';
import { answerKinds, type AnswerKind } from './answer-kinds.ts';
import { installPackage } from './provider.ts';

export type Call = 'submit' | 'fetch' | 'refund';

/** Sent as the payer's name: which call gets a bad answer, of which kind, and whether the money moves nevertheless. */
export interface Plan {
  readonly call: Call;
  readonly kind: number;
  readonly happens: boolean;
}

export const nameOf = ({ call, kind, happens }: Plan): string => `${call} ${kind} ${happens}`;

function planOf(name: string): Plan {
  const [call, kind, happens] = name.split(' ');
  return { call: call as Call, kind: Number(kind), happens: happens === 'true' };
}

export const amount = '10.00';
const currency = 'EUR';

type At = AnswerKind['at'];

/** One adapter for each point at which a request can fail, because each has its own address. */
export const adapters: Readonly<Record<At, { readonly name: string; readonly code: number }>> = {
  answer: { name: 'answers', code: 57 },
  'reset before the request': { name: 'answers-reset', code: 56 },
  'refused connection': { name: 'answers-refused', code: 55 },
};

/** As careful as every adapter must be: an incomplete answer gives no information. */
const adapterText = (name: string, code: number): string => `
import { defineAdapter, isSameMoney, noInformation, notFound, readAs, readJsonObject, statusTable, unknown, v } from '@paywright/contract';
const words = { succeeded: 'succeeded', failed: 'failed', pending: 'pending' };
const Answer = v.object({ reference: v.string(), amount: v.string(), currency: v.string(), state: v.picklist(Object.keys(words)) });
const read = (reply) => reply.status === 200 ? readAs(Answer, readJsonObject(reply.body)) : undefined;
async function post(ctx, path, { amount, currency }, body) {
  const headers = { 'Content-Type': 'application/json' };
  const reply = await ctx.http.send({ method: 'POST', path, headers, body: JSON.stringify({ ...body, amount, currency }) });
  const answer = read(reply);
  if (answer?.reference !== body.reference || !isSameMoney(answer, { amount, currency })) return unknown('its answer says nothing');
  const providerReference = 'p-' + body.reference;
  return { outcome: answer.state, providerReference, ...(answer.state === 'failed' && { decline: '05' }) };
}
export default defineAdapter({
  manifest: {
    name: '${name}', title: 'Answers', code: ${code}, contract: '^2.0', inputs: ['card'], currencies: 'any',
    ways: [{ method: 'card', title: 'Card', threeDs: 'unsupported', payerFields: ['name'] }],
    options: v.strictObject({ baseUrl: v.string(), sandboxBaseUrl: v.string() }), declines: {},
    reconcile: { stepsSeconds: [1, 1], thenEverySeconds: 1, giveUpAfterSeconds: 6000 }, idempotency: 'the reference',
  },
  submit: ({ reference, money, payer }, ctx) => post(ctx, '/charges', money, { reference, plan: payer.name }),
  refund: ({ reference: charge }, { reference, money }, ctx) => post(ctx, '/refunds', money, { reference, charge }),
  async fetchStatus(payment, ctx) {
    const reply = await ctx.http.send({ method: 'GET', path: '/charges/' + payment.reference });
    if (reply.status === 404) return notFound(payment);
    const answer = read(reply);
    if (!answer) return noInformation('its answer says nothing');
    const { reference, amount, currency, state } = answer;
    const about = { reference, providerReference: 'p-' + reference, amount, currency };
    const decline = state === 'failed' && { decline: '05' };
    return { result: 'events', events: [{ kind: 'payment', providerStatus: state, ...about, dedupeKey: reference + state, ...decline }] };
  },
  callbacks: [],
  mapStatus: statusTable({ payment: words, refund: words }),
});
`;

interface Charge {
  readonly plan: Plan;
  readonly state: 'pending' | 'succeeded' | 'nothing';
  /**
   * Number of the provider's phase when the charge was made. A pending charge is decided once the phase was bad and is
   * good again.
   */
  readonly phase: number;
  requests: number;
}

export interface AnswersProvider {
  /** Base addresses, by adapter name. */
  readonly urls: Readonly<Record<string, string>>;
  readonly charges: ReadonlyMap<string, Charge>;
  /** Refund to refunded charge. */
  readonly refunds: ReadonlyMap<string, string>;
  behave(how: 'badly' | 'well'): Promise<void>;
  close(): Promise<void>;
}

export async function installAnswersAdapters(folder: string): Promise<void> {
  for (const { name, code } of Object.values(adapters)) await installPackage(folder, name, adapterText(name, code));
}

export async function startAnswersProvider(): Promise<AnswersProvider> {
  const charges = new Map<string, Charge>();
  const refunds = new Map<string, string>();
  let isBad = false;
  let phase = 0;

  const server = createHttpServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const [, what, reference = ''] = (request.url ?? '').split('/');
      if (request.method === 'GET') return showCharge(reference, response);
      const body = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Record<string, string>;
      return what === 'refunds' ? refund(body, response) : charge(body, response);
    });
  });

  function answer(response: ServerResponse, { call, kind }: Plan, doing: Call, reference: string, state: string): void {
    const truth = { reference, amount, currency, state };
    // Each request uses its own connection, so that no request meets what an earlier answer left behind.
    response.setHeader('Connection', 'close');
    if (isBad && call === doing) answerKinds[kind]!.answer(response, { ...truth, state: 'succeeded' });
    else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(truth));
  }

  function charge({ reference = '', plan: name = '' }: Record<string, string>, response: ServerResponse): void {
    const plan = planOf(name);
    const atOnce = plan.happens ? 'succeeded' : 'nothing';
    const state = { submit: atOnce, fetch: 'pending', refund: 'succeeded' } as const;
    const known = charges.get(reference);
    if (known) known.requests += 1;
    else charges.set(reference, { plan, state: state[plan.call], phase, requests: 1 });
    answer(response, plan, 'submit', reference, state[plan.call]);
  }

  function showCharge(reference: string, response: ServerResponse): void {
    const known = charges.get(reference);
    if (!known || known.state === 'nothing') return void response.writeHead(404, { Connection: 'close' }).end('{}');
    const { plan, state } = known;
    const isDecided = state === 'pending' && phase >= known.phase + 2;
    answer(response, plan, 'fetch', reference, isDecided ? (plan.happens ? 'succeeded' : 'failed') : state);
  }

  function refund({ reference = '', charge: of = '' }: Record<string, string>, response: ServerResponse): void {
    const { plan } = charges.get(of)!;
    if (!isBad || plan.happens) refunds.set(reference, of);
    answer(response, plan, 'refund', reference, 'succeeded');
  }

  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const resetting = await startDoor(port, '127.0.0.1');
  // Its own address, so that no other process listens there while it is closed.
  const refusing = await startDoor(port, '127.77.0.2');
  return {
    urls: {
      [adapters.answer.name]: `http://127.0.0.1:${port}`,
      [adapters['reset before the request'].name]: resetting.url,
      [adapters['refused connection'].name]: refusing.url,
    },
    charges,
    refunds,
    async behave(how) {
      isBad = how === 'badly';
      phase += 1;
      resetting.resets(isBad);
      await (isBad ? refusing.close() : refusing.open());
    },
    async close() {
      server.closeAllConnections();
      await Promise.all([refusing.close(), resetting.close(), new Promise((resolve) => server.close(resolve))]);
    },
  };
}

interface Door {
  readonly url: string;
  /** From now on resets connections before it reads anything. */
  resets(isOn: boolean): void;
  open(): Promise<void>;
  close(): Promise<void>;
}

/** Forwards connections to the provider's port while it is open. */
async function startDoor(target: number, host: string): Promise<Door> {
  const open = new Set<Socket>();
  let doesReset = false;
  const server = createServer((near) => {
    if (doesReset) return void near.resetAndDestroy();
    const far = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      open.add(one);
      one.pipe(other);
      one.on('error', () => other.destroy());
      one.on('close', () => {
        open.delete(one);
        other.destroy();
      });
    }
  });
  const listen = async (port: number): Promise<void> =>
    new Promise((resolve) => {
      server.listen(port, host, resolve);
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://${host}:${port}`,
    resets: (isOn) => (doesReset = isOn),
    async open() {
      if (!server.listening) await listen(port);
    },
    async close() {
      if (!server.listening) return;
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
