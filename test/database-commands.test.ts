import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import type { IdempotencyRecord } from '../core/access/index.ts';
import { until } from '../core/testing/until.ts';
import { cardBody } from './support/bodies.ts';
import { countCommands, type CommandCount } from './support/count-commands.ts';
import { startGateway, type TestGateway } from './support/start-gateway.ts';

/** Every command is a round trip, and each write waits for a majority: these numbers are what a payment costs. */
describe('the commands to the database', function () {
  this.timeout(300_000);
  let gateway: TestGateway;
  let count: CommandCount;
  before(async () => {
    gateway = await startGateway({
      adapters: ['provider-a'],
      works: false,
      delayMs: 0,
      config: (config) => {
        config.keys.rateLimitPerMinute = 1_000_000;
      },
    });
    count = countCommands();
  });
  after(async () => {
    count.end();
    await gateway.close();
  });

  async function submit(isKeyed: boolean): Promise<void> {
    const response = await fetch(`${gateway.url}/payments/h2h/11`, {
      method: 'POST',
      headers: {
        'X-API-Key': gateway.key,
        'Content-Type': 'application/json',
        ...(isKeyed && { 'Idempotency-Key': randomUUID() }),
      },
      body: cardBody('4111111111111111', '25.90'),
    });
    expect(await response.text()).to.equal('OK');
  }

  /** Without the sandbox's callbacks. */
  const commandsOf = (): string[] => count.ofWork.filter((one) => !one.endsWith(' inbox'));
  const exchangesKept = async (): Promise<unknown> =>
    until('the exchanges are kept', async () => count.commands.some((command) => command.endsWith(' exchanges')));

  for (const [what, isKeyed, alone] of [
    ['a submit', false, 6],
    ['a submit with an Idempotency-Key', true, 8],
  ] as const) {
    it(`are at most ${alone} for ${what} alone`, async () => {
      const counts: string[][] = [];
      // API keys and owners are read again every few seconds.
      for (let times = 0; times < 10; times += 1) {
        count.forget();
        await submit(isKeyed);
        await exchangesKept();
        counts.push(commandsOf());
      }
      const fewest = counts.reduce((one, other) => (other.length < one.length ? other : one));
      expect(fewest.length, fewest.join(', ')).to.be.within(4, alone);
    });
  }

  /** As many as the server answers while the next ones gather: the first alone, the others together. */
  const together = 3;
  const many = 64;

  async function commandsFor(what: string, act: (index: number) => Promise<unknown>): Promise<number> {
    count.forget();
    await Promise.all(Array.from({ length: many }, async (_, index) => act(index)));
    return count.commands.filter((one) => one === what).length;
  }

  it(`are at most ${together} to store ${many} payments at once, and as many to change them`, async () => {
    const { store } = gateway.gateway.payments;
    const { paymentRequest } = (await gateway.post('/payments/h2h/11', cardBody('4111111111111111', '25.90'))).json;
    const record = (await store.load(paymentRequest.id))!;
    const copies = Array.from({ length: many }, (_, index) => ({ ...record, _id: record._id + 1e6 + index }));
    const inserts = await commandsFor('insert paymentRequests', async (index) => store.insert(copies[index]!));
    const changes = await commandsFor('update paymentRequests', async (index) =>
      store.change(copies[index]!, 'r', (current) => ({ next: { ...current, notes: 'changed' } })),
    );
    expect([inserts, changes].map((commands) => commands >= 1 && commands <= together)).to.deep.equal([true, true]);
  });

  it(`are at most ${together} to begin ${many} requests with an Idempotency-Key at once, and as many to end them`, async () => {
    const { idempotency } = gateway.gateway.access;
    const records: IdempotencyRecord[] = [];
    const response = { status: 200, headers: {}, body: {} };
    const begins = await commandsFor('update idempotencyRecords', async () => {
      const request = { ownerId: 1, environment: 'test', key: randomUUID(), fingerprint: 'f', requestId: 'r' } as const;
      const begun = await idempotency.begin(request);
      if (begun.state === 'new') records.push(begun.record);
    });
    expect(records).to.have.length(many);
    const ends = await commandsFor('update idempotencyRecords', async (index) =>
      idempotency.complete(records[index]!, response),
    );
    expect([begins, ends].map((commands) => commands >= 1 && commands <= together)).to.deep.equal([true, true]);
  });
});
