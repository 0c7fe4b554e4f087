import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { HostProcess } from '../../database/collections/host.ts';
import { processRows, unresponsiveProcesses } from './processes.ts';

const worker = (index: number, state: HostProcess['state'], silentMs = 300): HostProcess => ({
  title: `Worker ${index}`,
  name: state === 'down' ? '' : `worker-${index}-0a`,
  state,
  silentMs,
});
const hostOf = (processStates?: readonly HostProcess[]) => ({
  hostname: 'host-1',
  processes: ['worker-1-0a'],
  ...(processStates && { processStates }),
});
const run = (index: number, version: number, problem = '') => ({ _id: `worker-${index}-0a`, version, problem });
/** The rows without markup. */
const textOf = (rows: ReturnType<typeof processRows>): string[] =>
  rows.map((cells) => cells.map((cell) => String(cell).replaceAll(/<[^>]*>/g, '')).join(' | '));

describe('processRows', () => {
  it('shows each process with its host and state, and the version of those that respond', () => {
    const host = hostOf([
      worker(1, 'up'),
      worker(2, 'unresponsive', 4999),
      worker(3, 'down', 0),
      worker(4, 'starting'),
    ]);
    const runs = [run(1, 7), run(2, 7), run(9, 7)];
    expect(textOf(processRows([host], runs, 7))).to.deep.equal([
      'Worker 1 | host-1 | up | worker-1-0a | 7 | up to date',
      'Worker 2 | host-1 | unresponsive for 4 s | worker-2-0a | – | –',
      'Worker 3 | host-1 | down | – | – | –',
      'Worker 4 | host-1 | starting | worker-4-0a | – | –',
    ]);
  });

  it('shows which process uses an old version, and why', () => {
    const rows = processRows([hostOf([worker(1, 'up'), worker(2, 'up')])], [run(1, 6, 'no such file'), run(2, 5)], 7);
    expect(textOf(rows).map((row) => row.split(' | ').slice(-2).join(' | '))).to.deep.equal([
      '6 | behind no such file',
      '5 | behind it has not checked yet',
    ]);
  });

  it('shows no state for a host of an earlier version', () => {
    const host = hostOf();
    expect(textOf(processRows([host], [run(1, 7)], 7))).to.deep.equal([
      'worker-1-0a | host-1 | – | worker-1-0a | 7 | up to date',
    ]);
    expect(unresponsiveProcesses([host])).to.deep.equal([]);
  });
});

describe('unresponsiveProcesses', () => {
  it('names the processes that do not respond, and says when they are replaced', () => {
    const host = hostOf([worker(1, 'up'), worker(2, 'unresponsive', 4300), worker(3, 'starting', 20_000)]);
    expect(unresponsiveProcesses([host])).to.deep.equal([
      { name: 'Worker 2 on host host-1', reason: 'silent for 4 s; it is killed and replaced after 15 s' },
    ]);
  });
});
