/** The baseline without Agenda: bare Koa. */
import { startBaseline, type Baseline } from './processes.ts';
import type { BaselineSetup } from './baseline-process.ts';
import { callbacks, measure, type Bench } from './measure.ts';

export async function startBare(bench: Bench, readUri = bench.uri('baseline')): Promise<Baseline> {
  const bare = await startBaseline({ ...baselineSetup(bench, 'http', ''), readUri });
  await measure(bench, bare.port, callbacks(freshIds(bench.count))); // warms it up
  return bare;
}

export function baselineSetup(bench: Bench, role: BaselineSetup['role'], receiverUrl: string): BaselineSetup {
  const mongodbUri = bench.uri('baseline');
  return { role, mongodbUri, readUri: mongodbUri, providerUrl: bench.provider.url, receiverUrl };
}

let nextId = 1_000_000;
/** Ids that only the baselines see. */
export function freshIds(count: number): number[] {
  return Array.from({ length: count }, () => (nextId += 1));
}
