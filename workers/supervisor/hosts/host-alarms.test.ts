import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { createHostAlarms, type HostAlarms } from './host-alarms.ts';

const skew = { kind: 'clock_skew', text: 'The clock is wrong.' } as const;

describe('createHostAlarms', () => {
  let done: string[];
  let alarms: HostAlarms;
  beforeEach(() => {
    done = [];
    const note = (what: string) => (kind: string, subject: { type: string; id: string }, reason?: string) =>
      void done.push([what, kind, subject.type, subject.id, ...(reason === undefined ? [] : [reason])].join(' '));
    alarms = createHostAlarms({ raise: note('raise'), clear: note('clear') }, { _id: 'here-1a', hostname: 'here' });
  });
  const taken = (): string[] => done.splice(0);

  it('raises an alarm after each poll that finds a problem, and clears it after the first that does not', () => {
    alarms.update({ problems: [skew], isNameShared: false });
    expect(taken()).to.deep.equal(['raise clock_skew host here The clock is wrong.', 'clear key_unknown host here']);
    alarms.update({ problems: [skew], isNameShared: false });
    expect(taken()).to.deep.equal(['raise clock_skew host here The clock is wrong.']);
    alarms.update({ problems: [{ text: 'Another host is right.' }], isNameShared: false });
    expect(taken()).to.deep.equal(['clear clock_skew host here']);
    alarms.update({ problems: [], isNameShared: false });
    expect(taken()).to.deep.equal([]);
  });

  it('names the host by its id while another host has the same hostname, and keeps the alarms of the other host', () => {
    alarms.update({ problems: [], isNameShared: true });
    expect(taken()).to.deep.equal(['clear clock_skew host here-1a', 'clear key_unknown host here-1a']);
    alarms.update({ problems: [skew], isNameShared: true });
    alarms.processFailed('It died.', 'worker-2-0a1b2c3d');
    expect(taken()).to.deep.equal([
      'raise clock_skew host here-1a The clock is wrong.',
      'raise process_failed process worker-2@here-1a It died. Its lines in the log have the name worker-2-0a1b2c3d.',
    ]);
  });

  it('returns to the hostname when the other host is gone, and leaves no alarm open under the id', () => {
    alarms.update({ problems: [skew], isNameShared: true });
    taken();
    alarms.update({ problems: [skew], isNameShared: false });
    expect(taken()).to.deep.equal([
      'clear clock_skew host here-1a',
      'raise clock_skew host here The clock is wrong.',
      'clear key_unknown host here',
    ]);
  });

  it('uses one alarm for all processes of a series, however often they are replaced', () => {
    alarms.processFailed('It died.', 'api-1-00000000');
    alarms.processFailed('It died.', 'api-1-11111111');
    expect(taken().map((one) => one.split(' ').slice(0, 4).join(' '))).to.deep.equal([
      'raise process_failed process api-1@here',
      'raise process_failed process api-1@here',
    ]);
  });
});
