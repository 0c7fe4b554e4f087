#!/usr/bin/env node
import { existsSync } from 'node:fs';

const main = new URL('../../../.build/core/cli/gateway.js', import.meta.url);
if (!existsSync(main)) {
  console.error('gateway: not built yet; run "npm install" (or "npm run build") in the repository first.');
  process.exit(1);
}
await import(main.href);
