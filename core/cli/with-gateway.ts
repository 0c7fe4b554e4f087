/** Creates a complete gateway with its adapters, for commands that call providers. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { createGateway, type Gateway } from '../gateway.ts';
import { createMetrics } from '../base/metrics/index.ts';
import { readState } from '../../workers/supervisor/data-folder/index.ts';
import { toRunConfig } from '../../workers/supervisor/start/run-config.ts';
import { withDatabase, type Access, type Caller } from './with-database.ts';

export interface GatewayAccess extends Access {
  readonly gateway: Gateway;
}

/** Like `withDatabase`. Also throws if an adapter cannot be loaded. */
export async function withGateway<T>(caller: Caller, work: (access: GatewayAccess) => Promise<T>): Promise<T> {
  return withDatabase(caller, async (access) => {
    const { loaded, uri, secrets } = access;
    const { ports } = await readState(loaded.config.database.dataDir);
    const gateway = await createGateway({
      ...toRunConfig(loaded, { ...secrets, uri, ports: ports.sandboxes }),
      log: pino({ level: 'silent' }),
      metrics: createMetrics(),
      worker: `command-${randomUUID().slice(0, 8)}`,
      // The workers of the service find new work at their next sweep.
      notifyWorkers: () => undefined,
    });
    try {
      return await work({ ...access, gateway });
    } finally {
      await gateway.close();
    }
  });
}
