/** A round trip with the package's own sandbox over HTTP: pay, be told, answer, ask, give back. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { RawCallback } from '../../callback.ts';
import type { StatusReport } from '../../event.ts';
import type { StoredPayment } from '../../payment.ts';
import type { Provider } from '../../provider.ts';
import { listen } from '../../sandbox/listen.ts';
import type { DeliveryReport } from '../../sandbox-contract.ts';
import type { ToldEvent } from '../compare-result.ts';
import { isObject } from '../difference.ts';
import { toRefund, toStoredPayment, toSubmission, type VectorPayment } from '../lent-payment.ts';
import { playFetch, settled } from '../play-call.ts';
import { playCallback } from '../play-callback.ts';
import { realHttp } from '../real-http.ts';
import { scriptedProvider } from '../scripted-provider.ts';
import { demand, type Check } from './kit.ts';
import type { Subject } from './subject.ts';

const rule = 'sandbox';
const delayMs = 15;
const usualPatienceMs = 3_000;

export function sandboxChecks<Options>(subject: Subject<Options>): Check[] {
  const { sandbox } = subject.kit;
  if (!sandbox) return [];
  return [
    {
      rule,
      title: 'pays at its own sandbox, believes and acknowledges its callbacks, and fetches the same status',
      async run() {
        const trip = await startTrip(subject);
        try {
          await makeTrip(subject, trip);
        } finally {
          await trip.close();
        }
      },
    },
  ];
}

interface Trip<Options> {
  readonly provider: Provider<Options>;
  readonly events: ToldEvent[];
  readonly deliveries: DeliveryReport[];
  /** What went wrong while a callback was answered. */
  readonly faults: string[];
  /** Waits until the condition holds; false when patience ends. */
  until(condition: () => boolean): Promise<boolean>;
  close(): Promise<void>;
}

async function startTrip<Options>(subject: Subject<Options>): Promise<Trip<Options>> {
  const { adapter, file } = subject;
  const kit = subject.kit.sandbox!;
  const events: ToldEvent[] = [];
  const deliveries: DeliveryReport[] = [];
  const faults: string[] = [];
  const wakers = new Set<() => void>();
  const wake = (): void => {
    for (const waker of wakers) waker();
  };
  let provider: Provider<Options> | undefined;

  const receiver = createServer((request, response) => {
    void receive(request)
      .then((raw) => answer(raw, response))
      .catch((error: unknown) => {
        faults.push(error instanceof Error ? error.message : String(error));
        response.writeHead(500).end();
      })
      .finally(wake);
  });
  const answer = async (raw: RawCallback, response: ServerResponse): Promise<void> => {
    const path = raw.path.replace(/^\/callbacks\//, '');
    const route = adapter.callbacks.find((one) => one.path === path && one.method === raw.method);
    if (!route || !provider) {
      faults.push(`the sandbox calls ${raw.method} ${raw.path}, and there is no such route`);
      response.writeHead(404).end();
      return;
    }
    const played = await playCallback(adapter, route, raw, provider);
    events.push(...played.events);
    const { status, headers = {}, body } = played.acknowledgement;
    response.writeHead(status, { ...headers }).end(body ?? '');
  };
  const publicUrl = await open(receiver);

  const secrets = { ...file.options, ...kit.options?.(publicUrl) };
  const running = await listen(kit.create, {
    options: subject.readOptions(secrets),
    providerSide: kit.providerSide ?? providerSideOf(subject.kit.vectors),
    publicUrl,
    delayMs,
    onDelivery(report) {
      deliveries.push(report);
      wake();
    },
  });
  const options = subject.readOptions({ ...secrets, baseUrl: running.baseUrl, sandboxBaseUrl: running.baseUrl });
  provider = scriptedProvider({
    options,
    http: realHttp(running.baseUrl),
    sandbox: true,
    now: () => new Date(),
    publicUrl,
    threeDsToken: 'b25lLTNkcy10b2tlbg',
  });

  return {
    provider,
    events,
    deliveries,
    faults,
    until: (condition) => untilWoken(wakers, condition, kit.patienceMs ?? usualPatienceMs),
    async close() {
      await running.close();
      receiver.closeAllConnections();
      await new Promise((resolve) => receiver.close(resolve));
    },
  };
}

function providerSideOf(vectors: unknown): Readonly<Record<string, unknown>> {
  const file: unknown = typeof vectors === 'string' ? JSON.parse(vectors) : vectors;
  const side = isObject(file) ? file['providerSide'] : undefined;
  return isObject(side) ? side : {};
}

async function open(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

async function receive(request: IncomingMessage): Promise<RawCallback> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const [path = '/', query = ''] = (request.url ?? '/').split('?');
  const { rawHeaders } = request;
  return {
    method: request.method ?? 'GET',
    path,
    query,
    headers: rawHeaders.flatMap((name, at) => (at % 2 === 0 ? [[name, rawHeaders[at + 1]!] as const] : [])),
    body: Buffer.concat(chunks),
    remoteAddress: '127.0.0.1',
    receivedAt: new Date(),
  };
}

async function untilWoken(wakers: Set<() => void>, condition: () => boolean, patienceMs: number): Promise<boolean> {
  if (condition()) return true;
  return new Promise((resolve) => {
    const end = (held: boolean): void => {
      clearTimeout(timer);
      wakers.delete(look);
      resolve(held);
    };
    const look = (): void => {
      if (condition()) end(true);
    };
    const timer = setTimeout(() => end(false), patienceMs);
    wakers.add(look);
  });
}

async function makeTrip<Options>(subject: Subject<Options>, trip: Trip<Options>): Promise<void> {
  const { adapter, kit } = subject;
  const { provider } = trip;
  const [sample] = subject.goodSubmissions;
  const body: VectorPayment = { ...sample?.payment, ...kit.sandbox?.payment, isSandbox: true };
  const submission = toSubmission(adapter, body);
  const outcome = await settled(adapter.submit(submission, provider), true);
  demand(
    outcome.outcome === 'succeeded' || outcome.outcome === 'pending',
    `the payment is ${outcome.outcome} at the sandbox`,
    'let adapter and sandbox follow one protocol; give `sandbox.payment` values that the sandbox approves',
  );
  if (outcome.outcome === 'pending' && outcome.action) await kit.sandbox?.payer?.(outcome.action);

  const told = await trip.until(() => trip.deliveries.some(({ acknowledged }) => acknowledged));
  demand(
    trip.faults.length === 0,
    `a callback of the sandbox went wrong: ${trip.faults[0]}`,
    'see the callback routes',
  );
  demand(
    told && trip.events.length > 0,
    `the sandbox sent ${trip.deliveries.length} callbacks and none was believed and acknowledged`,
    'sign in the sandbox as the protocol says, acknowledge in the adapter as the provider wants',
  );
  const about = trip.events.filter(({ reference }) => reference !== null);
  demand(
    about.every(({ reference }) => reference === submission.reference),
    'a callback of the sandbox names another reference',
    'keep our reference in the sandbox and tell it',
  );

  if (!adapter.fetchStatus) return;
  const action = outcome.outcome === 'pending' ? outcome.action : undefined;
  const reference =
    outcome.providerReference ?? trip.events.find((event) => event.providerReference)?.providerReference;
  const stored: StoredPayment = toStoredPayment(
    adapter,
    { ...body, providerReference: reference ?? undefined, ...(action && { action }) },
    provider.options,
    new Date(),
  );
  const report = await playFetch(adapter.fetchStatus(stored, provider));
  demand(
    report.news === 'events' && report.events.length > 0,
    `after the payment the sandbox’s status says ${describe(report)}`,
    'answer the status of a payment in the sandbox, and read it in `fetchStatus`',
  );
  const paid = report.events.some((event) => adapter.mapStatus(event) === 'succeeded');
  if (!adapter.refund || !paid) return;
  const wanted = { reference: `${stored.reference}-R1`, amount: stored.money.amount };
  const refunded = await settled(
    adapter.refund(stored, toRefund(adapter, { ...body, refund: wanted }), provider),
    true,
  );
  demand(
    refunded.outcome === 'succeeded' || refunded.outcome === 'pending',
    `a refund in full is ${refunded.outcome} at the sandbox`,
    'let the sandbox give back what was paid',
  );
}

function describe(report: StatusReport): string {
  return report.news === 'none' ? `nothing (${report.reason})` : report.news;
}
