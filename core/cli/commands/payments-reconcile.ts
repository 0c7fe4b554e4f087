import { nextText } from '../payment-text.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { paymentRequestModel, type PaymentRecord } from '../../database/collections/payment-request.ts';
import { createPaymentChecks, type PaymentDetails } from '../../engine/payments/index.ts';
import { withDatabase } from '../with-database.ts';
import { defineCommand } from '../command.ts';
import { readPaymentId } from '../payment-id.ts';
import { operatorOf } from '../operator.ts';
import { readPayment } from './payments.ts';

const limitMs = 60_000;
const pollMs = 200;

export const paymentsReconcile = defineCommand({
  options: {
    reason: { type: 'string', value: '<text>', help: 'the reason, for the audit log' },
    json: { type: 'boolean', help: 'print JSON, like payments show' },
  },
  notes: ['The workers of a running service do the check. The command waits up to a minute for the result.'],
  async run({ values, operands: [given], shell }) {
    const id = readPaymentId(given);
    return withDatabase(shell, async (access) => {
      const { connection, audit } = access;
      const model = paymentRequestModel(connection);
      const isChecked = async (): Promise<boolean> => {
        const found = await model.findById(id, { 'attempts.fetchesRequested': 1, 'attempts.fetchesDone': 1 }).lean();
        return found?.attempts.every(isFetched) === true;
      };
      const show = async (): Promise<void> => {
        const { story, owner } = await readPayment(access, id);
        shell.print(values.json ? JSON.stringify({ ...story, owner }) : describe(story));
      };
      const { story } = await readPayment(access, id);
      await createPaymentChecks({ connection, audit }).reconcile(operatorOf(shell), id, values.reason);
      if (story.attempts.length === 0) {
        await show();
        shell.stderr('The payment was never submitted: no provider knows it.');
        return 0;
      }
      if (!values.json) shell.print(describe(story));
      for (const end = Date.now() + limitMs; Date.now() < end; await sleep(pollMs)) {
        if (!(await isChecked())) continue;
        await show();
        return 0;
      }
      if (values.json) await show();
      shell.stderr(
        'No worker has checked the payment yet: it is due, and is checked when the service runs and the provider answers.',
      );
      return 1;
    });
  },
});

function isFetched({ fetchesRequested, fetchesDone }: PaymentRecord['attempts'][number]): boolean {
  return fetchesRequested <= fetchesDone;
}

function describe({ id, status, attempts, refunds, next }: PaymentDetails): string {
  const parts = [
    ...attempts.map(({ reference, adapter, outcome }) => `${reference} at ${adapter} ${outcome}`),
    ...refunds.map(({ reference, state }) => `refund ${reference} ${state}`),
    ...next.map((step) => `${step.at?.toISOString() ?? 'then'} ${nextText(step)}`),
  ];
  return `payment ${id} is ${status}: ${parts.join(', ')}`;
}
