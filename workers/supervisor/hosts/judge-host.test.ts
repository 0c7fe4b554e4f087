import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Host } from '../../../core/database/collections/host.ts';
import { differingAdapters, judgeHost } from './judge-host.ts';

const hostOf = (hostname: string, startedAt: number, more: Partial<Host> = {}): Host => ({
  _id: hostname,
  hostname,
  startedAt: new Date(startedAt),
  seenAt: new Date(startedAt),
  workers: 1,
  processes: [],
  tokenSecrets: ['a'],
  adapters: [],
  ...more,
});

describe('a host beside others', () => {
  it('has a clock that is at most 5 s off', () => {
    const me = hostOf('me', 1);
    for (const offMs of [0, 5000, -5000]) expect(judgeHost(me, [], offMs)).to.deep.equal([]);
    expect(judgeHost(me, [], 7200)).to.deep.equal([
      {
        kind: 'clock_skew',
        text: "The clock of this host is 7 s ahead of the database's: set it right, and keep it so with NTP.",
      },
    ]);
    expect(judgeHost(me, [], -3_600_000)[0]?.text).to.include('3600 s behind');
  });

  it('takes the 3D Secure secret that each other one signs with, and they its own; else the later one is wrong', () => {
    const problems = (mine: string[], theirs: string[]): number => {
      const [older, younger] = [
        hostOf('older', 1, { tokenSecrets: theirs }),
        hostOf('younger', 2, { tokenSecrets: mine }),
      ];
      expect(judgeHost(older, [younger], 0)).to.deep.equal([]);
      return judgeHost(younger, [older], 0).length;
    };
    // The steps of a rotation, each beside the one before.
    const steps = [['old'], ['old', 'new'], ['new', 'old'], ['new']];
    for (const [at, step] of steps.entries()) {
      expect(problems(step, step), `step ${at}`).to.equal(0);
      if (at > 0) expect(problems(step, steps[at - 1]!), `step ${at}`).to.equal(0);
    }
    expect(problems(['new'], ['old'])).to.equal(1);
    expect(problems(['new', 'old'], ['old'])).to.equal(1);
    expect(problems(['new'], ['old', 'new'])).to.equal(1);
  });

  it('may have other versions of adapters, which are named', () => {
    const version = (name: string, is: string) => ({ adapters: [{ name, version: is }] });
    const hosts = [
      hostOf('a', 1, version('x', '1.0.0')),
      hostOf('b', 2, version('x', '1.1.0')),
      hostOf('c', 3, version('y', '2.0.0')),
    ];
    expect([...differingAdapters(hosts)]).to.deep.equal([['x', 'x runs in several versions: 1.0.0 on a; 1.1.0 on b']]);
    expect(differingAdapters(hosts.slice(1)).size).to.equal(0);
  });
});
