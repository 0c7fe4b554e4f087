import { expect } from 'chai';
import { describe, it } from 'mocha';
import { playScenario, type Deliveries, type Message, type ScenarioMessage } from '../index.ts';

describe('scenarios of payments that may change', () => {
  const happened: string[] = [];

  function reported(...names: readonly string[]): ScenarioMessage[] {
    return names.map((name) => ({
      name,
      happens: () => happened.push(name),
      request: ({ number }) => ({ method: 'POST', url: `${name} ${number}` }),
    }));
  }

  /** The messages that are passed to the deliveries. */
  function play(subject: { scenario: number }, names: readonly string[], rule?: '.54' | '.56') {
    let given: { readonly messages: readonly Message[]; readonly rule: string | undefined } | undefined;
    const deliveries = {
      play: (messages: readonly Message[], asked?: string) => {
        given = { messages, rule: asked };
        return Promise.resolve();
      },
    } as Deliveries;
    happened.length = 0;
    void playScenario(deliveries, subject, reported(...names), rule);
    return given!;
  }
  const send = (message: Message | undefined, number = 1): string | undefined =>
    message?.request({ number, forged: false })?.url;

  it('are reported one delay after another, by the rule of the amount', () => {
    const { messages, rule } = play({ scenario: 0 }, ['a', 'b', 'c'], '.54');
    expect(messages.map(({ name, after }) => `${name} ${after}`)).to.deep.equal(['a 1', 'b 2', 'c 3']);
    expect(rule).to.equal('.54');
  });

  it('report their end first for .56', () => {
    const { messages, rule } = play({ scenario: 0 }, ['a', 'b', 'c'], '.56');
    expect(messages.map(({ name, after }) => `${name} ${after}`)).to.deep.equal(['c 1', 'a 2', 'b 3']);
    expect(rule).to.equal(undefined);
  });

  it('take effect when they are first sent, and once', () => {
    const [first] = play({ scenario: 0 }, ['a', 'b']).messages;
    expect([send(first), send(first, 2)]).to.deep.equal(['a 1', 'a 2']);
    expect(happened).to.deep.equal(['a']);
  });

  it('are silenced by the next scenario about the same subject, except for messages that were sent before', () => {
    const subject = { scenario: 0 };
    const [sent, waiting] = play(subject, ['a', 'b']).messages;
    send(sent);
    const [next] = play(subject, ['c']).messages;
    expect([send(sent, 2), send(waiting), send(waiting, 2), send(next)]).to.deep.equal([
      'a 2',
      undefined,
      undefined,
      'c 1',
    ]);
    expect(happened).to.deep.equal(['c']);
  });
});
