/** Explains a route without a running service. Sends no request. */
import type { PaymentMethod, Submission } from '@paywright/contract';
import { loadConfig } from '../../config/load-config.ts';
import { readState } from '../../workers/supervisor/data-folder/index.ts';
import { withAnySandboxes } from '../../workers/supervisor/start/run-config.ts';
import { openCurrencies } from '../engine/payments/config.ts';
import { explainRoute, type ExplainedRoute, type RouteQuestion } from '../engine/payments/submit/explain-route.ts';
import { configuredEntries, createRegistry, loadAdapters } from '../engine/providers/index.ts';
import type { ActiveAdapter } from '../engine/providers/load/load-adapters.ts';
import type { Shell } from './command.ts';
import { readAccountsOfDatabase } from './stored-accounts.ts';

/** Explains a route with the adapter states of the config files and the accounts of the database. */
export async function explainHere(shell: Shell, question: RouteQuestion): Promise<ExplainedRoute> {
  const loaded = await loadConfig({ env: shell.env, root: shell.root });
  const { ports } = await readState(loaded.config.database.dataDir);
  const config = withAnySandboxes(loaded.config, ports.sandboxes);
  const { root, environment, isProduction } = loaded;
  const stored = await readAccountsOfDatabase(shell, loaded).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    shell.stderr(`The accounts of the database are left out, because it cannot be opened: ${reason}`);
    return new Map<string, never>();
  });
  const entries = configuredEntries({ ...loaded, config }, {}, stored);
  const deps = {
    rules: config.routes,
    registry: createRegistry(await loadAdapters(entries, { gatewayRoot: root, environment, isProduction })),
    openCurrencies: openCurrencies(config),
    calls: { methodOf },
    refusesCards: config.http.refuseCardNumbers,
  };
  return explainRoute(deps, question);
}

/** The way of a payment, by the options of its side. */
export function methodOf({ adapter, options, sandboxOptions }: ActiveAdapter, payment: Submission): PaymentMethod {
  const usual = adapter.manifest.ways[0].method;
  return adapter.methodOf?.(payment, payment.sandbox ? sandboxOptions : options) ?? usual;
}
