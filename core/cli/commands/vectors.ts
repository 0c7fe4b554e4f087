import { readFile } from 'node:fs/promises';
import { v, type ProviderAdapter } from '@gateway/contract';
import { runVectors, type VectorCalls, type VectorResult } from '@gateway/contract/testing';
import { loadConfig } from '../../../config/load-config.ts';
import { runThreeDsVectors } from '../../callbacks/testing/three-ds-vectors.ts';
import { importPackage } from '../../providers/index.ts';
import { defineCommand, UsageError } from '../command.ts';

const Module = v.object({
  default: v.custom<ProviderAdapter>((value) => typeof value === 'object' && value !== null && 'manifest' in value),
  vectorCalls: v.optional(v.custom<VectorCalls<unknown>>(() => true)),
});

export const vectors = defineCommand({
  name: 'vectors',
  summary: 'Run recorded samples of a provider against its adapter, and tell every difference',
  operands: ['<adapter>', '<file.json>…'],
  manyOperands: true,
  options: { only: { type: 'string', value: '<name>', help: 'the sample of this name' } },
  notes: ['The adapter is one that config lists, or a package name; "3ds" is the gateway’s own route.'],
  async run({ values, operands, shell }) {
    const [name = '', ...files] = operands;
    const play = await playerOf(name, values.only);
    let passed = 0;
    let failed = 0;
    for (const file of files) {
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        throw new UsageError(`${file} cannot be read (${error.code ?? 'error'}).`);
      });
      const read = v.safeParse(v.pipe(v.string(), v.parseJson()), text);
      if (!read.success) throw new UsageError(`${file} is no JSON.`);
      for (const result of await play(text)) {
        shell.print(`${result.passed ? 'ok  ' : 'FAIL'}  ${result.call}: ${result.name}`);
        for (const difference of result.differences) shell.print(`        ${difference}`);
        if (result.passed) passed += 1;
        else failed += 1;
      }
    }
    shell.print(`${passed} passed, ${failed} failed`);
    return failed || !passed ? 1 : 0;

    async function playerOf(
      adapter: string,
      onlyName: string | undefined,
    ): Promise<(text: string) => Promise<readonly VectorResult[]>> {
      if (adapter === '3ds') return async (text) => runThreeDsVectors(text, onlyName);
      const { config, adapterDirs, root } = await loadConfig({ env: shell.env, root: shell.root });
      const packageName = config.adapters[adapter]?.package ?? adapter;
      const folders = [adapterDirs[adapter] ?? process.cwd(), root];
      const module = v.parse(Module, await importPackage(packageName, folders));
      const options = {
        ...(onlyName && { only: [onlyName] }),
        ...(module.vectorCalls && { calls: module.vectorCalls }),
      };
      return async (text) => runVectors(module.default, text, options);
    }
  },
});
