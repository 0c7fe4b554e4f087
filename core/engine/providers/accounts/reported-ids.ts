/**
 * Keeps the id by which the provider names each account, as the latest successful check showed it. Credentials of
 * another account pass every other check, and fetches with them answer "not found".
 */
import { isDeepStrictEqual } from 'node:util';
import { defined } from '@paywright/contract';
import type { Connection } from 'mongoose';
import type { RunConfig } from '../../../base/run-config.ts';
import { accountModel, type AccountDocument } from '../../../database/collections/account.ts';
import { adapterStatesModel, type ReportedIds } from '../../../database/collections/adapter-state.ts';
import { optionsOf } from '../adapter-context.ts';
import { withCallsOf } from '../ask-provider.ts';
import { reportedIdOf, type KeepReportedId } from '../check-account.ts';
import type { ActiveAdapter } from '../load/load-adapters.ts';
import { HeldMoneyError, isMoneyHeld, readHeldMoney } from '../states/account-money.ts';

const maxTries = 5;

export function createReportedIds(connection: Connection, now: () => Date): KeepReportedId {
  return async (ref, sandbox, id) => {
    const side = sandbox ? 'test' : 'live';
    for (let tries = 0; tries < maxTries; tries += 1) {
      const { known, store } = await find(connection, ref, side);
      if (known === id) return undefined;
      if (known !== undefined) {
        const held = await readHeldMoney(connection, ref, now(), [sandbox]);
        if (isMoneyHeld(held)) return new HeldMoneyError(ref, held, describeOtherId({ known, id })).message;
      }
      if (await store(id)) return undefined;
    }
    throw new Error(`the id of ${ref} kept changing: try again`);
  };
}

/** The id by which the provider named an account, and the one that it names with the options to be stored. */
export interface AskedId {
  readonly sandbox: boolean;
  readonly known: string;
  /** Undefined: the check did not succeed, or shows no id. */
  readonly id: string | undefined;
}

export function isOther({ known, id }: AskedId): boolean {
  return known !== id;
}

/** Asks about the sides whose account the provider named before and whose options change. */
export async function askForIds(
  { provider, server, keys }: Pick<RunConfig['config'], 'provider' | 'server' | 'keys'>,
  reportedIds: ReportedIds,
  before: ActiveAdapter | undefined,
  next: ActiveAdapter,
): Promise<readonly AskedId[]> {
  const sides = [false, true].flatMap((sandbox) => {
    const known = reportedIds[sandbox ? 'test' : 'live'];
    const isChanged = !before || !isDeepStrictEqual(optionsOf(before, sandbox), optionsOf(next, sandbox));
    return known !== undefined && isChanged ? [{ sandbox, known }] : [];
  });
  if (sides.length === 0) return [];
  const settings = { config: provider, publicUrl: server.publicUrl, callbackSandbox: !keys.liveKeys };
  return withCallsOf(next, settings, async (calls) =>
    Promise.all(
      sides.map(async ({ sandbox, known }) => {
        return { sandbox, known, id: reportedIdOf(await calls.checkAccount(next.ref, sandbox)) };
      }),
    ),
  );
}

/** The account with the ids that were asked for. Without an id, the next check keeps the one that it shows. */
export function withIds(document: AccountDocument, asked: readonly AskedId[]): AccountDocument {
  if (asked.length === 0) return document;
  const ids = asked.map(({ sandbox, id }) => [sandbox ? 'test' : 'live', id] as const);
  return { ...document, reportedIds: defined({ ...document.reportedIds, ...Object.fromEntries(ids) }) };
}

/** Says what is wrong with the first of the ids. Undefined: nothing. */
export function describeOtherIds(asked: readonly AskedId[]): string | undefined {
  const other = asked.find(isOther);
  return other && describeOtherId(other);
}

function describeOtherId({ known, id }: Pick<AskedId, 'known' | 'id'>): string {
  const is = id === undefined ? 'its answer to the new options names none' : `with these options it is ${id}`;
  return `The provider named this account ${known}, and ${is}. Use options of ${known}, or create a new account.`;
}

/** The known id, and how to replace it. False: another process has replaced it. */
async function find(connection: Connection, ref: string, side: keyof ReportedIds) {
  const accounts = accountModel(connection);
  const stored = await accounts.findById(ref, { reportedIds: 1 }).lean();
  if (stored) {
    const known = stored.reportedIds?.[side];
    const member = `reportedIds.${side}`;
    return {
      known,
      store: async (id: string): Promise<boolean> => {
        // A new version, so that a change of the account at the same time does not lose the id.
        const filter = { _id: ref, removedAt: { $exists: false }, [member]: known ?? { $exists: false } };
        const { matchedCount } = await accounts.updateOne(filter, { $set: { [member]: id }, $inc: { version: 1 } });
        return matchedCount > 0;
      },
    };
  }
  const states = adapterStatesModel(connection);
  const known = (await states.findById('adapters', { reportedIds: 1 }).lean())?.reportedIds?.[ref]?.[side];
  const member = `reportedIds.${ref}.${side}`;
  return {
    known,
    store: async (id: string): Promise<boolean> => {
      const filter = { _id: 'adapters' as const, [member]: known ?? { $exists: false } };
      const { matchedCount } = await states.updateOne(filter, { $set: { [member]: id } });
      return matchedCount > 0;
    },
  };
}
