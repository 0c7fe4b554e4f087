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

describe('judgeHost', () => {
  it('accepts a clock that is at most 5 s off', () => {
    const me = hostOf('me', 1);
    for (const offMs of [0, 5000, -5000]) expect(judgeHost(me, [], offMs)).to.deep.equal([]);
    expect(judgeHost(me, [], 7200)).to.deep.equal([
      {
        kind: 'clock_skew',
        text: "The clock of this host is 7 s ahead of the database's: correct it, and keep it correct with NTP.",
      },
    ]);
    expect(judgeHost(me, [], -3_600_000)[0]?.text).to.include('3600 s behind');
  });

  it('requires that hosts accept the 3D Secure secret that the others sign with, and blames the later host', () => {
    const problems = (mine: string[], theirs: string[]): number => {
      const [older, younger] = [
        hostOf('older', 1, { tokenSecrets: theirs }),
        hostOf('younger', 2, { tokenSecrets: mine }),
      ];
      expect(judgeHost(older, [younger], 0)).to.deep.equal([]);
      return judgeHost(younger, [older], 0).length;
    };
    // The steps of a rotation. Hosts of one step run together with hosts of the previous step.
    const steps = [['old'], ['old', 'new'], ['new', 'old'], ['new']];
    for (const [at, step] of steps.entries()) {
      expect(problems(step, step), `step ${at}`).to.equal(0);
      if (at > 0) expect(problems(step, steps[at - 1]!), `step ${at}`).to.equal(0);
    }
    expect(problems(['new'], ['old'])).to.equal(1);
    expect(problems(['new', 'old'], ['old'])).to.equal(1);
    expect(problems(['new'], ['old', 'new'])).to.equal(1);
  });

  it('allows other versions of adapters, which differingAdapters names', () => {
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
