/**
 * The hosts of one database. Each supervisor renews its document every second and looks at those of the others: it notices
 * who died, who contradicts it, and who has workers to wake.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import { hostModel, type Host } from '../../../core/database/collections/host.ts';
import { WrongKeysError } from '../../../core/engine/secrets/index.ts';
import { MINUTE, SECOND } from '../../../core/base/async/time.ts';
import { differingAdapters, judgeHost, type HostProblem } from './judge-host.ts';

export interface HostsSetup {
  readonly connection: Connection;
  /** What never changes of this host. */
  readonly identity: Pick<Host, '_id' | 'hostname' | 'tokenSecrets' | 'adapters'>;
  /** What changes. */
  readonly present: () => Pick<Host, 'workers' | 'processes' | 'processStates'>;
  /** Rejects where the keys of this host do not open the database. */
  readonly checkKeys: () => Promise<unknown>;
  /** These processes died with their host. Resolves once what they held is free: their host is known until then. */
  readonly onDead: (processes: readonly string[]) => Promise<void>;
  /** Another host had workers, and has none now, or is gone: work that it was woken for may be left. */
  readonly onWorkersLost: () => void;
  /** After every look. */
  readonly onLook: (found: HostState) => void;
  /** Adapters run in several versions, for longer than an upgrade takes. */
  readonly onVersionsDiffer: (adapter: string, reason: string) => void;
  readonly log: Logger;
  readonly timing?: Partial<Timing>;
}

export interface HostState {
  /** Why this host must not serve. */
  readonly problems: readonly HostProblem[];
  /** What an operator should know, a sentence each. */
  readonly warnings: readonly string[];
  /** Workers that are up on other hosts. */
  readonly workersElsewhere: number;
  /** Another host that lives has the same hostname, as containers may. */
  readonly isNameShared: boolean;
}

interface Timing {
  readonly everyMs: number;
  /** A host that was silent for so long, while this one could look, is dead. */
  readonly silentMs: number;
  /** The first look after a longer pause says nothing about who is silent. */
  readonly pauseMs: number;
  readonly keysEveryMs: number;
  readonly versionsMs: number;
}

const usual: Timing = {
  everyMs: SECOND,
  silentMs: 6 * SECOND,
  pauseMs: 3 * SECOND,
  keysEveryMs: 10 * SECOND,
  versionsMs: 30 * MINUTE,
};

export interface Hosts {
  /** Of this host. */
  readonly id: string;
  /** Why this host must not start, a sentence each, which `onLook` heard, too: it has left then. Else it looks again and again from then on. */
  start(): Promise<readonly string[]>;
  /** Renews its document now. */
  renew(): void;
  /** The next host in turn that has workers; undefined: none has. */
  nextWithWorkers(): string | undefined;
  /** Leaves. */
  stop(): Promise<void>;
}

/** Losing one costs a second. */
const writeConcern = { w: 1, j: false } as const;

export function createHosts(setup: HostsSetup): Hosts {
  const { connection, identity, present, checkKeys, onDead, onWorkersLost, onLook, onVersionsDiffer, log } = setup;
  const timing = { ...usual, ...setup.timing };
  const model = hostModel(connection);
  const stopping = new AbortController();
  /** Since when, by this process's own clock, a host's document is as it is. */
  const silent = new Map<string, { readonly seenAt: number; readonly since: number }>();
  const differing = new Map<string, number>();
  /** Dead hosts that are known until what they held is free. */
  const freeing = new Set<string>();
  let others: readonly Host[] = [];
  let turn = 0;
  let lookedAt = -Infinity;
  let keysCheckedAt = -Infinity;
  let keyProblem: HostProblem | undefined;
  let looking: Promise<void> = Promise.resolve();
  let renewing: Promise<void> = Promise.resolve();

  /** Writes this host's document. Gives it, and by how much the clock here is ahead of the database's. */
  async function beat(): Promise<{ readonly host: Host; readonly clockOffMs: number }> {
    const { _id, ...rest } = identity;
    const from = Date.now();
    const host = await model
      .findOneAndUpdate(
        { _id },
        [
          {
            $set: {
              ...Object.fromEntries(
                Object.entries({ ...rest, ...present() }).map(([name, $literal]) => [name, { $literal }]),
              ),
              startedAt: { $ifNull: ['$startedAt', '$$NOW'] },
              seenAt: '$$NOW',
            },
          },
        ],
        { upsert: true, returnDocument: 'after', updatePipeline: true, writeConcern },
      )
      .lean<Host>();
    const seenAt = host.seenAt.getTime();
    const to = Date.now();
    // It was written at some time between the two.
    return { host, clockOffMs: seenAt < from ? from - seenAt : Math.min(to - seenAt, 0) };
  }

  async function look(): Promise<HostState> {
    const { host, clockOffMs } = await beat();
    const all = await model.find().lean<Host[]>();
    const withWorkers = others.filter(hasWorkers);
    findDead(all.filter(({ _id }) => _id !== identity._id));
    if (withWorkers.some(({ _id }) => !others.some((other) => other._id === _id && hasWorkers(other)))) onWorkersLost();
    await checkKeysNow();
    const problems = [...(keyProblem ? [keyProblem] : []), ...judgeHost(host, others, clockOffMs)];
    return {
      problems,
      warnings: checkVersions(host),
      workersElsewhere: others.reduce((sum, { workers }) => sum + workers, 0),
      isNameShared: others.some(({ hostname }) => hostname === identity.hostname),
    };
  }

  function findDead(found: readonly Host[]): void {
    const now = performance.now();
    const wasAway = now - lookedAt > timing.pauseMs;
    lookedAt = now;
    for (const { _id, seenAt } of found) {
      const known = silent.get(_id);
      if (!known || wasAway || known.seenAt !== seenAt.getTime())
        silent.set(_id, { seenAt: seenAt.getTime(), since: now });
    }
    const isDead = ({ _id }: Host): boolean => now - silent.get(_id)!.since > timing.silentMs;
    others = found.filter((host) => !isDead(host));
    for (const host of found.filter(isDead)) if (!freeing.has(host._id)) void bury(host);
    for (const _id of silent.keys()) if (!found.some((host) => host._id === _id)) silent.delete(_id);
  }

  /** Until its document goes, any other host frees what is left, should this one die over it. */
  async function bury({ _id, hostname, processes, seenAt }: Host): Promise<void> {
    freeing.add(_id);
    log.warn({ host: _id, hostname, processes }, 'a host died; what its processes held is freed');
    try {
      await onDead(processes);
      if (!stopping.signal.aborted) await model.deleteOne({ _id, seenAt }, { writeConcern });
    } catch (error) {
      log.warn({ err: error, host: _id }, 'a dead host could not be removed yet');
    } finally {
      freeing.delete(_id);
    }
  }

  async function checkKeysNow(): Promise<void> {
    if (performance.now() - keysCheckedAt < timing.keysEveryMs) return;
    keyProblem = await checkKeys().then(
      () => undefined,
      (error: unknown) => {
        if (error instanceof WrongKeysError) return { kind: 'key_unknown' as const, text: error.message };
        throw error;
      },
    );
    keysCheckedAt = performance.now();
  }

  function checkVersions(host: Host): string[] {
    const found = differingAdapters([host, ...others]);
    const now = performance.now();
    for (const name of differing.keys()) if (!found.has(name)) differing.delete(name);
    for (const [name, reason] of found) {
      const since = differing.get(name);
      if (since === undefined) log.warn({ adapter: name }, reason);
      if (since !== undefined && now - since > timing.versionsMs) onVersionsDiffer(name, reason);
      // The alarm is raised again after as long.
      if (since === undefined || now - since > timing.versionsMs) differing.set(name, now);
    }
    return [...found.values()];
  }

  async function keepLooking(): Promise<void> {
    const { signal } = stopping;
    for (;;) {
      await sleep(timing.everyMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        onLook(await look());
      } catch (error) {
        log.warn({ err: error }, 'the hosts could not be looked at');
      }
    }
  }

  /** What is being written is awaited: it would bring the document back. */
  async function leave(): Promise<void> {
    stopping.abort();
    await Promise.all([looking, renewing]);
    await model.deleteOne({ _id: identity._id });
  }

  return {
    id: identity._id,
    async start() {
      const state = await look();
      onLook(state);
      if (state.problems.length > 0) {
        await leave();
        return state.problems.map(({ text }) => text);
      }
      looking = keepLooking();
      return [];
    },
    renew() {
      if (lookedAt === -Infinity || stopping.signal.aborted) return;
      const renewed = beat().catch((error: unknown) => log.warn({ err: error }, 'this host could not be renewed'));
      renewing = renewing.then(async () => void (await renewed));
    },
    nextWithWorkers() {
      const candidates = others.filter(hasWorkers);
      turn += 1;
      return candidates[turn % candidates.length]?._id;
    },
    async stop() {
      await leave().catch(() => undefined); // It is missed after a while all the same.
    },
  };
}

function hasWorkers({ workers }: Host): boolean {
  return workers > 0;
}
