/** The options of `npm run bench:peers`. */
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';

export const peers = ['kill-bill', 'vendure'] as const;
export type Peer = (typeof peers)[number];

export const help = `npm run bench:peers [-- options]

Measures Paywright and its peers on one machine, in one run, in turn: a charge, a webhook that is applied and whose merchant
is notified, and a read of one payment. Prints the durability settings that each database reports, and the medians: rate, CPU
time per operation of all processes with the database, and latency. The CPU time is the figure to trust.

  --peers NAMES  peers to measure, separated by commas (${peers.join(',')}); none measures Paywright alone
  --runs N       measured rounds (3), after two rounds that warm up
  --folder DIR   where the peers are installed (${defaultFolder()})
  --json FILE    also writes the figures to this file
  --help         prints this help

It needs Linux, the programs of PostgreSQL, and for Kill Bill Java 17, Maven and unzip. On Debian:
  apt-get install postgresql openjdk-17-jre-headless maven unzip
The peers come from the npm registry and from Maven Central at their pinned versions, once, into the folder of --folder.
Each run makes its databases, and removes them at its end. A run takes about ten minutes.
`;

export interface PeersOptions {
  readonly peers: readonly Peer[];
  readonly runs: number;
  readonly folder: string;
  readonly json: string | undefined;
}

function defaultFolder(): string {
  return join(process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache'), 'paywright-peers');
}

/** Returns undefined if only the help was requested. */
export function readPeersOptions(): PeersOptions | undefined {
  const { values } = parseArgs({
    options: {
      peers: { type: 'string', default: peers.join(',') },
      runs: { type: 'string', default: '3' },
      folder: { type: 'string', default: defaultFolder() },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return undefined;
  const runs = Number(values.runs);
  if (!(Number.isInteger(runs) && runs >= 1)) throw new Error('--runs must be a whole number of at least 1');
  const named = values.peers === 'none' ? [] : values.peers.split(',');
  const chosen = peers.filter((peer) => named.includes(peer));
  const unknown = named.find((name) => !chosen.some((peer) => peer === name));
  if (unknown !== undefined) throw new Error(`Unknown --peers "${unknown}". Use ${peers.join(', ')} or none.`);
  return { peers: chosen, runs, folder: values.folder, json: values.json };
}
