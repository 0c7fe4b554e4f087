/**
 * The hosts of one database. Each supervisor renews its document every 2 s, and every second it reads the documents of
 * the other hosts. It notices hosts that died, hosts that contradict it, and hosts that have workers to wake. The same
 * read has the version of the adapters' states, so that no process of this host needs to poll for it.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection, Model } from 'mongoose';
import type { Logger } from 'pino';
import { adapterStatesModel, type AdapterStates } from '../../../core/database/collections/adapter-state.ts';
import { hostModel, type Host } from '../../../core/database/collections/host.ts';
import { WrongKeysError } from '../../../core/engine/secrets/index.ts';
import { MINUTE, SECOND } from '../../../core/base/async/time.ts';
import { differingAdapters, judgeHost, type HostProblem } from './judge-host.ts';

export interface HostsDeps {
  readonly connection: Connection;
  /** The part of this host's document that never changes. */
  readonly identity: Pick<Host, '_id' | 'hostname' | 'schemaVersion' | 'tokenSecrets' | 'adapters'>;
  /** The part that changes. */
  readonly present: () => Pick<Host, 'workers' | 'processes' | 'processStates'>;
  /** Rejects with a WrongKeysError if the keys of this host do not open the database. */
  readonly checkKeys: () => Promise<unknown>;
  /**
   * These processes died with their host. Resolves when everything that they held is free; until then the document of
   * the dead host stays.
   */
  readonly onDead: (processes: readonly string[]) => Promise<void>;
  /** Another host had workers, and has none now, or is gone: work that it was woken for may be left. */
  readonly onWorkersLost: () => void;
  /** The states of adapters changed. */
  readonly onAdapterStates: () => void;
  /** Called after every poll. */
  readonly onPoll: (found: HostState) => void;
  /** An adapter runs in several versions for longer than an upgrade takes. */
  readonly onVersionsDiffer: (adapter: string, reason: string) => void;
  readonly log: Logger;
  readonly timing?: Partial<Timing>;
}

export interface HostState {
  /** Why this host is fenced. */
  readonly problems: readonly HostProblem[];
  /** Warnings for an operator, one sentence each. */
  readonly warnings: readonly string[];
  /** Number of workers that are up on other hosts. */
  readonly workersElsewhere: number;
  /** Another host that is alive has the same hostname, as containers may have. */
  readonly isNameShared: boolean;
}

interface Timing {
  readonly everyMs: number;
  readonly renewEveryMs: number;
  /** A host whose document did not change for this long, while this host polled, is dead. */
  readonly silentMs: number;
  /** The first poll after a longer pause does not count against any host. */
  readonly pauseMs: number;
  readonly keysEveryMs: number;
  /** How long adapters may run in several versions before an alarm. */
  readonly versionsMs: number;
}

const defaults: Timing = {
  everyMs: SECOND,
  renewEveryMs: 2 * SECOND,
  silentMs: 6 * SECOND,
  pauseMs: 3 * SECOND,
  keysEveryMs: 10 * SECOND,
  versionsMs: 30 * MINUTE,
};

export interface Hosts {
  /** The id of this host. */
  readonly id: string;
  /**
   * Registers this host and polls from then on. Returns why this host must not start, one sentence each: `onPoll` got
   * the same problems, and the host has left again.
   */
  start(): Promise<readonly string[]>;
  /** Renews the document of this host now. */
  renew(): void;
  /** The next host in turn that has workers. Undefined: no other host has workers. */
  nextWithWorkers(): string | undefined;
  /** Removes this host. */
  stop(): Promise<void>;
}

/** Not durable: a lost write costs two seconds, until the next renewal. */
const writeConcern = { w: 1, j: false } as const;

export function createHosts(deps: HostsDeps): Hosts {
  const { connection, identity, present, checkKeys, onDead, onWorkersLost, onAdapterStates, onPoll, log } = deps;
  const timing = { ...defaults, ...deps.timing };
  const model = hostModel(connection);
  const stopping = new AbortController();
  /** Since when, by this process's own clock, a host's document has not changed. */
  const unchanged = new Map<string, { readonly seenAt: number; readonly since: number }>();
  const checkVersions = createVersionCheck(deps, timing.versionsMs);
  const findKeyProblem = createKeyCheck(checkKeys, timing.keysEveryMs);
  /** Dead hosts whose processes' rows and locks are being freed. */
  const freeing = new Set<string>();
  let others: readonly Host[] = [];
  let turn = 0;
  let polledAt = -Infinity;
  let renewed: Renewed | undefined;
  let statesVersion: number | undefined;
  let polling: Promise<void> = Promise.resolve();
  let renewing: Promise<void> = Promise.resolve();

  async function poll(): Promise<HostState> {
    // Half a poll earlier, because timers are late.
    if (!renewed || performance.now() - renewed.at >= timing.renewEveryMs - timing.everyMs / 2)
      renewed = await renewDocument(model, identity, present());
    const { host, clockOffMs } = renewed;
    const { all, version } = await readHosts(model);
    if (version !== statesVersion) onAdapterStates();
    statesVersion = version;
    const withWorkers = others.filter(hasWorkers);
    findDead(all.filter(({ _id }) => _id !== identity._id));
    if (withWorkers.some(({ _id }) => !others.some((other) => other._id === _id && hasWorkers(other)))) onWorkersLost();
    const keyProblem = await findKeyProblem();
    const problems = [...(keyProblem ? [keyProblem] : []), ...judgeHost(host, others, clockOffMs)];
    return {
      problems,
      warnings: checkVersions([host, ...others]),
      workersElsewhere: others.reduce((sum, { workers }) => sum + workers, 0),
      isNameShared: others.some(({ hostname }) => hostname === identity.hostname),
    };
  }

  function findDead(found: readonly Host[]): void {
    const now = performance.now();
    const wasAway = now - polledAt > timing.pauseMs;
    polledAt = now;
    for (const { _id, seenAt } of found) {
      const known = unchanged.get(_id);
      if (!known || wasAway || known.seenAt !== seenAt.getTime())
        unchanged.set(_id, { seenAt: seenAt.getTime(), since: now });
    }
    const isDead = ({ _id }: Host): boolean => now - unchanged.get(_id)!.since > timing.silentMs;
    others = found.filter((host) => !isDead(host));
    for (const host of found.filter(isDead)) if (!freeing.has(host._id)) void removeDead(host);
    for (const _id of unchanged.keys()) if (!found.some((host) => host._id === _id)) unchanged.delete(_id);
  }

  /** Removes the document last: if this host dies before that, another host frees the rest. */
  async function removeDead({ _id, hostname, processes, seenAt }: Host): Promise<void> {
    freeing.add(_id);
    log.warn({ host: _id, hostname, processes }, 'a host died; the rows and locks of its processes are being freed');
    try {
      await onDead(processes);
      if (!stopping.signal.aborted) await model.deleteOne({ _id, seenAt }, { writeConcern });
    } catch (error) {
      log.warn({ err: error, host: _id }, 'a dead host could not be removed yet');
    } finally {
      freeing.delete(_id);
    }
  }

  async function keepPolling(): Promise<void> {
    const { signal } = stopping;
    for (;;) {
      await sleep(timing.everyMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        onPoll(await poll());
      } catch (error) {
        log.warn({ err: error }, 'the hosts could not be polled');
      }
    }
  }

  /** Waits for writes in progress, because they would bring the document back. */
  async function leave(): Promise<void> {
    stopping.abort();
    await Promise.all([polling, renewing]);
    await model.deleteOne({ _id: identity._id });
    renewed = undefined;
  }

  return {
    id: identity._id,
    async start() {
      const state = await poll();
      onPoll(state);
      if (state.problems.length > 0) {
        await leave();
        return state.problems.map(({ text }) => text);
      }
      polling = keepPolling();
      return [];
    },
    renew() {
      if (polledAt === -Infinity || stopping.signal.aborted) return;
      const writing = renewDocument(model, identity, present()).catch((error: unknown) =>
        log.warn({ err: error }, 'the document of this host could not be renewed'),
      );
      renewing = renewing.then(async () => void (await writing));
    },
    nextWithWorkers() {
      const candidates = others.filter(hasWorkers);
      turn += 1;
      return candidates[turn % candidates.length]?._id;
    },
    async stop() {
      await leave().catch(() => undefined); // The other hosts remove a host that is silent.
    },
  };
}

/** The documents of all hosts and the version of the adapters' states, in one command. */
async function readHosts(model: Model<Host>): Promise<{ readonly all: readonly Host[]; readonly version: number }> {
  const { collectionName: coll } = adapterStatesModel(model.db).collection;
  const found = await model.aggregate<Host | Pick<AdapterStates, 'version'>>([
    { $unionWith: { coll, pipeline: [{ $project: { version: 1 } }] } },
  ]);
  return {
    all: found.filter(isHost),
    version: found.reduce((version, one) => (isHost(one) ? version : one.version), 0),
  };
}

interface Renewed {
  readonly host: Host;
  /** How far the clock of this host is ahead of the database's clock, in milliseconds. Negative: behind. */
  readonly clockOffMs: number;
  readonly at: number;
}

/** Writes this host's document. */
async function renewDocument(
  model: Model<Host>,
  { _id, ...identity }: HostsDeps['identity'],
  present: ReturnType<HostsDeps['present']>,
): Promise<Renewed> {
  const from = Date.now();
  const members = Object.entries({ ...identity, ...present }).map(([name, $literal]) => [name, { $literal }]);
  const update = {
    $set: {
      ...Object.fromEntries(members),
      startedAt: { $ifNull: ['$startedAt', '$$NOW'] },
      seenAt: '$$NOW',
    },
  };
  const host = await model
    .findOneAndUpdate({ _id }, [update], {
      upsert: true,
      returnDocument: 'after',
      updatePipeline: true,
      writeConcern,
    })
    .lean<Host>();
  const seenAt = host.seenAt.getTime();
  const to = Date.now();
  // The database wrote it between `from` and `to`.
  const clockOffMs = seenAt < from ? from - seenAt : Math.min(to - seenAt, 0);
  return { host, clockOffMs, at: performance.now() };
}

function createKeyCheck(checkKeys: () => Promise<unknown>, everyMs: number): () => Promise<HostProblem | undefined> {
  let checkedAt = -Infinity;
  let problem: HostProblem | undefined;
  return async () => {
    if (performance.now() - checkedAt < everyMs) return problem;
    problem = await checkKeys().then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof WrongKeysError) return { kind: 'key_unknown' as const, text: error.message };
        throw error;
      },
    );
    checkedAt = performance.now();
    return problem;
  };
}

/** Returns one warning for each adapter that runs in several versions. */
function createVersionCheck(
  { onVersionsDiffer, log }: Pick<HostsDeps, 'onVersionsDiffer' | 'log'>,
  limitMs: number,
): (hosts: readonly Host[]) => string[] {
  const differing = new Map<string, number>();
  return (hosts) => {
    const found = differingAdapters(hosts);
    const now = performance.now();
    for (const name of differing.keys()) if (!found.has(name)) differing.delete(name);
    for (const [name, reason] of found) {
      const since = differing.get(name);
      if (since === undefined) log.warn({ adapter: name }, reason);
      if (since !== undefined && now - since > limitMs) onVersionsDiffer(name, reason);
      // The alarm is raised again after the same time.
      if (since === undefined || now - since > limitMs) differing.set(name, now);
    }
    return [...found.values()];
  };
}

function isHost(one: Host | Pick<AdapterStates, 'version'>): one is Host {
  return 'seenAt' in one;
}

function hasWorkers({ workers }: Host): boolean {
  return workers > 0;
}
