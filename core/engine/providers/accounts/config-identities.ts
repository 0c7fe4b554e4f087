/**
 * Keeps the identity of each account of config while money depends on it. Fetches at another identity answer "not
 * found", and the core would believe that nothing was charged. The identities of the latest start are stored next to
 * the adapter states. A start with others is refused, and so is turning on an account whose options changed while it
 * was off.
 */
import { isDeepStrictEqual } from 'node:util';
import type { Connection } from 'mongoose';
import type { RunConfig } from '../../../base/run-config.ts';
import { adapterStatesModel, type AccountIdentity } from '../../../database/collections/adapter-state.ts';
import { keepsIdentity } from '../account-keys.ts';
import { parseAccountRef } from '../account-ref.ts';
import type { LoadedAdapter } from '../load/load-adapters.ts';
import { HeldMoneyError, isMoneyHeld, readHeldMoney } from '../states/account-money.ts';
import { fileStates } from '../states/adapter-states.ts';

/** Thrown at a start whose config changes or removes accounts on which money depends. */
export class IdentityError extends Error {
  override readonly name = 'IdentityError';
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(problems.join('\n'));
    this.problems = problems;
  }
}

const restore = 'Its identity is changed in the config files: restore it there, and add a new account instead.';
const addAgain = 'It is missing in the config files: add it again. It may be draining or off.';

/** Throws an IdentityError, or stores the identities of this config. */
export async function keepConfigIdentities(
  connection: Connection,
  config: RunConfig['config'],
  loaded: readonly LoadedAdapter[],
  now: Date,
): Promise<void> {
  const model = adapterStatesModel(connection);
  const known = (await model.findById('adapters').lean())?.identities ?? {};
  const listed = Object.keys(fileStates(config));
  const byRef = new Map(loaded.map((one) => [one.ref, one]));
  const problems: string[] = [];
  const demandNone = async (ref: string, sides: readonly boolean[], cure: string): Promise<void> => {
    const held = await readHeldMoney(connection, ref, now, sides);
    if (isMoneyHeld(held)) problems.push(new HeldMoneyError(ref, held, cure).message);
  };

  const set: Record<string, AccountIdentity> = {};
  for (const ref of listed) {
    const found = byRef.get(ref);
    const [before, keys] = [known[ref], found?.adapter ? found.keys : {}];
    const sides = [false, true].filter((sandbox) => {
      const side = sandbox ? 'test' : 'live';
      return before?.[side] !== undefined && keys[side] !== undefined && !keepsIdentity(before[side], keys[side]);
    });
    if (sides.length > 0) await demandNone(ref, sides, restore);
    const next = { ...before, ...keys };
    if (!isDeepStrictEqual(before, next)) set[`identities.${ref}`] = next;
  }
  const removed = Object.keys(known).filter((ref) => {
    // An adapter that is no longer in config is not called any more, whatever its accounts are.
    return !listed.includes(ref) && ref.includes('/') && listed.includes(parseAccountRef(ref).adapter);
  });
  for (const ref of removed) await demandNone(ref, [false, true], addAgain);
  if (problems.length > 0) throw new IdentityError(problems);
  const unset = Object.fromEntries(removed.map((ref) => [`identities.${ref}`, '']));
  if (Object.keys(set).length + removed.length > 0)
    await model.updateOne({ _id: 'adapters' }, { $set: set, ...(removed.length > 0 && { $unset: unset }) });
}
