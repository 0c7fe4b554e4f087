import { join } from 'node:path';
import { defineCommand } from '../command.ts';
import { json } from '../json.ts';
import { runDemo } from '../demo/index.ts';

export const demo = defineCommand({
  options: { json: { ...json, help: 'print JSON: the results; progress goes to standard error' } },
  notes: ['Needs no running service and leaves no data behind. Exits with 0 only if all results are as expected.'],
  async run({ values, shell }) {
    const { env, root, print, stderr } = shell;
    const shown = await runDemo({
      command: join(root, 'core/cli/bin/paywright.mjs'),
      env,
      print: values.json ? stderr : print,
    });
    if (values.json) print(JSON.stringify(shown));
    return shown.isRight ? 0 : 1;
  },
});
