/** The clients of payments that change together, read once: who is shown, who is counted along, and whose first paid request it is. */
import type { Client } from '../../../database/collections/client.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { ChangeContext } from './change-many.ts';
import type { Clients } from '../clients/clients.ts';
import type { CountInline } from '../clients/inline-deposit-count.ts';
import { becomesPaid, type WantedChange } from './next-record.ts';

export interface ChangeClients extends Pick<ChangeContext, 'firstTimeType' | 'inlineCount'> {
  readonly clients: ReadonlyMap<number, Client>;
}

/**
 * `known`: clients that need not be asked for. `isRepeated`: somebody else was quicker before, so nothing is counted along.
 * Nor is a change that comes alone: its merchant waits for one command less, and the job counts it with others.
 */
export type ReadChangeClients = (
  changes: readonly WantedChange[],
  known: ReadonlyMap<number, Client>,
  isRepeated: boolean,
) => Promise<ChangeClients>;

export function createReadChangeClients(
  clients: Pick<Clients, 'get' | 'firstTimeTypes'>,
  countInline: CountInline,
): ReadChangeClients {
  return async (changes, known, isRepeated) => {
    const unknown = new Set(changes.map(({ next }) => next.clientId).filter((id) => !known.has(id)));
    const ofChanges = new Map([...known, ...(unknown.size ? await clients.get([...unknown]) : [])]);
    const inlineCount = isRepeated || changes.length === 1 ? undefined : countInline(changes, ofChanges);
    const typeOf = new Map<number, 1 | 2>();
    const others: PaymentRecord[] = [];
    for (const { before, next } of changes) {
      if (!becomesPaid(before, next)) continue;
      const type = inlineCount?.firstTimeType(next);
      if (type) typeOf.set(next._id, type);
      else others.push(next);
    }
    const types = others.length ? await clients.firstTimeTypes(others) : [];
    for (const [index, { _id }] of others.entries()) typeOf.set(_id, types[index]!);
    return { clients: ofChanges, inlineCount, firstTimeType: async ({ _id }) => typeOf.get(_id)! };
  };
}
