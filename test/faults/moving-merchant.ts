/**
 * A merchant whose assigned account changes all the time, while its payments are submitted, their callbacks arrive, and
 * processes are killed. The provider knows which account it charged: every later fact must belong to that account.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { withDatabase } from '../../core/cli/with-database.ts';
import { createAccounts, mainAccount, type Accounts } from '../../core/engine/providers/index.ts';
import { createAdapterStateStore } from '../../core/engine/providers/states/adapter-states.ts';
import { awaitFollowers } from '../../core/engine/providers/states/await-followers.ts';
import { until } from '../../core/base/testing/until.ts';
import { cardBody } from '../support/bodies.ts';
import { root } from '../support/start-gateway.ts';
import { compareBooks } from './books.ts';
import { call, runConcurrently } from './load.ts';
import {
  callbackKeyOf,
  declinedCallback,
  deliverUntilAcknowledged,
  paidCallback,
  providerCode,
  type FaultsProvider,
} from './provider.ts';
import { isReady, killIfRunning, type Row, type World } from './row.ts';
import type { Service } from './service.ts';

const merchant = 'Moving shop';
const [first, second] = ['first', 'second'] as const;
const otherThan = (account: string): string => (account === first ? second : first);

const amount = 10;
const perSecond = 40;
const killEveryMs = 2000;
const moveEveryMs = 1500;
const refunded = 30;

const by = { type: 'command', name: 'Ada Lovelace', from: 'here' } as const;

export const movingMerchant: Row = {
  name: 'a merchant that moves between two accounts under load, with a kill -9 every 2 s',
  async run(world) {
    const { service, provider, receiver, isLong } = world;
    const count = isLong ? 5000 : 510;
    const caller = { env: service.env, root, stderr: () => undefined };
    return withDatabase(caller, async ({ connection, encrypter, audit, loaded }) => {
      const now = (): Date => new Date();
      const adapterStates = createAdapterStateStore(connection, now);
      const accounts = createAccounts({ connection, encrypter, audit, adapterStates, now, run: loaded });
      const made = await service.command('keys', 'create', '--owner', merchant, '--env', 'sandbox', '--json');
      const { key } = JSON.parse(made) as { readonly key: string };
      for (const account of [first, second])
        await accounts.add(by, `faults/${account}`, {
          options: { account, callbackKey: callbackKeyOf(account) },
          ...(account === first && { assign: [merchant] }),
        });
      await awaitFollowers(adapterStates, (await adapterStates.read()).version);

      const load = startLoad({ service, provider, key, notifyUrl: receiver.url, count });
      const [{ callbacks }, moves, kills] = await Promise.all([
        load.ended,
        move(accounts, load.isOver),
        killEvery(world, load.isOver),
      ]);
      await until('it is ready again', isReady(service), 90_000);
      const ids = load.charged().map(idOf);
      const books = await compareBooks(service.connection, receiver, ids);
      const problems = [...books.problems];
      const target = { url: service.url, key };
      await runConcurrently(8, ids.slice(0, refunded), async (id) => {
        const { status } = await call(target, `/payment-requests/${id}/refund`, '{"amount":2}');
        if (status !== 200) problems.push(`the refund of ${id} was answered ${status}`);
      });
      problems.push(...(await compareAccounts(world, load.charged())));
      const shares = [first, second].map(
        (account) => load.charged().filter((one) => provider.charges.get(one)?.account === account).length,
      );
      if (shares.includes(0)) problems.push('the merchant never used one of its accounts');
      return {
        figures:
          `${ids.length} charges, ${shares.join(' and ')} at the two accounts; ${callbacks} callbacks, ${moves} moves, ` +
          `${kills} kills; ${books.lost} lost, ${books.doubled} doubled`,
        problems,
      };
    });
  },
};

interface LoadOptions {
  readonly service: Pick<Service, 'url'>;
  readonly provider: FaultsProvider;
  readonly key: string;
  readonly notifyUrl: string;
  readonly count: number;
}

/**
 * Submits payments until the provider has made this many charges. A submit without a response is not repeated: its
 * charge counts as well, if it was made. The provider reports each charge immediately, maybe before it answers the
 * submit: at the address of the account, and at the address that all accounts share. Before that, the other account
 * declines the charge at both addresses.
 */
function startLoad({ service, provider, key, notifyUrl, count }: LoadOptions) {
  const charged: string[] = [];
  const delivering: Promise<void>[] = [];
  let [callbacks, isOver] = [0, false];

  async function report(reference: string, account: string): Promise<void> {
    const other = otherThan(account);
    const forged = declinedCallback(reference, amount, other);
    const genuine = paidCallback(reference, amount, account);
    const addresses = (own: string) => [{ account: own }, {}];
    const sent = [
      ...addresses(other).map((at) => ({ message: forged, at })),
      ...addresses(account).map((at) => ({ message: genuine, at })),
    ];
    for (const { message, at } of sent) {
      await deliverUntilAcknowledged(service.url, message, at);
      callbacks += 1;
    }
  }

  provider.onCharge = (reference, account) => {
    charged.push(reference);
    delivering.push(report(reference, account));
  };

  async function submit(): Promise<void> {
    const body = cardBody('4111111111111111', amount, { notifyUrl });
    const answer = await call({ url: service.url, key }, `/payments/h2h/${providerCode}`, body).catch(() => undefined);
    // The API is down.
    if (!answer) await sleep(100);
  }

  async function run(): Promise<{ readonly callbacks: number }> {
    const began = performance.now();
    const lane = async (): Promise<void> => {
      while (charged.length < count) {
        const dueMs = (charged.length * 1000) / perSecond - (performance.now() - began);
        if (dueMs > 0) await sleep(dueMs);
        await submit();
      }
    };
    try {
      await Promise.all(Array.from({ length: 16 }, lane));
      await Promise.all(delivering);
    } finally {
      isOver = true;
      provider.onCharge = () => undefined;
    }
    return { callbacks };
  }

  return { ended: run(), isOver: () => isOver, charged: (): readonly string[] => charged };
}

/** The merchant may use the new account before it loses the old one. */
async function move(accounts: Accounts, isOver: () => boolean): Promise<number> {
  let [from, moves]: [string, number] = [first, 0];
  while (!isOver()) {
    await sleep(moveEveryMs);
    const to = otherThan(from);
    await accounts.set(by, `faults/${to}`, { assign: [merchant] });
    await accounts.set(by, `faults/${from}`, { unassign: [merchant] });
    [from, moves] = [to, moves + 1];
  }
  return moves;
}

/** Kills a worker, or an API that was ready for some time: an API that never becomes ready would stop the load. */
async function killEvery({ service }: World, isOver: () => boolean): Promise<number> {
  let [kills, readyTurns] = [0, 0];
  for (let turn = 0; !isOver(); turn += 1) {
    await sleep(killEveryMs);
    readyTurns = (await isReady(service)()) ? readyTurns + 1 : 0;
    const isApiKilled = readyTurns > 3;
    if (isApiKilled) readyTurns = 0;
    const pids = await service.pids(isApiKilled ? 'API' : 'worker');
    const pid = pids[turn % pids.length];
    if (pid === undefined || isOver()) continue;
    killIfRunning(pid);
    kills += 1;
  }
  return kills;
}

const idOf = (reference: string): number => Number(reference.split('-')[1]);

interface StoredPayment {
  readonly _id: number;
  readonly attempts: readonly { readonly reference: string; readonly account?: string }[];
  readonly logs: readonly { readonly transactionStatusId: number }[];
}

/** Compares the account of each attempt, applied callback and call with the account that was charged. */
async function compareAccounts({ service, provider }: World, charged: readonly string[]): Promise<string[]> {
  const { connection } = service;
  const ids = charged.map(idOf);
  const problems = [...provider.strayCalls];
  const payments = await connection
    .collection<StoredPayment>('paymentRequests')
    .find({ _id: { $in: ids } }, { projection: { attempts: 1, logs: 1 } })
    .toArray();
  const accountOf = new Map<number, string>();
  for (const { _id, attempts, logs } of payments) {
    if (logs.some(({ transactionStatusId }) => transactionStatusId === 3))
      problems.push(`${_id} was declined by a callback of another account`);
    for (const { reference, account = mainAccount } of attempts) {
      const charge = provider.charges.get(reference);
      if (charge && charge.account !== account)
        problems.push(`${reference} of ${account} was charged at ${charge.account}`);
      if (charge && charge.requests > 1) problems.push(`${reference} was submitted ${charge.requests} times`);
      accountOf.set(_id, account);
    }
  }
  const rows = connection.collection('inbox').find({ 'events.paymentRequestId': { $in: ids } });
  for await (const { events, account = mainAccount } of rows)
    for (const { state, paymentRequestId } of events)
      if (state === 'applied' && accountOf.get(paymentRequestId) !== account)
        problems.push(
          `a callback of ${account} was applied to ${paymentRequestId} of ${accountOf.get(paymentRequestId)}`,
        );
  const refunds = [...provider.refunds.values()].filter(({ charge }) => charged.includes(charge));
  if (refunds.length !== refunded) problems.push(`${refunds.length} of ${refunded} refunds reached the provider`);
  return problems;
}
