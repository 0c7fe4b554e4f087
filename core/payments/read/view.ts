/** Presents payment requests with what other collections know of their owner and client. */
import type { Owner } from '../../access/index.ts';
import type { PaymentRecord } from '../../documents/payment-request.ts';
import type { PaymentRequestView } from '../service.ts';
import { depositOf, type DepositChange } from '../state/deposits.ts';
import type { Clients } from '../store/clients.ts';
import { presentPayment } from './present.ts';

export interface Views {
  /** `before`: as it is stored, where `record` is what it is about to become. */
  present(record: PaymentRecord, before?: PaymentRecord): Promise<PaymentRequestView>;
  /** As they are stored; what they share is looked up once. */
  presentAll(records: readonly PaymentRecord[]): Promise<PaymentRequestView[]>;
}

export interface ViewsDeps {
  readonly clients: Pick<Clients, 'get' | 'totalDeposits'>;
  readonly ownerOf: (ownerId: number) => Promise<Pick<Owner, 'name' | 'reportingCurrency'> | undefined>;
  readonly publicUrl: string;
}

export function createViews({ clients, ownerOf, publicUrl }: ViewsDeps): Views {
  async function presentAll(
    records: readonly PaymentRecord[],
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
  };
}
