/** The options of `npm run bench`. */
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { root } from '../support/start-gateway.ts';
import { groups } from './groups.ts';

export const help = `npm run bench [-- options]

Starts a mongod, and in turn the baselines (bare Koa with the driver, stock Agenda) and the gateway with its own API and
workers. The load comes from a separate process. Prints the medians of the runs, their ratios and the goals. Afterwards every
acknowledged callback must have taken effect once and its merchant must have been notified once; otherwise the exit code is
1. A figure that misses its goal does not change the exit code. On two idle cores the plain run takes at most 20 minutes, and
--quick at most 10.

  --quick        one run, 500 callbacks per measurement, and an overload of 20 s instead of 60 s
  --runs N       runs per case (3); slow, hanging, verify, idle, memory, accounts and overload run only once
  --count N      callbacks per measurement (1000), and as many per process to warm up both sides. Stock Agenda drains half as
                 many. Submits are half as many, reads a fifth
  --only NAMES   groups to run, separated by commas: ${Object.keys(groups).join(', ')}
  --memory       measures memory with 100,000 payments instead of 5,000
  --json FILE    also writes the figures to this file
  --help         prints this help

  --large        measures only this: 1,000,000 stored payments, compared with the payments of one day. They are stored once,
                 which takes some minutes, and again after 30 days
  --stored N     number of stored payments, instead of 1,000,000
  --folder DIR   folder of the stored payments (.bench in the repository's root)
  --rebuild      stores them again

Each baseline is one process. The gateway runs with its defaults: two API processes, on all cores.

Comparisons that have no baseline:
  told p99, one merchant in five never answers: the other four, compared with the time when the fifth answers; an attempt to
    the fifth times out after 5 s
  memory, last to second quarter of the load: the largest process of each kind, with 1,000 idle connections all the time
  read by id, client with 200,000 paid: compared with a client without any
  CPU per read by id, after to before these payments: the same reads right after and right before 6,000 payments
  CPU per charge, callback and read: all processes of the service and mongod, without the load, the provider and the merchant
  accounts: 1,000 accounts of one adapter, compared with one
  overload: callbacks at twice the rate that is held, for 60 s, and the time from the last of them to the last notification
  large: compared with the same when the payments of one day are stored
  large: console: the slowest of 20 visits to each page, one after the other
  verify: the worst bodies at the limit of each callback route, verified with the live and the sandbox secrets
`;

export interface Options {
  readonly runs: number;
  readonly count: number;
  /** Names of groups. */
  readonly only: readonly string[];
  /** Payments for the measurement of memory. */
  readonly payments: number;
  readonly overloadSeconds: number;
  readonly json: string | undefined;
  /** Undefined if no payments are stored beforehand. */
  readonly large: LargeOptions | undefined;
}

export interface LargeOptions {
  readonly payments: number;
  readonly folder: string;
  readonly rebuilds: boolean;
}

/** Returns undefined if only the help was requested. */
export function readOptions(): Options | undefined {
  const { values } = parseArgs({
    options: {
      quick: { type: 'boolean', default: false },
      runs: { type: 'string' },
      count: { type: 'string' },
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
  if (unknown !== undefined)
    throw new Error(
      `Unknown --only "${unknown}". Use one or more of ${Object.keys(groups).join(', ')}, separated by commas.`,
    );
  const large = {
    payments: readWholeNumber('stored', values.stored, 2800),
    folder: values.folder,
    rebuilds: values.rebuild,
  };
  return {
    runs: readWholeNumber('runs', values.runs ?? (values.quick ? '1' : '3'), 1),
    count: readWholeNumber('count', values.count ?? (values.quick ? '500' : '1000'), 100),
    only,
    payments: values.memory ? 100_000 : 5000,
    overloadSeconds: values.quick ? 20 : 60,
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
