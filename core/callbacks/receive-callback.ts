/** Receives a callback: proves it, parses it, stores it durably, and only then says what to answer. */
import { randomUUID } from 'node:crypto';
import { BlockList, isIPv6 } from 'node:net';
import { hash, page, readReference } from '@gateway/contract';
import type { AckOutcome, Acknowledgement, RawCallback } from '@gateway/contract';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { inboxModel, type InboxRow, type InboxState } from '../documents/inbox-row.ts';
import { createWriteLane } from '../documents/write-lane.ts';
import type { ThreeDsOptions } from '../payments/submit/three-ds-token.ts';
import type { ProviderCalls } from '../providers/provider-calls.ts';
import type { FoundRoute, Registry } from '../providers/registry.ts';
import type { StatedEvent } from '../providers/mapped-event.ts';
import { withTimeLimit } from '../providers/http/time-limit.ts';
import type { Sealer } from '../encryption.ts';
import { toBytes } from './raw-bytes.ts';
import { acknowledgeThreeDs, readThreeDs } from './read-three-ds.ts';
import type { Callbacks } from './service.ts';

export interface ReceiveDeps {
  readonly connection: Connection;
  readonly registry: Registry;
  readonly calls: ProviderCalls;
  readonly sealer: Sealer;
  readonly threeDs: ThreeDsOptions;
  readonly publicUrl: string;
  /** Networks that an adapter's callbacks come from, as CIDR; an adapter without any takes all. */
  readonly networks: Readonly<Record<string, readonly string[]>>;
  readonly keepDays: number;
  /** A worker should look at the inbox. */
  readonly wake: () => void;
  readonly now: () => Date;
  readonly log: Logger;
}

/** The adapter name under which core's own 3D Secure route keeps its rows. */
export const threeDsRoute = '3ds';

const DAY_MS = 86_400_000;

/** A 503 must leave before the provider gives up. */
const STORE_LIMIT_MS = 4000;

export function createCallbacks(deps: ReceiveDeps): Callbacks {
  const { connection, registry, calls, sealer, publicUrl, now, log } = deps;
  const model = inboxModel(connection);
  const lane = createWriteLane<InboxRow>(model);
  const networks = new Map(Object.entries(deps.networks).map(([name, list]) => [name, toBlockList(list)]));

  /** `try_later` where it could not be stored: then the provider must send it again. */
  async function store(row: InboxRow): Promise<'accepted' | 'duplicate' | 'try_later'> {
    try {
      // Stored later after all, it is a duplicate of what the provider sends again.
      if ((await withTimeLimit(STORE_LIMIT_MS, async () => lane.insert(row))) === 'stored') {
        deps.wake();
        return 'accepted';
      }
      await wakeAgain(row._id);
      return 'duplicate';
    } catch (error) {
      log.error({ err: error, requestId: row.requestId, adapter: row.adapter }, 'a callback could not be stored');
      return 'try_later';
    }
  }

  /**
   * A row that was put aside gets another chance when the provider sends it again. And where only the provider knows what
   * an event means it is asked again: the first of two alike may have been made by somebody, from what is not signed.
   */
  async function wakeAgain(id: string): Promise<void> {
    const again = { state: 'waiting', dueAt: now(), lapses: 0, tries: 0, faults: 0 } as const;
    const aside = await model.updateOne({ _id: id, state: 'aside' }, { $set: again });
    const asks = await model.updateOne(
      { _id: id, state: 'done', 'events.event.mustFetch': true },
      { $set: { ...again, 'events.$[asking].state': 'waiting' }, $unset: { doneAt: 1 } },
      { arrayFilters: [{ 'asking.event.mustFetch': true }] },
    );
    if (aside.modifiedCount + asks.modifiedCount) deps.wake();
  }

  function toRow(
    adapter: string,
    path: string,
    raw: RawCallback,
    requestId: string,
    events: readonly StatedEvent[],
    state: InboxState,
  ): InboxRow {
    const at = now();
    return {
      _id: rowId(adapter, raw, events, state),
      adapter,
      path,
      requestId,
      receivedAt: raw.receivedAt,
      sealed: sealer.seal(toBytes(raw)),
      events: events.map((event) => ({
        event,
        paymentRequestId: paymentRequestIdOf(event),
        state: 'waiting',
        note: '',
      })),
      state,
      ...(state === 'waiting' && { dueAt: at }),
      claim: null,
      worker: null,
      lapses: 0,
      tries: 0,
      faults: 0,
      expireAt: new Date(at.getTime() + deps.keepDays * DAY_MS),
    };
  }

  async function receiveProviders(
    found: FoundRoute,
    path: string,
    raw: RawCallback,
    requestId: string,
  ): Promise<Acknowledgement> {
    const { active } = found;
    const line = { requestId, adapter: active.name, route: path };
    if (networks.get(active.name)?.(raw.remoteAddress) === false) {
      log.warn({ ...line, remoteAddress: raw.remoteAddress }, 'callback from a network that config does not list');
      return page(403);
    }
    // A copy: what is kept as evidence is what came, whatever an adapter does to what it is lent.
    const verdict = await calls.verify(found, { ...raw, body: Buffer.from(raw.body) });
    if (verdict.verdict !== 'genuine' && verdict.verdict !== 'unproven') {
      const outcome = verdict.verdict === 'forged' ? 'bad_signature' : verdict.verdict;
      log.warn({ ...line, outcome, reason: verdict.reason }, 'callback refused');
      return calls.acknowledge(found, { outcome, raw });
    }
    const { proven } = verdict;
    const handshake = calls.probe(found, proven);
    if (handshake) {
      log.info(line, 'handshake answered');
      return handshake;
    }
    const parsed = calls.parse(found, proven);
    const answer = (outcome: AckOutcome): Acknowledgement => {
      log.info(
        {
          ...line,
          outcome,
          events: 'events' in parsed ? parsed.events.map(({ kind, word }) => `${kind} ${word}`) : [],
        },
        'callback received',
      );
      return calls.acknowledge(found, { outcome, raw, proven });
    };
    if ('malformed' in parsed) {
      log.error(
        { alarm: true, ...line, reason: parsed.malformed },
        'a genuine callback could not be read; it is kept for a person',
      );
      const stored = await store(toRow(active.name, path, raw, requestId, [], 'malformed'));
      return answer(stored === 'try_later' ? stored : 'malformed');
    }
    const events =
      verdict.verdict === 'unproven'
        ? parsed.events.map((event) => ({ ...event, mustFetch: true as const }))
        : parsed.events;
    if (!events.length) return answer(parsed.refused ? 'bad_signature' : 'ignored');
    const stored = await store(toRow(active.name, path, raw, requestId, events, 'waiting'));
    return answer(parsed.refused && stored !== 'try_later' ? 'bad_signature' : stored);
  }

  async function receiveThreeDs(raw: RawCallback, requestId: string): Promise<Acknowledgement> {
    const read = readThreeDs(raw, deps.threeDs);
    const line = { requestId, route: threeDsRoute };
    if (read.verdict !== 'genuine') {
      const outcome = read.verdict === 'forged' ? 'bad_signature' : read.verdict;
      log.warn({ ...line, outcome }, 'callback refused');
      return acknowledgeThreeDs(outcome, read, publicUrl);
    }
    const outcome = await store(toRow(threeDsRoute, threeDsRoute, raw, requestId, [read.result.event], 'waiting'));
    log.info({ ...line, outcome, paymentRequestId: paymentRequestIdOf(read.result.event) }, 'callback received');
    return acknowledgeThreeDs(outcome, read, publicUrl);
  }

  return {
    async receive(path, raw, requestId) {
      if (path === threeDsRoute) return raw.method === 'POST' ? receiveThreeDs(raw, requestId) : undefined;
      const found = registry.route(raw.method, path);
      return found && receiveProviders(found, path, raw, requestId);
    },
  };
}

export function paymentRequestIdOf({ reference }: Pick<StatedEvent, 'reference'>): number | null {
  const id = Number(reference === null ? Number.NaN : readReference(reference)?.paymentRequestId);
  return Number.isSafeInteger(id) ? id : null;
}

/**
 * The same events are the same row, however often and on whichever route they come; what has no identity is always new.
 * Facts beside the identity take part, for a signature need not cover them: a replay with another amount is another row.
 */
function rowId(adapter: string, raw: RawCallback, events: readonly StatedEvent[], state: InboxState): string {
  if (state === 'malformed') return `m-${hash('sha256', adapter, '\n', raw.query, '\n', raw.body).toString('hex')}`;
  if (events.some(({ dedupeKey }) => dedupeKey === null)) return `r-${randomUUID()}`;
  const facts = events.map((event) => {
    const { kind, dedupeKey, reference, providerReference, amount, currency, mode = null } = event;
    return [kind, dedupeKey, reference, providerReference, amount, currency, mode];
  });
  return `e-${hash('sha256', JSON.stringify([adapter, facts])).toString('hex')}`;
}

function toBlockList(networks: readonly string[]): ((address: string) => boolean) | undefined {
  if (!networks.length) return undefined;
  const list = new BlockList();
  for (const network of networks) {
    const [address = '', prefix = ''] = network.split('/');
    list.addSubnet(address, Number(prefix), isIPv6(address) ? 'ipv6' : 'ipv4');
  }
  return (address) => {
    const plain = address.replace(/^::ffff:(?=\d+\.)/, '');
    return list.check(plain, isIPv6(plain) ? 'ipv6' : 'ipv4');
  };
}
