/** A scripted provider behind real HTTP with books of its own, and the adapter that speaks with it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  defaultReconcilePolicy,
  defineRoute,
  genuine,
  invalidSignature,
  notFound,
  onlyHeader,
  statusTable,
  utf8,
  type AdapterContext,
  type Outcome,
  type ReportedEvent,
} from '@gateway/contract';
import { fakeActive, fakeOptions } from '../../core/providers/testing/fake-adapter.ts';
import type { ActiveAdapter, AdapterOptions } from '../../core/providers/load/load-adapters.ts';
import { beforeMessage } from './actors.ts';

/** `queues`: the request waits at the provider, which does not answer and knows nothing of it before it is done. */
export type Behaviour = 'succeeds' | 'fails' | 'pends' | 'queues';

export interface Entry {
  readonly kind: 'charge' | 'refund';
  readonly reference: string;
  readonly id: string;
  /** The charge that a refund gives back. */
  readonly charge: string;
  readonly amount: string;
  readonly currency: string;
  /** How often we sent it. */
  requests: number;
  state: 'queued' | 'pending' | 'succeeded' | 'failed';
}

export interface ProviderEvent {
  readonly event: ReportedEvent;
  isAcknowledged: boolean;
}

export interface Provider {
  readonly adapter: ActiveAdapter;
  readonly entries: readonly Entry[];
  /** What it reports by callbacks, in the order in which it happened. */
  readonly events: readonly ProviderEvent[];
  behaves(charges: Behaviour, refunds: Behaviour): void;
  /** Ends what waits: the queue is worked off, banks decide. */
  decideAll(): void;
  dispute(): void;
  forget(): void;
  close(): Promise<void>;
}

const signature = 'signed by the provider';

export async function startProvider(): Promise<Provider> {
  let entries: Entry[] = [];
  let events: ProviderEvent[] = [];
  let behaviour: Record<Entry['kind'], Behaviour> = { charge: 'succeeds', refund: 'succeeds' };

  function eventOf({ kind, reference, id, charge, amount, currency, state }: Entry): ReportedEvent {
    const chargeOf = entries.find((one) => one.reference === charge)!;
    return {
      kind: kind === 'charge' ? 'payment' : 'refund',
      providerStatus: state,
      reference: charge,
      providerReference: chargeOf.id,
      ...(kind === 'refund' && { subReference: id }),
      amount,
      currency,
      dedupeKey: `${reference}:${state}`,
      ...(kind === 'charge' && state === 'failed' && { decline: '05' as const }),
    };
  }

  function decide(entry: Entry, state: 'succeeded' | 'failed'): void {
    entry.state = state;
    events.push({ event: eventOf(entry), isAcknowledged: false });
  }

  function take(kind: Entry['kind'], body: Readonly<Record<string, string>>): Entry {
    const { reference = '', charge = reference, amount = '', currency = '' } = body;
    const known = entries.find((one) => one.kind === kind && one.reference === reference);
    if (known) {
      known.requests += 1;
      return known;
    }
    const id = `${kind === 'charge' ? 'ch' : 're'}-${reference}`;
    const entry: Entry = { kind, reference, id, charge, amount, currency, requests: 1, state: 'pending' };
    entries.push(entry);
    switch (behaviour[kind]) {
      case 'succeeds':
        decide(entry, 'succeeded');
        break;
      case 'fails':
        decide(entry, 'failed');
        break;
      case 'pends':
        break;
      case 'queues':
        entry.state = 'queued';
        break;
    }
    return entry;
  }

  const server = createServer((request, response) => {
    void answer(request, response);
  });

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString('utf8');
    const [, , what = '', reference = ''] = (request.url ?? '').split('/');
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.method === 'GET') {
      const charge = entries.find((one) => one.kind === 'charge' && one.reference === reference);
      if (!charge || charge.state === 'queued') return send(404, {});
      const refunds = entries.filter((one) => one.kind === 'refund' && one.charge === reference && isDecided(one));
      return send(200, [eventOf(charge), ...refunds.map(eventOf)]);
    }
    const entry = take(what === 'charges' ? 'charge' : 'refund', JSON.parse(text) as Record<string, string>);
    if (entry.state === 'queued' || request.headers['x-answer'] === 'lost') request.socket.destroy();
    else send(200, { id: entry.id, state: entry.state });
  }

  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  const baseUrl = `http://127.0.0.1:${port}/v1`;

  return {
    adapter: adapterFor(baseUrl),
    get entries() {
      return entries;
    },
    get events() {
      return events;
    },
    behaves: (charge, refund) => void (behaviour = { charge, refund }),
    decideAll() {
      for (const entry of entries) if (!isDecided(entry)) decide(entry, 'succeeded');
    },
    dispute() {
      const charge = entries.find(({ kind, state }) => kind === 'charge' && state === 'succeeded');
      if (!charge) return;
      const { reference, id: providerReference, amount, currency } = charge;
      const about = { reference, providerReference, subReference: `cb-${reference}`, amount, currency };
      events.push({
        event: { kind: 'chargeback', providerStatus: 'lost', ...about, dedupeKey: `cb-${reference}:lost` },
        isAcknowledged: false,
      });
    },
    forget() {
      entries = [];
      events = [];
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => {
        server.close(resolve);
      });
    },
  };
}

const isDecided = ({ state }: Entry): boolean => state === 'succeeded' || state === 'failed';

/** The body and headers of a callback. */
export function callbackOf({ event }: ProviderEvent): {
  readonly body: string;
  readonly headers: Record<string, string>;
} {
  return { body: JSON.stringify(event), headers: { 'X-Signature': signature, 'Content-Type': 'application/json' } };
}

function adapterFor(sandboxBaseUrl: string): ActiveAdapter {
  type Ctx = AdapterContext<AdapterOptions>;

  async function post(ctx: Ctx, what: 'charges' | 'refunds', body: object): Promise<Outcome> {
    const fate = await beforeMessage(`POST ${what}`);
    const headers = { 'Content-Type': 'application/json', ...(fate === 'answer_lost' && { 'X-Answer': 'lost' }) };
    const reply = await ctx.http.send({ method: 'POST', path: `/${what}/new`, headers, body: JSON.stringify(body) });
    await beforeMessage(`answer to POST ${what}`);
    const { id, state } = JSON.parse(utf8(reply.body)!) as { id: string; state: Entry['state'] };
    if (state === 'succeeded') return { outcome: 'succeeded', providerReference: id };
    if (state === 'failed') return { outcome: 'failed', providerReference: id, decline: '05' };
    return { outcome: 'pending', providerReference: id };
  }

  return fakeActive({
    options: { ...fakeOptions, sandboxBaseUrl },
    manifest: { name: 'explore', title: 'Explorer', code: 58, reconcile: defaultReconcilePolicy },
    adapter: {
      mapStatus: statusTable({
        payment: { succeeded: 'succeeded', failed: 'failed', pending: 'pending' },
        refund: { succeeded: 'succeeded', failed: 'failed', pending: 'pending' },
        chargeback: { lost: 'lost' },
      }),
      submit: async ({ reference, money }, ctx) => post(ctx, 'charges', { reference, ...money }),
      refund: async ({ reference: charge }, { reference, money }, ctx) =>
        post(ctx, 'refunds', { reference, charge, ...money }),
      async fetchStatus(payment, ctx) {
        await beforeMessage('GET charge');
        const reply = await ctx.http.send({ method: 'GET', path: `/charges/${payment.reference}` });
        await beforeMessage('answer to GET charge');
        if (reply.status === 404) return notFound(payment);
        return { result: 'events', events: JSON.parse(utf8(reply.body)!) as ReportedEvent[] };
      },
      callbacks: [
        defineRoute<AdapterOptions, string>({
          path: 'explore',
          method: 'POST',
          caller: 'server',
          reports: 'everything',
          verifySignature: (raw) =>
            onlyHeader(raw, 'x-signature') === signature ? genuine(utf8(raw.body)!) : invalidSignature('not signed'),
          parseCallback: ({ value }) => ({ events: [JSON.parse(value) as ReportedEvent] }),
        }),
      ],
    },
  });
}
