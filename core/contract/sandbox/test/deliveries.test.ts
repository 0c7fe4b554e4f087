import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { work } from '../../test/event-loop.ts';
import { createDeliveries, type Deliveries, type DeliveryOptions, type Message } from '../index.ts';

/** Enough delays of 2 ms that everything before has ended, even if other processes use the machine. */
const later = 400;

describe('the deliveries of a sandbox', () => {
  let server: Server;
  let url: string;
  let deliveries: Deliveries;
  let received: string[];
  /** The receiver's answers, in order; the last one repeats. */
  let answers: (number | 'hang')[];

  beforeEach((done) => {
    received = [];
    answers = [200];
    server = createServer((request, response) => {
      received.push(request.url!.slice(1));
      const answer = answers.length > 1 ? answers.shift()! : answers[0]!;
      if (answer !== 'hang') response.writeHead(answer).end();
    }).listen(0, '127.0.0.1', () => {
      url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      done();
    });
  });

  afterEach(async () => {
    await deliveries.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  function create(options: Partial<DeliveryOptions> = {}): void {
    deliveries = createDeliveries({
      delayMs: 2,
      acknowledged: ({ status }) => status === 200,
      repeatAfter: [1, 1],
      ...options,
    });
  }

  function message(name: string, after = 1): Message {
    return {
      name,
      after,
      request: ({ number, forged }) => ({
        method: 'POST',
        url: `${url}/${name}-${number}${forged ? '-forged' : ''}`,
        body: '{}',
      }),
    };
  }

  it('send each message once if it is acknowledged', async () => {
    create();
    await deliveries.play([message('auth', 1), message('capture', later)]);
    await deliveries.settled();
    expect(received).to.deep.equal(['auth-1', 'capture-1']);
  });

  it('start each message after the one before it, even in a process that was busy for a long time', async () => {
    create({ delayMs: 10 });
    const begun: string[] = [];
    const noted = (name: string, after: number): Message => ({
      name,
      after,
      request() {
        begun.push(name);
        return undefined;
      },
    });
    // A timer of the same length that is due before the whole second scenario: its timers fire together with it.
    await deliveries.play([noted('earlier', 4)]);
    work(30);
    await setImmediate();
    await deliveries.play([1, 2, 3, 4, 5].map((after) => noted(`${after}`, after)));
    work(100);
    await deliveries.settled();
    expect(begun.filter((name) => name !== 'earlier')).to.deep.equal(['1', '2', '3', '4', '5']);
  });

  it('repeat an unacknowledged message as often as the provider does', async () => {
    create();
    answers = [500];
    await deliveries.play([message('auth')]);
    await deliveries.settled();
    expect(received).to.deep.equal(['auth-1', 'auth-2', 'auth-3']);
  });

  it('stop repeating after an acknowledgement, or if nothing is left to say', async () => {
    create();
    answers = [500, 200];
    await deliveries.play([message('auth')]);
    await deliveries.settled();
    expect(received).to.deep.equal(['auth-1', 'auth-2']);

    answers = [500];
    const seen = {
      ...message('ping'),
      request: () => (received.includes('ping') ? undefined : { method: 'GET' as const, url: `${url}/ping` }),
    };
    await deliveries.play([seen]);
    await deliveries.settled();
    expect(received.slice(2)).to.deep.equal(['ping']);
  });

  it('deliver three times for .54', async () => {
    create();
    await deliveries.play([message('auth')], '.54');
    await deliveries.settled();
    expect(received).to.deep.equal(['auth-1', 'auth-2', 'auth-3']);
  });

  it('deliver the first message before play returns for .55, whatever the gateway says', async () => {
    create({ delayMs: 60_000 });
    answers = [503];
    await deliveries.play([message('auth'), message('capture', 2)], '.55');
    expect(received).to.deep.equal(['auth-1']);
  });

  it('send the second message before the first for .56', async () => {
    create();
    await deliveries.play([message('auth', 1), message('capture', later)], '.56');
    await deliveries.settled();
    expect(received).to.deep.equal(['capture-1', 'auth-1']);
  });

  it('sign the first message wrongly, then rightly, for .57', async () => {
    create();
    await deliveries.play([message('auth', 1), message('capture', later)], '.57');
    await deliveries.settled();
    expect(received).to.deep.equal(['auth-1-forged', 'auth-2', 'capture-1']);
  });

  it('report to the observer what was sent and what came back', async () => {
    const reports: string[] = [];
    create({
      onDelivery: ({ name, number, acknowledged, reply }) =>
        reports.push(`${name} ${number} ${acknowledged} ${reply?.status}`),
    });
    answers = [404, 200];
    await deliveries.play([message('auth')]);
    await deliveries.settled();
    expect(reports).to.deep.equal(['auth 1 false 404', 'auth 2 true 200']);
  });

  it('count a gateway that does not answer in time as not acknowledged', async () => {
    const errors: unknown[] = [];
    create({ timeoutMs: 20, repeatAfter: [], onDelivery: ({ error }) => errors.push(error?.name) });
    answers = ['hang'];
    await deliveries.play([message('auth')]);
    await deliveries.settled();
    expect(errors).to.deep.equal(['AbortError']);
  });

  it('drop waiting messages when closed', async () => {
    create({ delayMs: 60_000 });
    await deliveries.play([message('auth')]);
    await deliveries.close();
    await deliveries.play([message('late', 0)]);
    await deliveries.settled();
    expect(received).to.deep.equal([]);
  });

  it('cut off messages in progress if closing takes too long', async () => {
    create();
    answers = ['hang'];
    await deliveries.play([message('auth', 0)]);
    await deliveries.close();
    expect(received.length).to.be.at.most(1);
  });

  it('warn about a message that cannot be made, and continue', async () => {
    create();
    const warned = new Promise<Error>((resolve) => process.once('warning', resolve));
    const broken: Message = {
      name: 'broken',
      after: 0,
      request() {
        throw new TypeError('this message cannot be made');
      },
    };
    await deliveries.play([{ ...broken, after: 0 }, message('auth')]);
    expect((await warned).message).to.equal('this message cannot be made');
    await deliveries.settled();
    expect(received).to.deep.equal(['auth-1']);
  });
});
