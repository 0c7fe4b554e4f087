import { join } from 'node:path';
import { defineCommand } from '../command.ts';
import { runDemo } from '../demo/index.ts';

export const demo = defineCommand({
  options: {},
  notes: ['It needs nothing running, leaves nothing behind, and ends with exit code 0 only if all was as expected.'],
  async run({ shell }) {
    const { env, root, print } = shell;
    return runDemo({ command: join(root, 'core/cli/bin/gateway.mjs'), env, print });
  },
});
