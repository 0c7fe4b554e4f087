/** A whole gateway for a command, with its adapters: what calls providers. */
import { randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { createGateway, type Gateway } from '../../core/gateway.ts';
import { createMetrics } from '../../core/base/metrics/index.ts';
import { readState } from './data-folder/index.ts';
import { toRunConfig } from './run-config.ts';
import { withDatabase, type Access, type Caller } from './with-database.ts';

export interface GatewayAccess extends Access {
  readonly gateway: Gateway;
}

/** As `withDatabase`. Throws too where an adapter cannot be loaded. */
export async function withGateway<T>(caller: Caller, work: (access: GatewayAccess) => Promise<T>): Promise<T> {
  return withDatabase(caller, async (access) => {
    const { loaded, uri, secrets } = access;
    const { ports } = await readState(loaded.config.database.dataDir);
    const gateway = await createGateway({
      ...toRunConfig(loaded, { ...secrets, uri, ports: ports.sandboxes }),
      log: pino({ level: 'silent' }),
      metrics: createMetrics(),
      worker: `command-${randomUUID().slice(0, 8)}`,
      // The service's workers find what is to be done at their next look.
      notifyWorkers: () => undefined,
    });
    try {
      return await work({ ...access, gateway });
    } finally {
      await gateway.close();
    }
  });
}
