/** Encryption keys are rotated while the service runs, and a process without the right keys does not start. */
import { randomBytes } from 'node:crypto';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import pino from 'pino';
import { idempotencyRecordModel } from '../../core/database/collections/idempotency-record.ts';
import { inboxModel } from '../../core/database/collections/inbox-row.ts';
import { ownerModel } from '../../core/database/collections/owner.ts';
import { paymentRequestModel } from '../../core/database/collections/payment-request.ts';
import { reencryptionModel } from '../../core/database/collections/reencryption.ts';
import { createCipher } from '../../core/base/crypto/encryption.ts';
import { createGateway, type Gateway } from '../../core/gateway.ts';
import { createApp } from '../../core/app.ts';
import { startServer } from '../../core/http/index.ts';
import { createMetrics } from '../../core/base/metrics/index.ts';
import { reencrypt } from '../../core/engine/secrets/index.ts';
import { cardBody } from '../support/bodies.ts';
import { startGateway, type TestGateway } from '../support/start-gateway.ts';

const newKey = (): string => randomBytes(32).toString('base64');
const keyed = { 'Idempotency-Key': 'order 77' };
const challenged = '4000000000003220';

describe('an encryption key', () => {
  let gateway: TestGateway;
  let first: string;
  const second = newKey();
  before(async () => {
    first = newKey();
    gateway = await startGateway({
      adapters: ['provider-c'],
      works: false,
      config: (config) => (config.security.encryptionKey = [first]),
    });
  });
  after(async () => gateway.close());

  const openGatewayWith = async (keys: readonly string[]): Promise<Gateway> => {
    const { config, ...run } = gateway.run;
    return createGateway({
      ...run,
      config: { ...config, security: { encryptionKey: [...keys] } },
      log: pino({ level: 'silent' }),
      worker: 'other',
      metrics: createMetrics(),
      notifyWorkers: () => undefined,
    });
  };

  /** Runs the work in another process with these keys. */
  const runWithKeys = async <T>(keys: readonly string[], work: (other: Gateway, url: string) => Promise<T>) => {
    const other = await openGatewayWith(keys);
    const health = { ready: async () => ({ ok: true, parts: {} }) };
    const server = await startServer(createApp({ ...other.httpDeps, health }), { host: '127.0.0.1', port: 0 });
    try {
      return await work(other, `http://127.0.0.1:${server.port}`);
    } finally {
      await server.close(1000);
      await other.close();
    }
  };

  const payAt = async (url: string): Promise<Response> =>
    fetch(`${url}/payments/h2h/13`, {
      method: 'POST',
      headers: { 'X-API-Key': gateway.key, 'Content-Type': 'application/json', Accept: 'application/json', ...keyed },
      body: cardBody(challenged),
    });

  it('is rotated without effect on a keyed request, and all data stays readable', async () => {
    const answered = await payAt(gateway.url);
    const { paymentRequest, action } = (await answered.json()) as { paymentRequest: { id: number }; action: unknown };
    expect(action).to.include({ type: 'redirect' });
    await inboxModel(gateway.gateway.connection).deleteMany({});

    await runWithKeys([first, second], async (_, url) => {
      expect((await payAt(url)).headers.get('Idempotent-Replayed')).to.equal('true');
    });

    // Continues after an interruption, as by a kill.
    const { connection } = gateway.gateway;
    const cipher = createCipher([second, first]);
    const stop = new Error('interrupted');
    const interrupted = reencrypt(connection, cipher, ({ collection }) => {
      if (collection === 'paymentRequests') throw stop;
    });
    expect(await interrupted.catch((error: unknown) => error)).to.equal(stop);
    expect(await reencryptionModel(connection).countDocuments()).to.equal(1);
    const refused = await openGatewayWith([second]).catch((error: unknown) => error);
    expect(String(refused)).to.contain('is encrypted under the key').and.contain('GATEWAY_ENCRYPTION_KEY');

    const changed = await reencrypt(connection, cipher, () => undefined);
    expect(changed).to.equal(5);
    expect(await reencryptionModel(connection).countDocuments()).to.equal(0);

    await runWithKeys([second], async (other, url) => {
      const again = await payAt(url);
      expect(again.headers.get('Idempotent-Replayed')).to.equal('true');
      expect(await again.json()).to.deep.equal({ result: 'OK', paymentRequest, action });
      expect(await paymentRequestModel(other.connection).countDocuments()).to.equal(1);
      const caller = { ownerId: gateway.ownerId, environment: 'test', requestId: 'r' } as const;
      const operation = other.httpDeps.payments.operation(caller, {
        id: 'none',
        bindPayment: async () => undefined,
        reservePayments: async (ids) => ids,
        paymentRequestId: paymentRequest.id,
      });
      expect((await (await operation.currentAnswer()).present()).action).to.deep.equal(action);
      expect(await other.access.webhookSecrets(gateway.ownerId, 'test')).to.deep.equal({
        current: gateway.webhookSecret,
      });
    });
  });

  it('stops the start of a process when it is the wrong one, and nothing is created with it', async () => {
    const before = await idempotencyRecordModel(gateway.gateway.connection).countDocuments();
    const error = await openGatewayWith([newKey()]).catch((problem: unknown) => problem);
    expect(String(error)).to.contain('none of the keys of this process opens');
    expect(await idempotencyRecordModel(gateway.gateway.connection).countDocuments()).to.equal(before);
  });

  it('binds each value to its own document', async () => {
    const { connection } = gateway.gateway;
    const { ownerId } = await gateway.gateway.access.keys.create({ owner: 'Another', environment: 'sandbox' });
    const raw = ownerModel(connection).collection;
    const mine = await raw.findOne({ _id: gateway.ownerId as never });
    await raw.updateOne({ _id: ownerId as never }, { $set: { webhookSecrets: mine?.['webhookSecrets'] } });
    const error = await runWithKeys([second], async (other) => other.access.webhookSecrets(ownerId, 'test')).catch(
      (problem: unknown) => problem,
    );
    expect(String(error)).to.contain('encrypted for another document or member');
  });
});
