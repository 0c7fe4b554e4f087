/** The baseline without Agenda: bare Koa. */
import { startBaseline, type Baseline } from './processes.ts';
import type { BaselineOptions } from './baseline-process.ts';
import { callbacks, measure, type Bench } from './measure.ts';

export async function startBare(bench: Bench, readUri = bench.uri('baseline')): Promise<Baseline> {
  const bare = await startBaseline({ ...baselineOptions(bench, 'http', ''), readUri });
  await measure(bench, bare.port, callbacks(freshIds(bench.count))); // warm-up
  return bare;
}

export function baselineOptions(bench: Bench, role: BaselineOptions['role'], receiverUrl: string): BaselineOptions {
  const mongodbUri = bench.uri('baseline');
  return { role, mongodbUri, readUri: mongodbUri, providerUrl: bench.provider.url, receiverUrl };
}

let nextId = 1_000_000;
/** Ids that only the baselines use. */
export function freshIds(count: number): number[] {
  return Array.from({ length: count }, () => (nextId += 1));
}
