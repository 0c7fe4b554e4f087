/** The version of the gateway, which is the version in its `package.json`. */
import { readFileSync } from 'node:fs';

// This file runs from `.build/core/base`.
const { version } = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

export const gatewayVersion: string = version;
