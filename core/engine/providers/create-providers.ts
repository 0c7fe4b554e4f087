/**
 * Creates the providers domain: loads the adapters that config lists, in their current states, and makes guarded calls
 * into them.
 */
import { adapterSubject, type Clear, type Raise } from '../alarms/index.ts';
import type { Connection } from 'mongoose';
import type { Logger } from 'pino';
import type { BackgroundTasks } from '../../base/async/background-tasks.ts';
import type { Cipher } from '../../base/crypto/encryption.ts';
import type { Metrics } from '../../base/metrics/index.ts';
import type { RunConfig } from '../../base/run-config.ts';
import { mainAccount } from './account-ref.ts';
import { configuredEntries } from './accounts/configured-entries.ts';
import { keepConfigIdentities } from './accounts/config-identities.ts';
import { readStoredAccounts, type KnownOptions, type StoredByAdapter } from './accounts/stored-accounts.ts';
import { createProviderCalls, type ProviderCalls } from './calls.ts';
import { createExchangeLog, type ExchangeLog } from './exchange-log.ts';
import { loadAdapters, type KnownSides, type LoadedAdapter } from './load/load-adapters.ts';
import { createRegistry, type Registry } from './registry.ts';
import { createAdapterStateStore, fileStates, type States } from './states/adapter-states.ts';
import { followAdapterStates } from './states/follow-states.ts';

export interface ProvidersDeps {
  readonly connection: Connection;
  readonly encrypter: Pick<Cipher, 'decrypt'>;
  readonly run: RunConfig;
  /** The name of this process in its reports about adapter states. */
  readonly worker: string;
  readonly backgroundTasks: BackgroundTasks;
  readonly returnUrl: (paymentRequestId: string) => string;
  readonly raise: Raise;
  readonly clear: Clear;
  readonly now: () => Date;
  readonly metrics: Metrics;
  readonly log: Logger;
}

export interface Providers {
  readonly registry: Registry;
  readonly calls: ProviderCalls;
  readonly exchangeLog: ExchangeLog;
  /** Polls the states of the adapters now. A process that calls it after every change polls seldom otherwise. */
  pollStates(): void;
  close(): Promise<void>;
}

export async function createProviders(deps: ProvidersDeps): Promise<Providers> {
  const { connection, encrypter, run, returnUrl, worker, backgroundTasks, raise, clear, now, metrics, log } = deps;
  const { config } = run;
  const known: KnownOptions = new Map();
  const sides: KnownSides = new WeakMap();
  const load = async (states: States): Promise<LoadedAdapter[]> => {
    const stored = await readStoredAccounts(connection, encrypter, states, { known });
    const loaded = await loadConfigured(run, states, stored, sides);
    await keepConfigIdentities(connection, config, loaded, now());
    metrics.nameAccounts(loaded.filter(({ account }) => account !== mainAccount).map(({ ref }) => ref));
    return loaded;
  };
  const adapterStates = createAdapterStateStore(connection, now);
  await adapterStates.storeInitial(fileStates(config));
  const { version, states } = await adapterStates.read();
  const registry = createRegistry(await load(states));
  const following = followAdapterStates({ adapterStates, registry, load, process: worker, version, log });
  const exchangeLog = createExchangeLog({ connection, backgroundTasks, metrics, log });
  const calls = createProviderCalls({
    registry,
    config: config.provider,
    publicUrl: config.server.publicUrl,
    returnUrl,
    raise,
    clear,
    now,
    metrics,
    log,
    callbackSandbox: !config.keys.liveKeys,
    transcript: (exchange) => exchangeLog.keep(exchange),
    onBreakerOpen: (ref, mode, address) =>
      raise('breaker_open', adapterSubject(ref, mode), `${new URL(address).host} cannot be reached`),
    onReached: (ref, mode) => clear('breaker_open', adapterSubject(ref, mode)),
  });
  return {
    registry,
    calls,
    exchangeLog,
    pollStates: () => following.pollSoon(),
    async close() {
      await following.stop();
      await backgroundTasks.settled();
      calls.stop();
    },
  };
}

/**
 * Loads the adapters that config lists, with their accounts in config and in the database. `states` override the states
 * in the config files. Rejects with all problems together.
 */
export async function loadConfigured(
  run: RunConfig,
  states: States,
  stored: StoredByAdapter = new Map(),
  known?: KnownSides,
): Promise<LoadedAdapter[]> {
  const { environment, isProduction, root: gatewayRoot } = run;
  return loadAdapters(configuredEntries(run, states, stored), { gatewayRoot, environment, isProduction, known });
}
