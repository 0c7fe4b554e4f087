import { readFile, writeFile } from 'node:fs/promises';
import { v, type ProviderAdapter } from '@paywright/contract';
import {
  runVectors,
  signVectors,
  type SignAnswer,
  type SignCallback,
  type VectorCalls,
  type VectorResult,
} from '@paywright/contract/testing';
import { loadConfig } from '../../../config/load-config.ts';
import { runThreeDsVectors } from '../../engine/payments/testing/three-ds-vectors.ts';
import { findAdapterPackage } from '../adapter-package.ts';
import { json, printResult } from '../json.ts';
import { defineCommand, UsageError } from '../command.ts';

const Module = v.object({
  default: v.custom<ProviderAdapter>((value) => typeof value === 'object' && value !== null && 'manifest' in value),
  vectorCalls: v.optional(v.custom<VectorCalls<unknown>>(() => true)),
});

/** The provider's signers. A package exports those that its protocol needs. */
const SandboxModule = v.object({
  signCallback: v.exactOptional(v.custom<SignCallback<unknown>>((value) => typeof value === 'function')),
  signAnswer: v.exactOptional(v.custom<SignAnswer<unknown>>((value) => typeof value === 'function')),
});

/** How the samples of one adapter are played and signed. */
interface Player {
  play(text: string): Promise<readonly VectorResult[]> | readonly VectorResult[];
  sign(text: string): Promise<{ readonly text: string; readonly signed: readonly string[] }>;
}

export const vectors = defineCommand({
  options: {
    only: { type: 'string', value: '<name>', help: 'only the sample with this name' },
    sign: {
      type: 'boolean',
      help: 'first sign each genuine callback, answer and request with a wrong signature again, in the files',
    },
    json,
  },
  notes: [
    'The adapter is a name from the config, a package name, or the folder of a package (./acme). "3ds" is the route of the gateway itself.',
  ],
  async run({ values, operands, shell }) {
    const [name = '', ...files] = operands;
    const player = await playerOf(name, values.only);
    const results: unknown[] = [];
    const say = (line: string): void => (values.json ? undefined : shell.print(line));
    let passed = 0;
    let failed = 0;
    for (const file of files) {
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        throw new UsageError(`${file} cannot be read (${error.code ?? 'error'}).`);
      });
      const read = v.safeParse(v.pipe(v.string(), v.parseJson()), text);
      if (!read.success) throw new UsageError(`${file} is not valid JSON.`);
      const samples = values.sign ? await signed(file, text) : text;
      const played = await player.play(samples);
      if (values.json || files.length > 1) shell.stderr(`${file}: ${played.length} samples`);
      for (const result of played) {
        results.push({ file, ...result });
        say(`${result.passed ? 'ok  ' : 'FAIL'}  ${result.call}: ${result.name}`);
        for (const difference of result.differences) say(`        ${difference}`);
        if (result.passed) passed += 1;
        else failed += 1;
      }
    }
    printResult(shell, values, { passed, failed, results }, `${passed} passed, ${failed} failed`);
    return failed || !passed ? 1 : 0;

    async function signed(file: string, text: string): Promise<string> {
      const result = await player.sign(text);
      for (const sample of result.signed) say(`signed  ${sample}`);
      if (result.signed.length > 0) await writeFile(file, result.text);
      return result.text;
    }

    async function playerOf(adapter: string, onlyName: string | undefined): Promise<Player> {
      if (adapter === '3ds') {
        const sign = async () => {
          throw new UsageError('--sign is only for samples of an adapter.');
        };
        return { play: (text) => runThreeDsVectors(text, onlyName), sign };
      }
      const { load } = await findAdapterPackage(adapter, () => loadConfig({ env: shell.env, root: shell.root }));
      const module = v.parse(Module, await load(''));
      const options = {
        ...(onlyName && { only: [onlyName] }),
        ...(module.vectorCalls && { calls: module.vectorCalls }),
      };
      return {
        play: (text) => runVectors(module.default, text, options),
        async sign(text) {
          const sandbox = v.safeParse(SandboxModule, await load('/sandbox'));
          const signers = sandbox.success ? sandbox.output : {};
          if (!signers.signCallback && !signers.signAnswer) {
            throw new UsageError(
              `${adapter}/sandbox exports neither signCallback(raw, options, providerSide) nor signAnswer(reply, options, providerSide, request).`,
            );
          }
          return signVectors(module.default, text, signers, options);
        },
      };
    }
  },
});
