/**
 * Stores the accounts that operators create at run time.
 *
 * A change of an account and the next version of the adapter states are one transaction, so every process loads the
 * account as it loads a changed state. The transaction fails if the states have changed since the account was checked:
 * two changes that contradict each other, such as two accounts with one key, cannot both be stored.
 */
import type { Connection } from 'mongoose';
import { accountModel, type AccountDocument } from '../../../database/collections/account.ts';
import { ConflictError } from '../../../database/transaction.ts';
import { HeldMoneyError, isMoneyHeld, readHeldMoney } from '../states/account-money.ts';
import type { AdapterStateStore, States } from '../states/adapter-states.ts';
import { awaitFollowers } from '../states/await-followers.ts';
import { accountProblem } from './account-problem.ts';
import { findAccount } from './account-views.ts';

export type Found = AccountDocument | null;

export interface AccountStoreDeps {
  readonly connection: Connection;
  readonly adapterStates: AdapterStateStore;
  readonly now: () => Date;
}

const maxTries = 20;

export function createAccountStore({ connection, adapterStates, now }: AccountStoreDeps) {
  const model = accountModel(connection);

  const find = async (ref: string): Promise<Found> => findAccount(connection, ref);

  /** Computes and stores the next document. Computes again if another process has changed anything. */
  async function change(
    ref: string,
    step: (found: Found, states: States) => Promise<AccountDocument>,
  ): Promise<{ readonly before: Found; readonly after: AccountDocument }> {
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { version: from, states } = await adapterStates.read();
      const before = await find(ref);
      const after = await step(before, states);
      const isStored = await connection
        .transaction(async (session) => {
          if (!before) await model.insertMany([after], { session });
          else {
            const { matchedCount } = await model.replaceOne({ _id: ref, version: before.version }, after, { session });
            if (matchedCount === 0) throw new ConflictError();
          }
          if (!(await adapterStates.announce(from, session))) throw new ConflictError();
          return true;
        })
        .catch((error: unknown) => {
          if (error instanceof ConflictError) return false;
          throw error;
        });
      if (isStored) return { before, after };
    }
    throw new Error('the accounts kept changing: try again');
  }

  /**
   * Runs the work while no process submits payments to the account, and only if no money depends on it. A process that
   * dies here leaves the account draining.
   */
  async function withoutMoney<T>(
    ref: string,
    sides: readonly boolean[],
    cure: string,
    work: () => Promise<T>,
  ): Promise<T> {
    const demandNone = async (): Promise<void> => {
      const held = await readHeldMoney(connection, ref, now(), sides);
      if (isMoneyHeld(held)) throw new HeldMoneyError(ref, held, cure);
    };
    await demandNone();
    const { version: current, states } = await adapterStates.read();
    const isOn = (states[ref] ?? 'on') === 'on';
    // An account that is not on may have been turned off a moment ago, and a process may still submit payments to it.
    const version = isOn ? await adapterStates.set(ref, 'draining', 'the account is being changed') : current;
    try {
      const { behind } = await awaitFollowers(adapterStates, version);
      if (behind.length > 0)
        throw accountProblem(`${behind.map(({ _id }) => _id).join(', ')} did not drain ${ref} in time: try again`);
      // A payment may have been submitted after the first count.
      await demandNone();
      return await work();
    } finally {
      // An operator may have turned it off in the meantime.
      const { states: latest } = await adapterStates.read();
      if (isOn && latest[ref] === 'draining') await adapterStates.set(ref, 'on', 'the account was changed');
    }
  }

  return { find, change, withoutMoney };
}
