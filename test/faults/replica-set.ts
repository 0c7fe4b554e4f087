/** Three mongod on loopback as one replica set without a password, for failovers. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mongo } from 'mongoose';
import { until } from '../../core/base/testing/until.ts';
import { chooseFreePort, findMongod } from '../../workers/supervisor/dev/mongod/index.ts';

const name = 'failover';
const host = '127.0.0.1';

interface Member {
  readonly address: string;
  child: ChildProcess;
}

export interface ReplicaSet {
  readonly uri: string;
  /** Makes another member the primary, with a regular step-down of the current one. */
  stepDown(): Promise<void>;
  killPrimary(): Promise<void>;
  killSecondary(): Promise<void>;
  /** Restarts killed members, and waits until each is primary or secondary. */
  restartKilled(): Promise<void>;
  close(): Promise<void>;
}

/** `electionTimeoutMillis`: how long the members wait for a silent primary. MongoDB's default is 10,000. */
export async function startReplicaSet(electionTimeoutMillis: number): Promise<ReplicaSet> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-failover-'));
  const { path } = await findMongod({ env: process.env, report: () => undefined });

  const startMember = async (port: number): Promise<ChildProcess> => {
    const dbPath = join(folder, String(port));
    await mkdir(dbPath, { recursive: true });
    const words = { replSet: name, bind_ip: host, port: String(port), dbpath: dbPath, wiredTigerCacheSizeGB: '0.25' };
    const args = Object.entries(words).flatMap(([word, value]) => [`--${word}`, value]);
    return spawn(path, [...args, '--nounixsocket'], { stdio: 'ignore' });
  };
  const ports = [await chooseFreePort(), await chooseFreePort(), await chooseFreePort()];
  const members = await Promise.all(
    ports.map(async (port): Promise<Member> => ({ address: `${host}:${port}`, child: await startMember(port) })),
  );

  const ask = async <T>(address: string, use: (admin: mongo.Db) => Promise<T>): Promise<T> => {
    const client = new mongo.MongoClient(`mongodb://${address}/`, {
      directConnection: true,
      serverSelectionTimeoutMS: 2000,
    });
    try {
      return await use(client.db('admin'));
    } finally {
      await client.close();
    }
  };
  const isPrimary = async ({ address }: Member): Promise<boolean> =>
    ask(address, async (admin) => (await admin.command({ hello: 1 }))['isWritablePrimary'] === true).catch(() => false);
  const findPrimary = async (): Promise<Member> => {
    for (const member of members) if (await isPrimary(member)) return member;
    throw new Error('no member is primary');
  };
  const kill = async ({ child }: Member): Promise<void> => {
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  };
  const isWhole = async (): Promise<boolean> => {
    const states = await ask(members[0]!.address, async (admin) => {
      const status = await admin.command({ replSetGetStatus: 1 });
      return (status['members'] as readonly { readonly state: number }[]).map(({ state }) => state);
    }).catch(() => []);
    return states.toSorted((a, b) => a - b).join() === '1,2,2';
  };

  const config = {
    _id: name,
    members: members.map(({ address }, index) => ({ _id: index, host: address })),
    settings: { electionTimeoutMillis },
  };
  await until('mongod accepts the replica set', async () =>
    ask(members[0]!.address, async (admin) => admin.command({ replSetInitiate: config })).then(
      () => true,
      () => false,
    ),
  );
  await until('the replica set is whole', isWhole, 180_000);

  return {
    uri: `mongodb://${members.map(({ address }) => address).join(',')}/gateway?replicaSet=${name}`,
    async stepDown() {
      const { address } = await findPrimary();
      await ask(address, async (admin) => admin.command({ replSetStepDown: 60, secondaryCatchUpPeriodSecs: 10 }));
    },
    killPrimary: async () => kill(await findPrimary()),
    async killSecondary() {
      const primary = await findPrimary();
      await kill(members.find((member) => member !== primary)!);
    },
    async restartKilled() {
      for (const [index, member] of members.entries())
        if (member.child.signalCode !== null) member.child = await startMember(ports[index]!);
      await until('the replica set is whole', isWhole, 180_000);
    },
    async close() {
      for (const { child } of members) child.kill('SIGKILL');
      await rm(folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 });
    },
  };
}
