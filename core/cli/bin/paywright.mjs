#!/usr/bin/env node
// Runs on every Node that knows modules: nothing is imported before the version is known to do.
const [major, minor] = process.versions.node.split('.').map(Number);
if (major < 20 || (major === 20 && minor < 19)) {
  console.error(
    `paywright: needs Node.js 20.19 or newer, and this is ${process.versions.node}: install one from https://nodejs.org.`,
  );
  process.exit(1);
}

void import('node:fs').then(({ existsSync }) => {
  const main = new URL('../../../.build/core/cli/gateway.js', import.meta.url);
  if (existsSync(main)) return import(main.href);
  console.error('paywright: not built yet; run "npm install" (or "npm run build") in the repository first.');
  return process.exit(1);
});
