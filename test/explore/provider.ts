/** A scripted provider behind real HTTP with its own books, and the adapter for it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  defaultReconcilePolicy,
  defineRoute,
  genuine,
  compareDecimals,
  invalidSignature,
  nothingCharged,
  notFound,
  onlyHeader,
  statusTable,
  utf8,
  type AdapterContext,
  type Outcome,
  type ReportedEvent,
} from '@paywright/contract';
import { fakeActive, fakeOptions } from '../../core/engine/providers/testing/fake-adapter.ts';
import type { ActiveAdapter, AdapterOptions } from '../../core/engine/providers/load/load-adapters.ts';
import { beforeMessage, trackInProgress } from './actors.ts';

/**
 * `queues`: the request waits at the provider, which does not answer and reports nothing about it until it is done.
 * `falls back`: the first provider refuses a charge, and the second one accepts it, immediately or later.
 */
export type Behaviour =
  | 'succeeds'
  | 'fails'
  | 'pends'
  | 'queues'
  | 'authorises'
  | 'challenges'
  | 'asks for a code'
  | 'falls back'
  | 'falls back and pends';

/** Two providers with one set of books, told apart by the paths of their callbacks. */
const routes = { v1: 'explore', v2: 'explore-second' } as const;
type Version = keyof typeof routes;

export interface Entry {
  readonly kind: 'charge' | 'refund';
  readonly reference: string;
  readonly id: string;
  /** Refunds only: the refunded charge. */
  readonly charge: string;
  /** Amount of the charge; after a capture, the captured amount. */
  amount: string;
  readonly currency: string;
  readonly version: Version;
  /** How often we sent it. */
  requests: number;
  state: 'queued' | 'pending' | 'authorised' | 'challenged' | 'asked' | 'succeeded' | 'failed' | 'released';
}

export interface ProviderEvent {
  readonly event: ReportedEvent;
  /** The path to which the callback is sent. */
  readonly route: string;
  isAcknowledged: boolean;
}

export interface Provider {
  readonly port: number;
  readonly adapters: readonly ActiveAdapter[];
  readonly entries: readonly Entry[];
  /** Callbacks that the provider sends, in the order in which the events happened. */
  readonly events: readonly ProviderEvent[];
  behaves(charges: Behaviour, refunds: Behaviour): void;
  /** Completes what waits: the queue is processed, banks decide, authorisations expire, payers abandon challenges. */
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

  function decide(entry: Entry, state: 'authorised' | 'succeeded' | 'failed' | 'released'): void {
    entry.state = state;
    events.push({ event: eventOf(entry), route: routes[entry.version], isAcknowledged: false });
  }

  /** Advances a charge that is authorised or waits for its payer. A repetition returns the same result. */
  function advanceCharge(
    what: string,
    { reference = '', amount = '' }: Readonly<Record<string, string>>,
  ): Entry | undefined {
    const charge = entries.find((one) => one.kind === 'charge' && one.reference === reference);
    const [before, after] = steps[what] ?? [];
    if (charge && before && after && charge.state === before) {
      if (amount) charge.amount = amount;
      decide(charge, after);
    }
    if (!charge || what === 'completions' || what === 'codes') return charge;
    const isSame = charge.state === after && (!amount || compareDecimals(amount, charge.amount) === 0);
    return isSame ? charge : undefined;
  }

  function acceptRequest(
    version: Version,
    kind: Entry['kind'],
    body: Readonly<Record<string, string>>,
  ): Entry | undefined {
    const { reference = '', charge = reference, amount = '', currency = '' } = body;
    const known = entries.find((one) => one.kind === kind && one.reference === reference);
    if (known) {
      known.requests += 1;
      return known;
    }
    const id = kind === 'charge' ? chargeIdOf(reference) : `re-${reference}`;
    const does = behaviour[kind];
    if (version === 'v1' && does.startsWith('falls back')) return undefined;
    const entry: Entry = { kind, reference, id, charge, amount, currency, version, requests: 1, state: 'pending' };
    entries.push(entry);
    switch (does) {
      case 'succeeds':
      case 'falls back':
        decide(entry, 'succeeded');
        break;
      case 'fails':
        decide(entry, 'failed');
        break;
      case 'authorises':
        decide(entry, 'authorised');
        break;
      case 'challenges':
        entry.state = 'challenged';
        break;
      case 'asks for a code':
        entry.state = 'asked';
        break;
      case 'pends':
      case 'falls back and pends':
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
    const [, version = '', what = '', reference = ''] = (request.url ?? '').split('/');
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
    };
    if (request.method === 'GET') {
      const charge = entries.find((one) => one.kind === 'charge' && one.reference === reference);
      if (!charge || charge.state === 'queued') return send(404, {});
      const refunds = entries.filter((one) => one.kind === 'refund' && one.charge === reference && isDecided(one));
      return send(200, [eventOf(charge), ...refunds.map(eventOf)]);
    }
    const body = JSON.parse(text) as Record<string, string>;
    const isNew = what === 'charges' || what === 'refunds';
    const entry = isNew
      ? acceptRequest(version as Version, what === 'charges' ? 'charge' : 'refund', body)
      : advanceCharge(what, body);
    if (entry?.state === 'queued' || request.headers['x-answer'] === 'lost') request.socket.destroy();
    else if (entry) send(200, { id: entry.id, state: entry.state });
    else send(422, {});
  }

  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    port,
    adapters: adaptersAt(port),
    get entries() {
      return entries;
    },
    get events() {
      return events;
    },
    behaves: (charge, refund) => void (behaviour = { charge, refund }),
    decideAll() {
      for (const entry of entries) if (!isDecided(entry)) decide(entry, endOf(entry));
    },
    dispute() {
      const charge = entries.find(({ kind, state }) => kind === 'charge' && state === 'succeeded');
      if (!charge) return;
      const { reference, id: providerReference, amount, currency } = charge;
      const about = { reference, providerReference, subReference: `cb-${reference}`, amount, currency };
      events.push({
        event: { kind: 'chargeback', providerStatus: 'lost', ...about, dedupeKey: `cb-${reference}:lost` },
        route: routes[charge.version],
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

const isDecided = ({ state }: Entry): boolean => ['succeeded', 'failed', 'released'].includes(state);

/** The final state of an entry after a long time. */
function endOf({ state }: Entry): 'succeeded' | 'failed' | 'released' {
  if (state === 'authorised') return 'released';
  return state === 'challenged' || state === 'asked' ? 'failed' : 'succeeded';
}

/** Last part of the path to the state that a charge must have, and the state that follows. */
const steps: Readonly<Record<string, readonly [from: Entry['state'], to: 'succeeded' | 'released']>> = {
  captures: ['authorised', 'succeeded'],
  releases: ['authorised', 'released'],
  completions: ['challenged', 'succeeded'],
  codes: ['asked', 'succeeded'],
};

/** The path, body and headers of a callback. */
export function callbackOf({ event, route }: ProviderEvent): {
  readonly path: string;
  readonly body: string;
  readonly headers: Record<string, string>;
} {
  const headers = { 'X-Signature': signature, 'Content-Type': 'application/json' };
  return { path: `/callbacks/${route}`, body: JSON.stringify(event), headers };
}

/** The adapters for the provider on a local port. */
export function adaptersAt(port: number): readonly ActiveAdapter[] {
  return [adapterFor('v1', firstCode, port), adapterFor('v2', 57, port)];
}

/** The code of the first adapter. */
export const firstCode = 58;

/** The provider's id for the charge of an attempt. A member code refers to the charge by this id. */
export const chargeIdOf = (reference: string): string => `ch-${reference}`;

/** The id of the challenge of an attempt. */
export const challengeOf = (reference: string): string => `tx-${reference}`;

const statuses = {
  succeeded: 'succeeded',
  failed: 'failed',
  pending: 'pending',
  challenged: 'pending',
  asked: 'pending',
  authorised: 'authorised',
  released: 'cancelled',
} as const;

function adapterFor(version: Version, code: number, port: number): ActiveAdapter {
  type Ctx = AdapterContext<AdapterOptions>;

  /** Returns undefined if the request was refused. */
  async function post(ctx: Ctx, what: string, body: object): Promise<Outcome | undefined> {
    const fate = await beforeMessage(`POST ${what}`);
    const headers = { 'Content-Type': 'application/json', ...(fate === 'answer_lost' && { 'X-Answer': 'lost' }) };
    const request = { method: 'POST', path: `/${what}/new`, headers, body: JSON.stringify(body) } as const;
    const reply = await trackInProgress(async () => ctx.http.send(request));
    await beforeMessage(`answer to POST ${what}`);
    if (reply.status === 422) return undefined;
    const { id, state } = JSON.parse(utf8(reply.body)!) as { id: string; state: Entry['state'] };
    const about = { providerReference: id };
    if (state === 'succeeded') return { outcome: 'succeeded', ...about };
    if (state === 'released') return { outcome: what === 'releases' ? 'succeeded' : 'failed', ...about, decline: '05' };
    if (state === 'failed') return { outcome: 'failed', ...about, decline: '05' };
    if (state === 'authorised') return { outcome: 'pending', ...about, authorised: true };
    if (state === 'asked') return { outcome: 'pending', ...about, action: { type: 'confirm', paymentId: id } };
    if (state !== 'challenged') return { outcome: 'pending', ...about };
    const transactionId = challengeOf(id.slice('ch-'.length));
    const action = { type: 'redirect', method: 'GET', url: 'https://bank.example/challenge', transactionId } as const;
    return { outcome: 'pending', ...about, action };
  }

  const turnedAway = nothingCharged('the provider turned it away');

  return fakeActive({
    options: { ...fakeOptions, sandboxBaseUrl: `http://127.0.0.1:${port}/${version}` },
    manifest: {
      name: routes[version],
      title: 'Explorer',
      code,
      reconcile: defaultReconcilePolicy,
      // Without `complete`, no charge that waits for its payer succeeds.
      ways: [
        { method: 'card', title: 'Card', threeDs: 'unsupported', payerFields: [], unfinishedStep: 'charges_nothing' },
      ],
    },
    adapter: {
      mapStatus: statusTable({
        payment: statuses,
        refund: { succeeded: 'succeeded', failed: 'failed', pending: 'pending' },
        chargeback: { lost: 'lost' },
      }),
      submit: async ({ reference, money }, ctx) => (await post(ctx, 'charges', { reference, ...money })) ?? turnedAway,
      complete: async ({ reference }, { kind }, ctx) =>
        (await post(ctx, kind === 'code' ? 'codes' : 'completions', { reference })) ?? turnedAway,
      capture: async ({ reference }, { money: { amount } }, ctx) =>
        (await post(ctx, 'captures', { reference, amount })) ?? turnedAway,
      void: async ({ reference }, ctx) => (await post(ctx, 'releases', { reference })) ?? turnedAway,
      refund: async ({ reference: charge }, { reference, money }, ctx) =>
        (await post(ctx, 'refunds', { reference, charge, ...money })) ?? turnedAway,
      async fetchStatus(payment, ctx) {
        await beforeMessage('GET charge');
        const request = { method: 'GET', path: `/charges/${payment.reference}` } as const;
        const reply = await trackInProgress(async () => ctx.http.send(request));
        await beforeMessage('answer to GET charge');
        if (reply.status === 404) return notFound(payment);
        return { result: 'events', events: JSON.parse(utf8(reply.body)!) as ReportedEvent[] };
      },
      callbacks: [
        defineRoute<AdapterOptions, string>({
          path: routes[version],
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
