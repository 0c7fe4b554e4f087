/** Presents payment requests with what other collections know of their owner and client. */
import type { PaymentRecord } from '../../documents/payment-request.ts';
import type { PaymentRequestView } from '../service.ts';
import type { Clients } from '../store/clients.ts';
import { presentPayment } from './present.ts';

export interface Views {
  present(record: PaymentRecord): Promise<PaymentRequestView>;
  /** As they are stored; what they share is looked up once. */
  presentAll(records: readonly PaymentRecord[]): Promise<PaymentRequestView[]>;
}

export interface ViewsDeps {
  readonly clients: Clients;
  readonly ownerNameOf: (ownerId: number) => Promise<string>;
  readonly publicUrl: string;
}

export function createViews({ clients, ownerNameOf, publicUrl }: ViewsDeps): Views {
  async function presentWith(record: PaymentRecord, total: Promise<string>): Promise<PaymentRequestView> {
    const [ownerName, client, totalDeposits] = await Promise.all([
      ownerNameOf(record.ownerId),
      clients.get(record.clientId),
      total,
    ]);
    if (!client) throw new Error(`client ${record.clientId} of payment request ${record._id} is not stored`);
    return presentPayment(record, { publicUrl, ownerName, client, totalDeposits });
  }

  return {
    present: async (record) => presentWith(record, clients.totalDeposits(record)),
    async presentAll(records) {
      const totals = new Map<number, Promise<string>>();
      const totalOf = (record: PaymentRecord): Promise<string> => {
        const total = totals.get(record.clientId) ?? clients.totalDeposits(record);
        totals.set(record.clientId, total);
        return total;
      };
      return Promise.all(records.map(async (record) => presentWith(record, totalOf(record))));
    },
  };
}
