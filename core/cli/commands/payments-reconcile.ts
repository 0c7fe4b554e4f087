import { setTimeout as sleep } from 'node:timers/promises';
import { fromDocument } from '../../documents/decimals.ts';
import { paymentRequestModel, status, type PaymentRecord } from '../../documents/payment-request.ts';
import { requestCheck } from '../../payments/index.ts';
import { withDatabase } from '../../../workers/supervisor/with-database.ts';
import { defineCommand, UsageError } from '../command.ts';

const limitMs = 60_000;
const pollMs = 200;
const statusNames = new Map(Object.entries(status).map(([name, id]) => [id, name]));

export const paymentsReconcile = defineCommand({
  options: {},
  notes: ['The workers of a running service do it; the command waits up to a minute for what comes of it.'],
  async run({ operands: [given], shell }) {
    if (!/^\d{1,16}$/.test(given ?? '')) throw new UsageError('<payment id> must be the number of a payment request.');
    const id = Number(given);
    return withDatabase(shell, async ({ connection }) => {
      const model = paymentRequestModel(connection);
      const load = async (): Promise<PaymentRecord | undefined> => {
        const found = await model.findById(id).lean();
        return found ? (fromDocument(found) as PaymentRecord) : undefined;
      };
      const before = await load();
      if (!before || !(await requestCheck(connection, id))) throw new Error(`There is no payment request ${id}.`);
      shell.print(describe(before));
      if (!before.attempts.length) {
        shell.print('It was never submitted: no provider knows it.');
        return 0;
      }
      for (const end = Date.now() + limitMs; Date.now() < end; await sleep(pollMs)) {
        const now = await load();
        if (!now || now.attempts.some(isRequested)) continue;
        shell.print(describe(now));
        return 0;
      }
      shell.stderr(
        'No worker has checked it yet: it is due, and the service checks it when it runs and the provider answers.',
      );
      return 1;
    });
  },
});

function isRequested({ fetchesRequested, fetchesDone }: PaymentRecord['attempts'][number]): boolean {
  return fetchesRequested > fetchesDone;
}

function describe({ _id, statusId, attempts, refunds, nextCheckAt }: PaymentRecord): string {
  const parts = [
    ...attempts.map(({ reference, adapter, outcome }) => `${reference} at ${adapter} ${outcome}`),
    ...refunds.map(({ reference, state }) => `refund ${reference} ${state}`),
    `next check ${nextCheckAt?.toISOString() ?? 'none'}`,
  ];
  return `payment ${_id} is ${statusNames.get(statusId)}: ${parts.join(', ')}`;
}
