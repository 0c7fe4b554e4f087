/** The options of `npm run bench`. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../support/start-gateway.ts';
import { groups } from './groups.ts';

export const help = `npm run bench [-- options]

Starts a mongod, and in turn the baselines (bare Koa with the driver, stock Agenda) and the gateway with its own API and
workers; the load comes from a process of its own. Prints medians of the runs, their ratios and what is aimed at. Afterwards
every acknowledged callback must have taken effect once and its merchant must have been told once, else it exits with 1; a
figure that misses its goal does not. On two quiet cores the plain run takes ten minutes.

  --runs N       how often each is measured (3); slow, hanging, verify and memory are measured once
  --count N      callbacks a measurement (1000), and as many for each process before it that warm both sides up; stock
                 Agenda drains half of it, and so many are submits; reads are a fifth
  --only NAMES   some of: ${Object.keys(groups).join(', ')}; with commas between them
  --memory       100,000 payments where memory is measured, and not 5,000
  --json FILE    writes the figures there, too
  --help         prints this

  --large        measures with 1,000,000 payments stored beside the same with those of a day, and nothing else. They are
                 stored once, in some minutes, and again after 30 days
  --stored N     so many, and not 1,000,000
  --folder DIR   where they are kept (.bench in the repository's root)
  --rebuild      stores them anew

The baselines are one process each, the gateway runs as where nothing is said: two processes of its API, on all cores.

What is compared, where that is no baseline:
  told p99, one merchant in five never answers: of the other four, while the fifth answers; its attempts end after 5 s
  memory, last to second quarter of the load: the largest process of each kind, with 1,000 idle connections all the time
  read by id, client with 200,000 paid: a client without any
  large: the same with the payments of one day stored
  large: console: the slowest of 20 visits to each page, one after the other
  verify: no baseline; the worst bodies at the limit of each callback route, verified with live and sandbox proofs
`;

export interface Options {
  readonly runs: number;
  readonly count: number;
  /** Names of groups. */
  readonly only: readonly string[];
  /** Payments of the measurement of memory. */
  readonly payments: number;
  readonly json: string | undefined;
  /** Undefined: nothing is stored beforehand. */
  readonly large: LargeOptions | undefined;
}

export interface LargeOptions {
  readonly payments: number;
  readonly folder: string;
  readonly rebuilds: boolean;
}

/** Undefined: only the help is wanted. */
export function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      runs: { type: 'string', default: '3' },
      count: { type: 'string', default: '1000' },
      only: { type: 'string', default: Object.keys(groups).join(',') },
      memory: { type: 'boolean', default: false },
      json: { type: 'string' },
      large: { type: 'boolean', default: false },
      stored: { type: 'string', default: '1000000' },
      folder: { type: 'string', default: join(root, '.bench') },
      rebuild: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const only = values.only.split(',');
  const unknown = only.find((name) => !groups[name]);
  if (unknown !== undefined) throw new Error(`--only: ${unknown} is none of ${Object.keys(groups).join(', ')}`);
  const large = {
    payments: readWholeNumber('stored', values.stored, 2800),
    folder: values.folder,
    rebuilds: values.rebuild,
  };
  return {
    runs: readWholeNumber('runs', values.runs, 1),
    count: readWholeNumber('count', values.count, 100),
    only,
    payments: values.memory ? 100_000 : 5000,
    json: values.json,
    large: values.large ? large : undefined,
  };
}

function readWholeNumber(name: string, text: string, least: number): number {
  const value = Number(text);
  if (!(Number.isInteger(value) && value >= least)) {
    throw new Error(`--${name} must be a whole number of at least ${least}`);
  }
  return value;
}
