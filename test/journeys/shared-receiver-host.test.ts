import type { ServerResponse } from 'node:http';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { startReceiver, type Receiver } from '../support/receiver.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';

describe('two merchants with receivers at the same host', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  /** Answers that send a byte at a time, and never end. */
  const dripping = new Set<ServerResponse>();
  let ended = 0;
  before(async () => {
    receiver = await startReceiver();
    receiver.answer = (response) => {
      if (response.req.url === '/fine') {
        response.writeHead(200).end();
        return;
      }
      const drip = setInterval(() => response.write('.'), 1000);
      response.writeHead(200).write('.');
      dripping.add(response);
      response.once('close', () => {
        clearInterval(drip);
        ended += 1;
      });
    };
    gateway = await startGateway({ adapters: ['provider-a'] });
  });
  after(async () => {
    await receiver.close();
    await gateway.close();
  });

  /** Creates and cancels a payment request, which is one notification. */
  async function cancel(key: string, path: string): Promise<number> {
    const order = {
      amount: 25.9,
      unit: 'EUR',
      referenceId: 'r',
      clientEmail: 'ana@payer.example',
      notifyUrl: new URL(path, receiver.url).href,
    };
    const made = await gateway.post('/payment-requests', order, { 'X-API-Key': key });
    const { id } = made.json.paymentRequest;
    const cancelled = await gateway.post(`/payment-requests/${id}/cancel`, undefined, { 'X-API-Key': key });
    expect(cancelled.status, cancelled.text).to.equal(200);
    return id;
  }

  it("delivers the second merchant's notification while all attempts of the first merchant hang", async () => {
    for (let count = 0; count < 4; count += 1) await cancel(gateway.key, '/drip');
    await until('the first merchant is notified', () => dripping.size > 0);
    const second = await gateway.gateway.access.keys.create({ owner: 'Second shop', environment: 'sandbox' });
    const ids = [await cancel(second.key, '/fine'), await cancel(second.key, '/fine')];
    await until('the second merchant is notified', () => ids.every((id) => receiver.ofPayment(id).length > 0));
    expect(ended).to.equal(0);
    // A receiver that has not answered yet gets one attempt at a time.
    expect(dripping.size).to.equal(1);
  });
});
