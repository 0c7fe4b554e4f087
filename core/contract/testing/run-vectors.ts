/** Runs vectors against an adapter: plays both core and the provider. Needs no test framework. */
import * as v from 'valibot';
import type { ProviderAdapter } from '../adapter.ts';
import { hideAll, payerSecrets, secretsIn } from './difference.ts';
import { createRun, playCallbackVector, playCallVector, type Run, type VectorOptions } from './play-vector.ts';
import { withinLimit } from './time-limit.ts';
import { readVectorFile, type CallbackVector, type CallVector, type VectorFile } from './vector-file.ts';

export interface VectorResult {
  readonly name: string;
  /** `callback`, or the call to the provider. */
  readonly call: string;
  readonly passed: boolean;
  /** The differences in words: `ack.status: expected 200, got 401`. Empty if the vector passed. */
  readonly differences: readonly string[];
}

/** One vector, which runs when its test runs. */
export interface Vector {
  readonly name: string;
  readonly call: string;
  run(): Promise<VectorResult>;
}

/** Runs all vectors of a file (text, or parsed). Throws only if the file itself cannot be read. */
export async function runVectors<Options>(
  adapter: ProviderAdapter<Options>,
  file: unknown,
  given: VectorOptions<Options> = {},
): Promise<VectorResult[]> {
  const results: VectorResult[] = [];
  for (const vector of listVectors(adapter, file, given)) results.push(await vector.run());
  return results;
}

/** The vectors of a file, callbacks first. */
export function listVectors<Options>(
  adapter: ProviderAdapter<Options>,
  file: unknown,
  given: VectorOptions<Options> = {},
): Vector[] {
  const read = readVectorFile(file);
  const entry = <V extends CallbackVector | CallVector>(
    vector: V,
    call: string,
    play: (run: Run<Options>, vector: V) => Promise<string[]>,
  ): Vector => ({
    name: vector.name,
    call,
    run: () => runOne(adapter, read, vector, call, given, (run) => play(run, vector)),
  });
  return [
    ...read.callbacks.map((vector) => entry(vector, 'callback', playCallbackVector)),
    ...read.submissions.map((vector) => entry(vector, vector.call, playCallVector)),
  ].filter(({ name }) => !given.only || given.only.includes(name));
}

async function runOne<Options>(
  adapter: ProviderAdapter<Options>,
  file: VectorFile,
  vector: CallbackVector | CallVector,
  call: string,
  given: VectorOptions<Options>,
  play: (run: Run<Options>) => Promise<string[]>,
): Promise<VectorResult> {
  const options = { ...file.options, ...vector.optionsOverride };
  const hide = hideAll([...secretsIn(adapter, options), ...payerSecrets(vector.payment)]);
  const result = (found: readonly string[]): VectorResult => ({
    name: vector.name,
    call,
    passed: found.length === 0,
    differences: found.map(hide),
  });

  const read = v.safeParse(adapter.manifest.options, options);
  if (!read.success) return result(vector.orRefuseOptions ? [] : read.issues.map(optionsIssue));
  try {
    return result(await withinLimit(() => play(createRun(adapter, read.output, file, vector, given))));
  } catch (error) {
    return result([
      `threw ${error instanceof Error ? `${error.name}: ${error.message}` : 'something that is not an Error'}`,
    ]);
  }
}

/** Names the option and what it must be. The given value, which may be a secret, is cut off. */
function optionsIssue(issue: v.BaseIssue<unknown>): string {
  return `options.${v.getDotPath(issue) ?? ''}: ${issue.message.replace(/ but received .*$/s, '')}`;
}
