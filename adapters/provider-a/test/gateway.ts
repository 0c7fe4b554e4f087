/** A small gateway for the round trip: the adapter behind real HTTP on loopback, against its own sandbox. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import {
  type AckOutcome,
  type DeliveryReport,
  type HttpReply,
  type HttpRequest,
  type Provider,
  type ProviderHttp,
  type ReportedEvent,
} from '@gateway/contract';
import { createRouter, listen, type Reply, type SandboxRequest } from '@gateway/contract/sandbox';
import { realHttp, scriptedProvider } from '@gateway/contract/testing';
import providerA from '../index.ts';
import type { Options } from '../options.ts';
import createSandbox from '../sandbox/index.ts';
import { options as plainOptions } from './helpers.ts';

export interface Heard {
  readonly route: string;
  readonly outcome: AckOutcome;
  readonly events: readonly (ReportedEvent & { readonly status: string })[];
}

export interface Gateway {
  readonly provider: Provider<Options>;
  readonly sandboxUrl: string;
  /** Callbacks in the order of their arrival. */
  readonly heard: readonly Heard[];
  readonly deliveries: readonly DeliveryReport[];
  /** `<word> <status>` of every event heard, in order. */
  told(): string[];
  /** Answers each callback as one that cannot be stored. */
  refuse(yes: boolean): void;
  /** Resolves once the condition holds; looks again after each callback. Rejects after five seconds. */
  until(condition: () => boolean): Promise<void>;
  close(): Promise<void>;
}

const WAIT_MS = 5000;

export async function startGateway(delayMs = 8): Promise<Gateway> {
  const heard: Heard[] = [];
  const deliveries: DeliveryReport[] = [];
  const watchers = new Set<() => void>();
  let refusing = false;

  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const publicUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const sandbox = await listen(createSandbox, {
    options: plainOptions,
    providerSide: {},
    publicUrl,
    delayMs,
    onDelivery(report) {
      deliveries.push(report);
      for (const look of watchers) look();
    },
  });
  const http = realHttp(sandbox.baseUrl);
  const provider: Provider<Options> = {
    ...scriptedProvider({ options: plainOptions, publicUrl, sandbox: true, now: () => new Date() }),
    baseUrl: sandbox.baseUrl,
    http: { send: (request) => sendTwice(http, request) },
  };

  async function receive(request: SandboxRequest, path: string): Promise<Reply> {
    const route = providerA.callbacks.find(
      (candidate) => candidate.path === path && candidate.method === request.method,
    )!;
    const raw = { ...request, remoteAddress: '127.0.0.1', receivedAt: new Date() };
    const verdict = await route.verifySignature(raw, provider);
    let outcome: AckOutcome;
    let events: Heard['events'] = [];
    if (verdict.verdict === 'genuine') {
      const parsed = route.parseCallback(verdict.proven, provider);
      if ('malformed' in parsed) outcome = 'malformed';
      else {
        events = parsed.events.map((event) => ({ ...event, status: providerA.mapStatus(event) }));
        outcome = refusing ? 'try_later' : parsed.refused ? 'bad_signature' : 'accepted';
      }
    } else {
      outcome = verdict.verdict === 'forged' || verdict.verdict === 'unproven' ? 'bad_signature' : verdict.verdict;
    }
    heard.push({ route: path, outcome, events });
    const proven = verdict.verdict === 'genuine' ? { proven: verdict.proven } : {};
    const { status, headers, body } = route.acknowledge!({ outcome, raw, ...proven }, provider);
    return { status, headers: headers ?? {}, body: body ?? '' };
  }
  const handle = createRouter({ 'POST /callbacks/:route': receive, 'GET /callbacks/:route': receive });
  server.on('request', (request, response) => {
    void handle(request, response);
  });

  return {
    provider,
    sandboxUrl: sandbox.baseUrl,
    heard,
    deliveries,
    told: () => heard.flatMap(({ events }) => events.map(({ word, status }) => `${word} ${status}`)),
    refuse(yes) {
      refusing = yes;
    },
    until: (condition) => waitUntil(condition, watchers, () => `waited in vain; heard: ${JSON.stringify(heard)}`),
    async close() {
      await sandbox.close();
      await closeServer(server);
    },
  };
}

function waitUntil(condition: () => boolean, watchers: Set<() => void>, complaint: () => string): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (finish: () => void): void => {
      clearTimeout(timer);
      watchers.delete(look);
      finish();
    };
    const look = (): void => {
      if (condition()) end(resolve);
    };
    const timer = setTimeout(() => end(() => reject(new Error(complaint()))), WAIT_MS);
    watchers.add(look);
    look();
  });
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** As core's client: a request that was answered 429 with a short `Retry-After` goes out once more, here at once. */
async function sendTwice(http: ProviderHttp, request: HttpRequest): Promise<HttpReply> {
  const first = await http.send(request);
  return first.status === 429 ? http.send(request) : first;
}
