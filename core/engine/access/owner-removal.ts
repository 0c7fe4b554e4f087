/**
 * Removes owners and restores them. Two operators may do both at the same time: while the keys and links of an owner
 * are being revoked, nothing restores it, so a removal never revokes what a restored owner got since.
 */
import type { Model } from 'mongoose';
import { invalidField, notFound } from '../../base/errors.ts';
import { MINUTE } from '../../base/async/time.ts';
import type { OwnerDocument } from '../../database/collections/owner.ts';

/** `T`: an owner as the domain shows it. */
export interface OwnerRemoval<T> {
  /**
   * Hides the owner from `find` and `list`. `revoke` ends what belongs to it; the owner is shown again if `revoke`
   * rejects. Throws NF001 for an unknown owner. May be repeated if the process died.
   */
  remove(name: string, revoke: (owner: T) => Promise<void>): Promise<void>;
  /** True if the owner is not removed, and not being removed, at this moment. */
  isPresent(ownerId: number): Promise<boolean>;
}

export interface OwnerRemovalDeps<T> {
  readonly owners: Model<OwnerDocument>;
  readonly recent: { forget(ownerId: number): void };
  /** Reads a document as the domain needs it. */
  readonly plainRead: { readonly lean: true; readonly promoteBuffers: true; readonly projection: object };
  readonly toOwner: (document: OwnerDocument) => T;
  readonly now: () => Date;
}

export const notRemoved = { removedAt: { $exists: false } } as const;
/** A removal takes at most this long, unless its process died. */
const removingMs = MINUTE;

export function createOwnerRemoval<T>({
  owners,
  recent,
  plainRead,
  toOwner,
  now,
}: OwnerRemovalDeps<T>): OwnerRemoval<T> & {
  /** Undefined: no owner of this name is removed. Throws VAL002 while the owner is being removed. */
  readonly restore: (name: string) => Promise<T | undefined>;
} {
  async function show(filter: object): Promise<T | undefined> {
    const shown: OwnerDocument | null = await owners.findOneAndUpdate(
      { ...filter, removedAt: { $exists: true } },
      { $unset: { removedAt: 1, removingUntil: 1 } },
      { ...plainRead, returnDocument: 'after' },
    );
    if (!shown) return undefined;
    recent.forget(shown._id);
    return toOwner(shown);
  }

  async function restore(name: string): Promise<T | undefined> {
    const restored = await show({
      name,
      $or: [{ removingUntil: { $exists: false } }, { removingUntil: { $lt: now() } }],
    });
    if (!restored && (await owners.exists({ name, removingUntil: { $exists: true } })))
      throw invalidField('owner', name, 'is being removed by another operator: try again in a moment');
    return restored;
  }

  return {
    restore,

    isPresent: async (ownerId) => (await owners.exists({ _id: ownerId, ...notRemoved })) !== null,

    async remove(name, revoke) {
      const at = now();
      const removed: OwnerDocument | null = await owners.findOneAndUpdate(
        { name, $or: [notRemoved, { removingUntil: { $lt: at } }] },
        { $set: { removedAt: at, removingUntil: new Date(at.getTime() + removingMs) } },
        plainRead,
      );
      if (!removed) throw notFound(`merchant ${name}`);
      const { _id } = removed;
      recent.forget(_id);
      try {
        await revoke(toOwner(removed));
      } catch (error) {
        await show({ _id });
        throw error;
      }
      await owners.updateOne({ _id }, { $unset: { removingUntil: 1 } });
    },
  };
}
