/** Presents payment requests together with what other collections know of their owner and client. */
import type { Owner } from '../../access/index.ts';
import type { Client } from '../../../database/collections/client.ts';
import type { Deposit, DepositSums } from '../../../database/collections/deposit.ts';
import type { PaymentRecord } from '../../../database/collections/payment-request.ts';
import type { PaymentRequestView } from '../types/answer.ts';
import { changeSums, depositOf, type DepositChange } from '../clients/deposits.ts';
import type { Clients } from '../clients/clients.ts';
import { presentPayment, type ShownRecord } from './present-payment.ts';

export interface Views {
  /** `before`: the payment as it is stored, if `record` is what it is about to become. */
  present(record: PaymentRecord, before?: PaymentRecord): Promise<PaymentRequestView>;
  /** The records as they are stored. What they share is read once. */
  presentAll(records: readonly ShownRecord[]): Promise<PaymentRequestView[]>;
  /**
   * For payments that are about to change together: what each becomes counts for the payments that are presented after
   * it. `known`: their clients, as they are stored.
   */
  presenterOf(known: ReadonlyMap<number, Client>): PresentNext;
}

export type PresentNext = (record: PaymentRecord, before: PaymentRecord) => Promise<PaymentRequestView>;

export interface ViewsDeps {
  readonly clients: Pick<Clients, 'get' | 'totalDeposits'>;
  readonly ownerOf: (ownerId: number) => Promise<Pick<Owner, 'name' | 'reportingCurrency'> | undefined>;
  readonly publicUrl: string;
}

export function createViews({ clients, ownerOf, publicUrl }: ViewsDeps): Views {
  async function presentAll(
    records: readonly ShownRecord[],
    changes: readonly DepositChange[] = [],
  ): Promise<PaymentRequestView[]> {
    const ownerIds = [...new Set(records.map(({ ownerId }) => ownerId))];
    const [known, ...owners] = await Promise.all([
      clients.get([...new Set(records.map(({ clientId }) => clientId))]),
      ...ownerIds.map(async (id) => ownerOf(id)),
    ]);
    const ownerOfId = new Map(ownerIds.map((id, at) => [id, owners[at]]));
    const totals = new Map<number, string>();
    return records.map((record) => {
      const { _id, ownerId, clientId } = record;
      const { name: ownerName = '', reportingCurrency = null } = ownerOfId.get(ownerId) ?? {};
      const client = known.get(clientId);
      if (!client) throw new Error(`client ${clientId} of payment request ${_id} is not stored`);
      const totalDeposits = totals.get(clientId) ?? clients.totalDeposits(client.deposits, reportingCurrency, changes);
      totals.set(clientId, totalDeposits);
      return presentPayment(record, { publicUrl, ownerName, client, totalDeposits });
    });
  }

  return {
    async present(record, before) {
      const changes = before ? [{ before: depositOf(before), after: depositOf(record) }] : [];
      const [view] = await presentAll([record], changes);
      return view!;
    },
    presentAll,
    presenterOf(known) {
      const sums = new Map<number, DepositSums>();
      const presented = new Map<number, Deposit | null>();
      return async (record, before) => {
        const { _id, ownerId, clientId } = record;
        const { name: ownerName = '', reportingCurrency = null } = (await ownerOf(ownerId)) ?? {};
        const client = known.get(clientId);
        if (!client) throw new Error(`client ${clientId} of payment request ${_id} is not stored`);
        const counted = presented.get(_id);
        const change = { before: counted === undefined ? depositOf(before) : counted, after: depositOf(record) };
        const deposits = changeSums(sums.get(clientId) ?? client.deposits, [change]);
        sums.set(clientId, deposits);
        presented.set(_id, change.after);
        const totalDeposits = clients.totalDeposits(deposits, reportingCurrency);
        return presentPayment(record, { publicUrl, ownerName, client, totalDeposits });
      };
    },
  };
}
