/** The operators' listener, in a process of its own: whatever is asked of it, the API and the workers do not wait for it. */
import * as v from 'valibot';
import { connectDatabase } from '../core/documents/connect.ts';
import { createMetrics } from '../core/metrics/index.ts';
import { startOps } from '../core/ops/index.ts';
import { readEssentials } from '../core/run-config.ts';
import { runChild } from './supervisor/child-process.ts';
import { createGathering } from './supervisor/gathering.ts';
import { OpsExtra } from './supervisor/ops-extra.ts';
import { seriesOf } from './supervisor/process-names.ts';

/** Of the time it is given to stop, for the connection to the database. */
const closingMs = 300;

runChild(async ({ setup, log, send }) => {
  const { config } = setup.run;
  const { port } = v.parse(OpsExtra, setup.extra);
  const { host, keylessLoopbackMetrics } = config.ops;
  const { publicUrl } = config.server;
  const metrics = createMetrics({ process: seriesOf(setup.name) });
  const database = await connectDatabase(readEssentials(config).uri, { log, patience: 'request' });
  const gathering = createGathering(send);
  const adapters = Object.keys(config.adapters);
  const server = await startOps({
    database,
    config: { host, port, keylessLoopbackMetrics, publicUrl, adapters },
    gather: async (own) => gathering.gather(own),
    metrics,
    log,
  });

  return {
    receive(message) {
      if (message.type === 'gathered') gathering.receive(message);
    },
    async stop(graceMs) {
      await server.close(Math.max(graceMs - closingMs, graceMs / 2));
      await database.close();
    },
  };
});
