/**
 * Checks that collections which grow with payments can be sharded: no unique index prevents it, and hot queries name
 * their shard.
 */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { shardKeys } from '../core/database/shard-keys.ts';
import type { LoadedAdapter } from '../core/engine/providers/index.ts';
import { fakeActive } from '../core/engine/providers/testing/fake-adapter.ts';
import { cardBody } from './support/bodies.ts';
import { completeChallenge } from './support/payer.ts';
import { startReceiver, type Receiver } from './support/receiver.ts';
import { toTestPayment } from './support/scenarios.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

interface Profiled {
  readonly ns: string;
  readonly op: string;
  readonly command?: Readonly<Record<string, unknown>>;
}

type Filter = Readonly<Record<string, unknown>>;

const reserving = 58;
const reserves: Partial<ReturnType<typeof fakeActive>['adapter']> = {
  submit: async ({ reference }) => ({ outcome: 'pending', authorised: true, providerReference: `R-${reference}` }),
  capture: async () => ({ outcome: 'succeeded' }),
  void: async () => ({ outcome: 'succeeded' }),
};

/** Collections that stay small or have one document per adapter, owner or key: they stay on one shard. */
const small = [
  'accounts',
  'adapterChanges',
  'adapterRuns',
  'adapterStates',
  'alarms',
  'apiKeys',
  'audit',
  'catchUps',
  'counters',
  'endpoints',
  'meta',
  'operators',
  'owners',
  'refusedCallbacks',
  'savedFilters',
  'portalLinks',
  'reencryptions',
  'secrets',
  'settlementRuns',
  'streamedEvents',
  'hosts',
  'traffic',
  'volumes',
  'wakeUps',
];

/**
 * Due documents are queried on every shard, once per batch and never per payment. Each shard answers from a partial
 * index that holds only due documents.
 */
const waiting = ['dueAt', 'pingDueAt', 'nextCheckAt', 'outboxSince'];

/**
 * Joins that run on every shard. For one client: payments that are paid and not yet in its sums, from a partial index
 * alone. Many clients are joined together, so this is once per batch, too.
 */
const joined = ['paymentRequests by clientId'];

const isMap = (value: unknown): value is Filter => typeof value === 'object' && value !== null;

/** The filter of an operation. Undefined if it has none, such as an insert. */
function filterOf({ op, command = {} }: Profiled): Filter | undefined {
  const { filter, query, q, pipeline, originatingCommand } = command;
  if (op === 'insert') return undefined;
  if (isMap(originatingCommand)) return filterOf({ ns: '', op: 'query', command: originatingCommand });
  const [first] = Array.isArray(pipeline) ? (pipeline as readonly { readonly $match?: Filter }[]) : [];
  return [filter, query, q, first?.$match].find(isMap) ?? {};
}

interface Lookup {
  readonly from: string;
  readonly foreignField: string;
  readonly pipeline?: readonly Stage[];
}
type Stage = { readonly $lookup?: Lookup };

/** The lookups of a pipeline, whatever its own filter names. */
function lookupsIn(pipeline: unknown): readonly Lookup[] {
  if (!Array.isArray(pipeline)) return [];
  const lookups = (pipeline as readonly Stage[]).flatMap(({ $lookup }) => $lookup ?? []);
  return lookups.flatMap((one) => [one, ...lookupsIn(one.pipeline)]);
}

/** True if the operation changes one document, and possibly returns it: the server must know the shard. */
function isSingleChange({ op, command = {} }: Profiled): boolean {
  const { findAndModify, findandmodify = findAndModify, multi, limit } = command;
  return findandmodify !== undefined || (op === 'update' && multi !== true) || (op === 'remove' && limit === 1);
}

/** True for one value or a list of values: a range would be sent to every shard. */
function isOnNamedShards(filter: Filter, key: string): boolean {
  const condition = filter[key];
  if (condition === undefined) return false;
  if (!isMap(condition) || '_bsontype' in condition) return true;
  return '$in' in condition || '$eq' in condition;
}

describe('the shard key', () => {
  let gateway: TestGateway;
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
    gateway = await startGateway({
      adapters: ['provider-a', 'provider-c'],
      config: (config) => {
        const velocity = { by: 'email', max: 1000, windowMinutes: 5 };
        config.risk = [{ id: 1, when: {}, velocity, action: 'deny', reason: 'too many attempts' }];
      },
    });
    const { registry } = gateway.gateway.providers;
    registry.replace([
      ...(registry.all() as LoadedAdapter[]),
      fakeActive({ manifest: { name: 'reserves', code: reserving }, adapter: reserves }),
    ]);
  });
  after(async () => {
    await gateway.close();
    await receiver.close();
  });

  it('is defined, or excluded, for every collection', async () => {
    const found = await gateway.gateway.connection.db!.listCollections({}, { nameOnly: true }).toArray();
    const names = found.map(({ name }) => name).filter((name) => !/^(system\.|agenda)/.test(name));
    expect(names).to.include.members(Object.keys(shardKeys));
    expect(names.filter((name) => !(name in shardKeys) && !small.includes(name))).to.deep.equal([]);
  });

  it('conflicts with no unique index except that of _id', async () => {
    const { connection } = gateway.gateway;
    for (const name of Object.keys(shardKeys)) {
      const indexes = await connection.collection(name).indexes();
      expect(
        indexes.filter(({ unique }) => unique).map(({ key }) => key),
        name,
      ).to.deep.equal([]);
    }
  });

  /** Actions on a payment during and after its submission. */
  async function playLaterSteps(notifyUrl: string): Promise<void> {
    const submit = async (code: number, card: string, key?: string) => {
      const headers: Readonly<Record<string, string>> = key === undefined ? {} : { 'Idempotency-Key': key };
      const answer = await gateway.post(`/payments/h2h/${code}`, cardBody(card, 25.9, { notifyUrl }), headers);
      return toTestPayment(gateway, answer);
    };
    const act = async (id: number, what: string, body?: object): Promise<void> => {
      const { status, text } = await gateway.post(`/payment-requests/${id}/${what}`, body);
      expect(status, text).to.equal(200);
    };
    const paid = await submit(11, '4111111111111111', 'replayed');
    await paid.waitForStatus(2);
    expect((await submit(11, '4111111111111111', 'replayed')).id).to.equal(paid.id);
    await act(paid.id, 'refund', { amount: 5 });
    await act(paid.id, 'refund');
    const challenged = await submit(13, '4000000000003220');
    await completeChallenge(challenged.action, 'pass');
    await challenged.waitForStatus(2);
    const [collected, released] = [
      await submit(reserving, '4111111111111111'),
      await submit(reserving, '4111111111111111'),
    ];
    await act(collected.id, 'capture', { amount: 20 });
    await collected.waitForStatus(2);
    await act(released.id, 'cancel');
    await released.waitForStatus(5);
  }

  it('is in each query for a payment, a callback or a notification', async () => {
    const { connection } = gateway.gateway;
    await connection.db!.command({ profile: 2 });
    const notifyUrl = receiver.url;
    for (const [index, card] of ['4111111111111111', '4000000000003063'].entries()) {
      const headers = { 'Idempotency-Key': `key ${index}` };
      const answer = await gateway.post('/payments/h2h/11', cardBody(card, 25.9, { notifyUrl }), headers);
      const payment = toTestPayment(gateway, answer);
      await payment.waitForStatus(2);
    }
    const order = { amount: 25.9, unit: 'EUR', clientEmail: 'ana@shop.example', notifyUrl };
    const { id } = (await gateway.post('/payment-requests', order, { 'Idempotency-Key': 'create' })).json
      .paymentRequest;
    await gateway.post('/payment-requests/batch', { paymentRequests: [order, order] }, { 'Idempotency-Key': 'batch' });
    await gateway.post(`/payments/creditCard/${id}`, cardBody('4000000000000002'));
    await playLaterSteps(notifyUrl);
    await gateway.work();
    await connection.db!.command({ profile: 0 });

    const profiled = await connection.db!.collection<Profiled>('system.profile').find().toArray();
    const asked = profiled.flatMap((one) => {
      const name = one.ns.slice(one.ns.indexOf('.') + 1);
      const filter = filterOf(one);
      const shard = shardKeys[name];
      return shard && filter
        ? [{ name, filter, isAtOne: isOnNamedShards(filter, shard.key), isOfOne: isSingleChange(one) }]
        : [];
    });
    // A sharded MongoDB before 7.1 refuses these operations, whatever index they have.
    const refused = asked.filter(({ isAtOne, isOfOne }) => isOfOne && !isAtOne);
    expect(refused.map(({ name, filter }) => `${name} by ${Object.keys(filter).join(', ')}`)).to.deep.equal([]);
    const everywhere = asked
      .filter(({ isAtOne, filter }) => !isAtOne && !waiting.some((member) => member in filter))
      .map(({ name, filter }) => `${name} by ${Object.keys(filter).sort().join(', ')}`);
    expect(asked.filter(({ isAtOne }) => isAtOne).length).to.be.above(10);
    expect([...new Set(everywhere)]).to.deep.equal([]);
    const within = profiled.filter(({ command }) => command?.['autocommit'] === false);
    expect(within, 'commands of transactions').to.have.length.above(0);
    // A sharded MongoDB before 8.0 accepts no joins in a transaction.
    expect(within.filter(({ command }) => /\$(lookup|unionWith)/.test(JSON.stringify(command)))).to.deep.equal([]);
    const lookups = profiled
      .flatMap(({ command }) => lookupsIn(command?.['pipeline']))
      .filter(({ from, foreignField }) => shardKeys[from] && shardKeys[from].key !== foreignField)
      .map(({ from, foreignField }) => `${from} by ${foreignField}`);
    expect([...new Set(lookups)]).to.deep.equal(joined);
  });
});
