import { join } from 'node:path';
import { defineCommand } from '../command.ts';
import { json } from '../json.ts';
import { runDemo } from '../demo/index.ts';

export const demo = defineCommand({
  options: { json: { ...json, help: 'print JSON: what was seen; what happens meanwhile goes to standard error' } },
  notes: ['It needs nothing running, leaves nothing behind, and ends with exit code 0 only if all was as expected.'],
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
