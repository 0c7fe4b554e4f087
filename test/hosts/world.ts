/** Hosts of one database, their common provider, and a merchant who receives notifications. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import mongoose, { type Connection } from 'mongoose';
import { loadConfig } from '../../config/load-config.ts';
import { chooseFreePort } from '../../workers/supervisor/dev/mongod/index.ts';
import { folderOf, readState } from '../../workers/supervisor/data-folder/index.ts';
import type { Role } from '../../workers/supervisor/roles.ts';
import { runGateway, untilReady, type RunningGateway } from '../../workers/supervisor/testing/running-gateway.ts';
import { installAdapter } from '../faults/provider.ts';
import type { Receiver } from '../support/receiver.ts';
import { root } from '../support/start-gateway.ts';

export interface Host {
  readonly role: Role;
  readonly gateway: RunningGateway;
  readonly dataDir: string;
}

/** Hosts of one database. Each is its own process group. */
export interface Cluster {
  /** Address of the host that has an API. */
  readonly url: string;
  readonly hosts: readonly Host[];
  stop(): Promise<void>;
}

export interface World {
  readonly connection: Connection;
  readonly receiver: Receiver;
  /** Payment id to the time when the merchant was notified. */
  readonly notifiedAt: Map<number, number>;
  readonly key: string;
  start(roles: readonly Role[]): Promise<Cluster>;
}

export async function createWorld(
  folder: string,
  uri: string,
  providerUrl: string,
  receiver: Receiver,
): Promise<World> {
  await installAdapter(folder);
  const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
  const off = Object.fromEntries(Object.keys(config.adapters).map((name) => [name, { state: 'off' }]));
  const options = { baseUrl: providerUrl, sandboxBaseUrl: providerUrl };
  const file = join(folder, 'gateway.yaml');
  await writeFile(
    file,
    JSON.stringify({
      security: { encryptionKey: randomBytes(32).toString('base64') },
      threeDs: { tokenSecrets: [randomBytes(32).toString('hex')] },
      adapters: { ...off, faults: { package: 'faults', state: 'on', options } },
      routes: [{ id: 1, when: {}, use: ['faults'] }],
      keys: { rateLimitPerMinute: 1_000_000 },
      mail: { catcher: false },
    }),
  );
  const env = { GATEWAY_CONFIG: file, MONGODB_URI: uri };
  const notifiedAt = new Map<number, number>();
  receiver.answer = (response, count) => {
    const { json } = receiver.received[count - 1]!;
    if (json.type === 'payment.succeeded') notifiedAt.set(json.data.paymentRequest.id as number, performance.now());
    response.writeHead(200).end();
  };
  const words = ['keys', 'create', '--owner', 'Shop', '--env', 'sandbox', '--json'];
  const { out, problems } = await runGateway(words, join(folder, 'command'), env).ended;
  if (!out) throw new Error(problems.join('; '));
  const connection = await mongoose.createConnection(uri).asPromise();
  let started = 0;

  return {
    connection,
    receiver,
    notifiedAt,
    key: (JSON.parse(out) as { key: string }).key,
    async start(roles) {
      const port = await chooseFreePort();
      const hosts = roles.map((role) => {
        started += 1;
        const dataDir = join(folder, `host-${started}`);
        const command = role === 'all' ? 'start' : role;
        return { role, dataDir, gateway: runGateway([command], dataDir, { ...env, PORT: `${port}` }) };
      });
      await Promise.all(hosts.map(async ({ gateway }) => untilReady(gateway)));
      return {
        url: `http://127.0.0.1:${port}`,
        hosts,
        async stop() {
          const living = hosts.filter(({ gateway: { child } }) => child.exitCode === null && child.signalCode === null);
          for (const { gateway } of living) gateway.child.kill('SIGTERM');
          for (const { gateway, role } of living) {
            const { code, problems } = await gateway.ended;
            if (code !== 0) throw new Error(`a host (${role}) exited with ${code}: ${problems.join(' ')}`);
          }
        },
      };
    },
  };
}

/** The processes that the host currently keeps running. */
export async function processesOf({ role, dataDir }: Host): Promise<readonly { name: string; pid: number }[]> {
  const { running } = await readState(role === 'api' || role === 'worker' ? folderOf(role, dataDir) : dataDir);
  return running?.children ?? [];
}
