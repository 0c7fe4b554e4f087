#!/usr/bin/env node
// The built code is looked up when the command runs, so that npm can link the command before the first build.
import { existsSync } from 'node:fs';

const main = new URL('../dist/testing/mutation/index.js', import.meta.url);
if (!existsSync(main)) {
  console.error('mutate-adapter: the contract is not built yet; run "npm run build" in the repository first.');
  process.exit(1);
}
const { mutateAdapters } = await import(main.href);
try {
  process.exitCode = await mutateAdapters(process.argv.slice(2));
} catch (error) {
  console.error(`mutate-adapter: ${error.message}`);
  process.exitCode = 2;
}
