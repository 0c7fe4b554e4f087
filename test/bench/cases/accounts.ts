/**
 * One account of an adapter next to 1,000: time of a start, memory, and the CPU time of the acknowledgement of a
 * callback, at the account's own address and at the shared one with a hint.
 */
import { randomUUID } from 'node:crypto';
import { createCipher } from '../../../core/base/crypto/encryption.ts';
import { accountModel } from '../../../core/database/collections/account.ts';
import { accountContext } from '../../../core/database/encryption-context.ts';
import { callbackKeyOf } from '../../faults/provider.ts';
import { startReceiver, type Receiver } from '../../support/receiver.ts';
import { encryptionKey, type BenchGateway } from '../bench-gateway.ts';
import { callbacks, makePayments, measure, settle, warmingRounds, withGateway, type Bench } from '../measure.ts';

const count = 1000;
const nameOf = (n: number): string => `shop-${n}`;

export const accountNames = {
  start: 'start, 1,000 accounts to one',
  memory: 'memory without mongod, 1,000 accounts to one',
  own: 'CPU per ack, own address of 1 of 1,000 accounts',
  hinted: 'CPU per ack, hint of 1 of 1,000 accounts',
} as const;

export async function measureAccounts(bench: Bench): Promise<void> {
  const mongodbUri = bench.uri(`gateway_${randomUUID()}`);
  const at = { workers: 1, mongodbUri, keepsDatabase: true };
  // The first start of a database creates its collections.
  await withGateway(bench, at, async ({ connection }) => {
    await accountModel(connection).collection.countDocuments();
  });
  await withGateway(bench, at, async (gateway) => {
    bench.record(accountNames.start, 'theirs', gateway.startMs);
    // Twice, because a process that has done more work needs less CPU time.
    bench.record(accountNames.own, 'theirs', await acknowledge(bench, gateway, {}));
    bench.record(accountNames.hinted, 'theirs', await acknowledge(bench, gateway, {}));
    bench.record(accountNames.memory, 'theirs', await gateway.sharedMb());
    await addAccounts(gateway);
  });
  await withGateway(bench, { ...at, keepsDatabase: false }, async (gateway) => {
    bench.record(accountNames.start, 'ours', gateway.startMs);
    const account = nameOf(count / 2);
    bench.record(accountNames.own, 'ours', await acknowledge(bench, gateway, { account }));
    bench.record(accountNames.hinted, 'ours', await acknowledge(bench, gateway, { account, isHinted: true }));
    bench.record(accountNames.memory, 'ours', await gateway.sharedMb());
  });
}

/** Stores them as operators do, all at once. */
async function addAccounts({ connection }: BenchGateway): Promise<void> {
  const cipher = createCipher([encryptionKey]);
  const at = new Date();
  const documents = Array.from({ length: count }, (_, n) => {
    const name = nameOf(n);
    const _id = `faults/${name}`;
    const options = JSON.stringify({ account: name, callbackKey: callbackKeyOf(name) });
    const encrypted = cipher.encrypt(Buffer.from(options), accountContext(_id, 'options'));
    const made = { createdBy: 'Bench', createdAt: at, changedAt: at };
    return { _id, adapter: 'faults', name, version: 1, options: encrypted, merchants: [], ...made };
  });
  await accountModel(connection).insertMany(documents);
}

/** CPU time of the API per callback, while the workers are frozen. Afterwards all callbacks take effect. */
async function acknowledge(
  bench: Bench,
  gateway: BenchGateway,
  of: { readonly account?: string; readonly isHinted?: boolean },
): Promise<number> {
  const receiver = await startReceiver();
  const send = async (): Promise<number> => sendHeld(bench, gateway, receiver, of);
  for (let round = 0; round < warmingRounds; round += 1) await send();
  const cpuMs = await send();
  await receiver.close();
  return cpuMs;
}

async function sendHeld(
  bench: Bench,
  gateway: BenchGateway,
  receiver: Receiver,
  of: { readonly account?: string; readonly isHinted?: boolean },
): Promise<number> {
  const ids = await makePayments(gateway, receiver.url, bench.count * 2);
  if (of.account !== undefined) {
    const payments = gateway.connection.collection<{ readonly _id: number }>('paymentRequests');
    await payments.updateMany({ _id: { $in: ids } }, { $set: { 'attempts.$[].account': of.account } });
  }
  await gateway.holdWorkers(true);
  const before = await gateway.cpuMs('api');
  await measure(bench, gateway.port, callbacks(ids, of));
  const cpuMs = ((await gateway.cpuMs('api')) - before) / ids.length;
  await gateway.holdWorkers(false);
  await settle(bench, gateway, receiver, ids);
  return cpuMs;
}
