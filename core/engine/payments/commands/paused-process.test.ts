/**
 * A process that is paused after it stored its next step and before it takes that step. By then another process has
 * taken over.
 */
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AdapterContext, Outcome } from '@paywright/contract';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import nock from 'nock';
import type { AdapterOptions } from '../../providers/load/load-adapters.ts';
import { HOUR } from '../../../base/async/time.ts';
import { caller, cardInput, order, usePayments, type TestPayments } from '../testing/setup.ts';

describe('a process that was paused right before a provider call', () => {
  const suite = usePayments();
  let provider: Server;
  let received: string[];
  let payments: TestPayments;
  let pausedMs: number;
  /** The path of the call that is paused. */
  let pausedPath: string;

  before(async () => {
    // Another test file may have activated nock's sockets, which send what a real socket holds back.
    nock.restore();
    provider = createServer((request, response) => {
      received.push(request.url ?? '');
      response.end();
    }).listen(0, '127.0.0.1');
    await once(provider, 'listening');
  });
  after(async () => {
    nock.activate();
    provider.closeAllConnections();
    provider.close();
    await once(provider, 'close');
  });
  beforeEach(() => {
    [received, pausedMs, pausedPath] = [[], 0, ''];
    const send = async (path: string, { http }: AdapterContext<AdapterOptions>): Promise<Outcome> => {
      if (path === pausedPath) pausedMs = HOUR;
      await http.send({ method: 'POST', path, body: '' });
      return { outcome: 'succeeded', providerReference: 'P-1' };
    };
    const baseUrl = `http://127.0.0.1:${(provider.address() as AddressInfo).port}`;
    const first = {
      options: { baseUrl, sandboxBaseUrl: baseUrl },
      adapter: {
        submit: async (_: unknown, ctx: AdapterContext<AdapterOptions>) => send('/submit', ctx),
        refund: async (_: unknown, __: unknown, ctx: AdapterContext<AdapterOptions>) => send('/refund', ctx),
      },
    };
    const routes = [{ id: 1, when: {}, use: ['first'], fallback: false }];
    payments = suite.create({ routes }, { first }, () => new Date(Date.now() + pausedMs));
  });

  const pay = async (): Promise<{ readonly id: number }> => payments.service.payH2h(caller, 41, order, cardInput());

  it('sends no submission, because reconciliation may have given up the attempt', async () => {
    pausedPath = '/submit';
    await pay().catch(() => undefined);
    expect(received).to.deep.equal([]);
  });

  it('sends no refund, and leaves it to the process that repeats it', async () => {
    const { id } = await pay();
    pausedPath = '/refund';
    await payments.service.refund(caller, id, '4');
    expect(received).to.deep.equal(['/submit']);
    const { refunds } = (await payments.store.load(id))!;
    expect(refunds.map(({ state }) => state)).to.deep.equal(['unknown']);
  });
});
