/** The service without work, a minute after a load: CPU time of each kind of process, and memory. */
import { setTimeout as sleep } from 'node:timers/promises';
import { startReceiver } from '../../support/receiver.ts';
import { roles, type Role } from '../bench-gateway.ts';
import { deliver, makePayments, settle, withGateway, type Bench } from '../measure.ts';
import { submitNotified } from './submits.ts';

const quietMs = 60_000;
/** Contains each of the recurring jobs, except for the few that run less often than once a minute. */
const windowMs = 60_000;

export const idleNames = {
  cpu: (role: Role | 'mongod') => `idle CPU, ${role}`,
  total: 'idle CPU, all processes',
  memory: 'memory without mongod, a minute after the load',
} as const;

/** Half of the payments are submitted and charged immediately, half are paid by a callback. Each is notified. */
export async function measureIdle(bench: Bench): Promise<void> {
  await withGateway(bench, { workers: 2 }, async (gateway) => {
    await submitNotified(bench, gateway, bench.count);
    const receiver = await startReceiver();
    const ids = await makePayments(gateway, receiver.url, bench.count);
    const { acknowledged } = await deliver(bench, gateway.port, ids);
    await settle(bench, gateway, receiver, acknowledged);
    await receiver.close();
    await sleep(quietMs);

    const cpuMs = async (): Promise<readonly number[]> =>
      Promise.all([...roles.map(async (role) => gateway.cpuMs(role)), bench.mongodCpuMs()]);
    const before = await cpuMs();
    const began = performance.now();
    await sleep(windowMs);
    const after = await cpuMs();
    const seconds = (performance.now() - began) / 1000;
    const perSecond = after.map((ms, at) => (ms - before[at]!) / seconds);
    for (const [at, name] of ([...roles, 'mongod'] as const).entries())
      bench.record(idleNames.cpu(name), 'ours', perSecond[at]!);
    bench.record(
      idleNames.total,
      'ours',
      perSecond.reduce((sum, ms) => sum + ms, 0),
    );
    bench.record(idleNames.memory, 'ours', await gateway.sharedMb());
  });
}
