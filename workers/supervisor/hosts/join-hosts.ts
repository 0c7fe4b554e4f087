/**
 * Joins this host to the hosts of its database: checks that it is compatible, reports its processes, and follows
 * wake-ups.
 */
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { LoadedConfig } from '../../../config/load-config.ts';
import type { Encrypter } from '../../../core/base/crypto/encryption.ts';
import type { Alarms } from '../../../core/engine/alarms/index.ts';
import { allWork, type Work } from '../../../core/engine/jobs/index.ts';
import { openEncrypter } from '../../../core/engine/secrets/index.ts';
import type { Pool } from '../processes/pool.ts';
import { rolesOf, type Role } from '../roles.ts';
import { StartError } from '../start-error.ts';
import { createHostAlarms } from './host-alarms.ts';
import { createHosts, type HostState } from './hosts.ts';
import { identifyHost } from './identify-host.ts';
import { createWakeUpSender, followWakeUps } from './wake-ups.ts';

export interface JoinDeps {
  readonly role: Role;
  readonly loaded: LoadedConfig;
  readonly connection: Connection;
  readonly encrypter: Encrypter;
  readonly secrets: { readonly encryptionKeys: readonly string[]; readonly tokenSecrets: readonly string[] };
  readonly pool: Pool;
  readonly alarms: Alarms;
  /** Names the supervisor in the leases of the alarms that it reports. */
  readonly reporter: string;
  readonly log: Logger;
}

export interface JoinedHosts {
  /** Writes the state of this host now. */
  renew(): void;
  /** Wakes another host that has workers. */
  wakeElsewhere(work: Work): void;
  /** Raises the alarm about a process of this host that died or had to be killed. */
  processFailed(why: string, name: string): void;
  /** Stops following wake-ups, and leaves. */
  stop(): Promise<void>;
}

/** Throws a StartError if this host is incompatible with the other hosts. */
export async function joinHosts({ role, loaded, connection, encrypter, ...deps }: JoinDeps): Promise<JoinedHosts> {
  const { pool, alarms, reporter, log } = deps;
  const { encryptionKeys, tokenSecrets } = deps.secrets;
  const { runsWorkers } = rolesOf[role];
  const identity = identifyHost({ loaded, encrypter, tokenSecrets });
  const hostAlarms = createHostAlarms(alarms, identity);

  function report(found: HostState): void {
    const { problems, warnings, workersElsewhere } = found;
    const isIdle = !runsWorkers && workersElsewhere === 0;
    const idle = isIdle ? ['No host with workers is alive: new work is stored, and waits for one.'] : [];
    pool.reportHost({ type: 'host', problems: problems.map(({ text }) => text), warnings: [...warnings, ...idle] });
    hostAlarms.update(found);
  }

  const hosts = createHosts({
    connection,
    identity,
    present: () => ({
      workers: pool.workersUp,
      processes: [...pool.running().map(({ name }) => name), reporter],
      processStates: pool.statuses(),
    }),
    checkKeys: async () => openEncrypter(connection, encryptionKeys),
    onDead: async (processes) => pool.release(processes),
    onWorkersLost: () => pool.notifyWorkers(allWork),
    onAdapterStates: () => pool.notifyOfStates(),
    onPoll: report,
    onVersionsDiffer: (adapter, reason) =>
      alarms.raise('adapter_versions_differ', { type: 'adapter', id: adapter }, reason),
    log,
  });
  const problems = await hosts.start().catch(async (error: unknown) => {
    await hosts.stop();
    throw error;
  });
  if (problems.length > 0) throw new StartError(problems);
  // If no worker of this host can start the work, the sender wakes another host as soon as it notices that.
  const onWork = (work: readonly Work[]): void => {
    if (pool.workersUp > 0) pool.notifyWorkers(work);
  };
  const unfollow = runsWorkers ? followWakeUps(connection, hosts.id, onWork, log) : undefined;
  return {
    renew: () => hosts.renew(),
    wakeElsewhere: createWakeUpSender(connection, () => hosts.nextWithWorkers(), log),
    processFailed: (why, name) => hostAlarms.processFailed(why, name),
    async stop() {
      unfollow?.();
      await hosts.stop();
    },
  };
}
