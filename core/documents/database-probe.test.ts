import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createDatabaseProbe } from './database-probe.ts';

describe('the probe of the database', () => {
  it('says at once what a check found, and reports each change once', async () => {
    const lines: string[] = [];
    const log = { warn: (line: string) => lines.push(line), info: (line: string) => lines.push(line) };
    let isUp = true;
    let asked = 0;
    const probe = createDatabaseProbe(async () => ((asked += 1), isUp), log as never);
    expect(await probe.check()).to.equal(true);
    isUp = false;
    const before = asked;
    expect(await Promise.all([probe.check(), probe.check()])).to.deep.equal([false, false]);
    expect(asked - before).to.equal(1);
    expect(probe.isAnswering).to.equal(false);
    await probe.check();
    isUp = true;
    await probe.check();
    expect(probe.isAnswering).to.equal(true);
    let silences = 0;
    const end = probe.onSilence(() => (silences += 1));
    for (isUp of [false, true, false]) await probe.check();
    expect(silences).to.equal(2);
    end();
    for (isUp of [true, false, true]) await probe.check();
    expect(silences).to.equal(2);
    probe.stop();
    expect(lines.slice(0, 2)).to.deep.equal([
      'the database does not answer: requests are refused until it does',
      'the database answers again',
    ]);
  });
});
