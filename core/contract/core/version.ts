/** The version of this contract, which is the version of its package. */
import { readFileSync } from 'node:fs';

const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as {
  readonly version: string;
};

/** An adapter's manifest names the range that it was written for (`^2.0`). */
export const contractVersion: string = version;
