/** Failures of providers, callbacks and the database, each on real parts. */
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { until } from '../../core/base/testing/until.ts';
import { findMongod, startMongod, type RunningMongod } from '../../workers/supervisor/dev/mongod/index.ts';
import { cardBody } from '../support/bodies.ts';
import { batchOf, sendBatch } from '../support/provider-a-batch.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';

/** A provider that only speaks TCP. What it does with a connection decides the case. */
async function startTcp(onSocket: (socket: Socket) => void): Promise<{ server: Server; url: string }> {
  const server = createServer(onSocket);
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  return { server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

async function requestOf(gateway: TestGateway, id: number): Promise<Record<string, unknown>> {
  return (await gateway.get(`/payment-requests/${id}`)).json as Record<string, unknown>;
}

describe('when the provider cannot be reached', () => {
  it('fails with PAY005 and charges nothing when the connection is refused', async () => {
    const gateway = await startGateway({
      adapters: ['provider-a'],
      // Another process may take over a closed port, but no process listens on port 1.
      config: (config) => (config.adapters['provider-a'].options.sandboxBaseUrl = 'http://127.0.0.1:1'),
    });
    const answer = await gateway.post('/payments/h2h/11', cardBody('4111111111111111'));
    expect(answer.status).to.equal(500);
    expect(answer.json.code).to.equal('PAY005');
    const { paymentRequestStatusId, lastLog } = (await requestOf(
      gateway,
      Number(answer.headers.get('x-payment-request-id')),
    )) as {
      paymentRequestStatusId: number;
      lastLog: { message: string };
    };
    expect(paymentRequestStatusId).to.equal(3);
    expect(lastLog.message).to.match(/^nothing was charged/);
    await gateway.close();
  });

  it('stays pending with OUTCOME_UNKNOWN after a connection reset, and is reconciled', async () => {
    let requested = '';
    const { server, url } = await startTcp((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', (bytes) => {
        const [line = ''] = bytes.toString('latin1').split('\r\n');
        if (line.startsWith('POST')) return socket.resetAndDestroy();
        requested = line;
        const body = JSON.stringify({ error: { code: 'NO_SUCH', text: 'no such reference' } });
        return socket.end(
          `HTTP/1.1 404 Not Found\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
        );
      });
    });
    const gateway = await startGateway({
      adapters: ['provider-a'],
      config: (config) => (config.adapters['provider-a'].options.sandboxBaseUrl = url),
    });
    const answer = await gateway.post('/payments/h2h/11', cardBody('4111111111111111'));
    expect(answer.status).to.equal(200);
    expect(answer.json.paymentRequest).to.deep.include({ paymentRequestStatusId: 1 });
    expect(answer.json.paymentRequest.lastLog.code).to.equal('OUTCOME_UNKNOWN');
    // Provider A's policy makes the check due 5 s after the submission ended. This test needs only the check.
    await gateway.gateway.connection
      .collection('paymentRequests')
      .updateMany({}, { $set: { nextCheckAt: new Date() } });
    await gateway.work();
    expect(requested).to.match(/^GET \/v1\/charges\/by-ref\/GW-/);
    expect((await requestOf(gateway, answer.json.paymentRequest.id))['paymentRequestStatusId']).to.equal(1);
    await gateway.close();
    server.close();
  });
});

describe('when callbacks misbehave', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway({ adapters: ['provider-a'] });
  });
  after(async () => gateway.close());

  /** A payment that waits forever for its callback, with its references. */
  async function makePendingPayment(): Promise<{ id: number; ref: string; txn: string }> {
    const { json } = await gateway.post('/payments/h2h/11', cardBody('4000000000003097', '25.90'));
    return {
      id: json.paymentRequest.id,
      ref: `GW-${json.paymentRequest.id}-1`,
      txn: json.paymentRequest.transactionNumber,
    };
  }

  it('has one effect and gives 50 identical answers to 50 concurrent copies of a callback', async () => {
    const { id, ref, txn } = await makePendingPayment();
    const body = batchOf([{ txn, ref, what: 'CAPTURE' }]);
    const answers = await Promise.all(Array.from({ length: 50 }, async () => sendBatch(gateway.url, body)));
    expect(new Set(answers.map(({ status, text }) => `${status} ${text}`))).to.deep.equal(new Set(['200 [taken]']));
    const paid = await until('paid', async () => {
      const request = await requestOf(gateway, id);
      return request['paymentRequestStatusId'] === 2 && request;
    });
    const logs = paid['logs'] as { transactionStatusId: number }[];
    expect(logs.filter(({ transactionStatusId }) => transactionStatusId === 2)).to.have.length(1);
    expect(
      await gateway.gateway.connection.collection('inbox').countDocuments({ 'events.paymentRequestId': id }),
    ).to.equal(1);
  });

  it('never turns a success into a failure', async () => {
    const { id, ref, txn } = await makePendingPayment();
    await sendBatch(gateway.url, batchOf([{ txn, ref, what: 'CAPTURE' }]));
    await until('paid', async () => (await requestOf(gateway, id))['paymentRequestStatusId'] === 2);
    await sendBatch(gateway.url, batchOf([{ txn, ref, what: 'CAPTURE', good: 'false' }]));
    await until('both applied', async () => (await countWaiting(gateway)) === 0);
    const { paymentRequestStatusId, logs, lastLog } = await requestOf(gateway, id);
    expect(paymentRequestStatusId).to.equal(2);
    // The log shows that the provider contradicted itself.
    const [contradiction] = (logs as { message: string }[]).slice(-1);
    expect(contradiction?.message).to.equal('refused payment CAPTURE:false: the attempt has succeeded');
    expect(lastLog).not.to.deep.equal(contradiction);
  });

  it('pays after a failure, in the opposite order', async () => {
    const { id, ref, txn } = await makePendingPayment();
    await sendBatch(gateway.url, batchOf([{ txn, ref, what: 'AUTH', good: 'false' }]));
    // The callback gives no reason, and the provider reports no final status. After a minute the failure counts.
    const inbox = gateway.gateway.connection.collection('inbox');
    await until(
      'the provider is asked',
      async () => (await inbox.findOne({ 'events.note': /being fetched/ })) !== null,
    );
    expect((await requestOf(gateway, id))['paymentRequestStatusId']).to.equal(1);
    await inbox.updateMany({ state: 'waiting' }, [{ $set: { receivedAt: { $subtract: ['$receivedAt', 60_000] } } }]);
    await until('failed', async () => {
      await gateway.gateway.callbacks.drain(10);
      return (await requestOf(gateway, id))['paymentRequestStatusId'] === 3;
    });
    await sendBatch(gateway.url, batchOf([{ txn, ref, what: 'CAPTURE' }]));
    await until('paid', async () => (await requestOf(gateway, id))['paymentRequestStatusId'] === 2);
  });

  it('changes nothing for a forged or truncated callback, and accepts the previous key', async () => {
    const { id, ref, txn } = await makePendingPayment();
    const good = batchOf([{ txn, ref, what: 'CAPTURE' }]);
    expect(await sendBatch(gateway.url, batchOf([{ txn, ref, what: 'CAPTURE' }], 9))).to.deep.equal({
      status: 422,
      text: '[refused]',
    });
    expect((await sendBatch(gateway.url, good.slice(0, -20))).status).to.equal(400);
    expect(
      await gateway.gateway.connection.collection('inbox').countDocuments({ 'events.paymentRequestId': id }),
    ).to.equal(0);
    expect((await sendBatch(gateway.url, batchOf([{ txn, ref, what: 'CAPTURE' }], 1))).status).to.equal(200);
    await until('paid', async () => (await requestOf(gateway, id))['paymentRequestStatusId'] === 2);
  });

  it('never marks a payment as paid for another amount, and fetches the status instead', async () => {
    const { id, ref, txn } = await makePendingPayment();
    await sendBatch(gateway.url, batchOf([{ txn, ref, what: 'CAPTURE', minor: 1 }]));
    await until('applied and requested', async () => (await countWaiting(gateway)) === 0);
    const request = await requestOf(gateway, id);
    expect(request['paymentRequestStatusId']).to.equal(1);
    expect((request['logs'] as { message: string }[]).some(({ message }) => message.includes('does not fit'))).to.equal(
      true,
    );
    expect((request['lastLog'] as { message: string }).message).not.to.include('refused');
  });

  it('applies a callback that arrives before the answer of its own submission', async () => {
    const answer = await gateway.post('/payments/h2h/11', cardBody('4111111111111111', '10.55'));
    expect(answer.status).to.equal(200);
    await until(
      'paid',
      async () => (await requestOf(gateway, answer.json.paymentRequest.id))['paymentRequestStatusId'] === 2,
    );
  });

  it('applies callbacks that are out of order, repeated, or first signed with a wrong key', async () => {
    for (const amount of ['10.54', '10.56', '10.57']) {
      const answer = await gateway.post('/payments/h2h/11', cardBody('4000000000003063', amount));
      const { id } = answer.json.paymentRequest;
      const request = await until(`paid ${amount}`, async () => {
        const now = await requestOf(gateway, id);
        return now['paymentRequestStatusId'] === 2 && now;
      });
      expect(request['logs']).to.have.length.of.at.most(3);
    }
  });

  it('refuses a stale chargeback and a forged 3D Secure return with the provider’s answers', async () => {
    const stale = await fetch(`${gateway.url}/callbacks/providerA-chargeback`, {
      method: 'POST',
      body: '{}',
      headers: { 'X-A-Seal': `t=1,s1=${'0'.repeat(64)}` },
    });
    expect(stale.status).to.equal(401);
    const forged = await fetch(
      `${gateway.url}/callbacks/providerA3ds?txn=x&ref=GW-1-1&auth=Y&ts=1&sig=${'0'.repeat(64)}`,
    );
    expect(forged.status).to.equal(403);
    expect(await forged.text()).not.to.include('GW-1-1');
  });
});

/** Number of rows of the inbox that are not processed yet. */
async function countWaiting(gateway: TestGateway): Promise<number> {
  return gateway.gateway.connection.collection('inbox').countDocuments({ state: 'waiting' });
}

describe('when the database is down while a callback arrives', () => {
  let folder: string;
  let mongod: RunningMongod;
  let gateway: TestGateway;
  const report = (): void => undefined;
  before(async function () {
    this.timeout(300_000);
    folder = await mkdtemp(join(tmpdir(), 'gateway-test-'));
    const { path } = await findMongod({ env: process.env, report });
    mongod = await startMongod({ binary: path, dbPath: join(folder, 'db'), report });
    gateway = await startGateway({ adapters: ['provider-a'], config: (config) => (config.database.uri = mongod.uri) });
  });
  after(async () => {
    await gateway.close();
    await mongod.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('answers 503 in time, and loses nothing when the provider sends again', async function () {
    this.timeout(300_000);
    const { json } = await gateway.post('/payments/h2h/11', cardBody('4000000000003097', '25.90'));
    const { id, transactionNumber: txn } = json.paymentRequest;
    const body = batchOf([{ txn, ref: `GW-${id}-1`, what: 'CAPTURE' }]);
    const { port } = mongod;
    const { path } = await findMongod({ env: process.env, report });
    await mongod.stop();
    // sendBatch gives up after the provider's own timeout of 10 s.
    expect(await sendBatch(gateway.url, body)).to.deep.equal({ status: 503, text: '[later]' });
    mongod = await startMongod({ binary: path, dbPath: join(folder, 'db'), port, report });
    await until('stored', async () => (await sendBatch(gateway.url, body)).status === 200);
    await until('paid', async () => (await requestOf(gateway, id))['paymentRequestStatusId'] === 2);
  });
});
