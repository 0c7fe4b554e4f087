import { nextText } from '../payment-text.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import { paymentRequestModel, type PaymentRecord } from '../../database/collections/payment-request.ts';
import { createPaymentChecks, type PaymentDetails } from '../../engine/payments/index.ts';
import { withDatabase } from '../with-database.ts';
import { defineCommand, readTime, UsageError } from '../command.ts';
import { readPaymentId } from '../payment-id.ts';
import { operatorOf } from '../operator.ts';
import { reconcileSince } from './payments-reconcile-since.ts';
import { readPayment } from './payments.ts';

const limitMs = 60_000;
const pollMs = 200;

export const paymentsReconcile = defineCommand({
  options: {
    since: {
      type: 'string',
      value: '<time>',
      help: 'all payments that were open at this time or later, or were paid before it',
    },
    adapter: { type: 'string', value: '<name>', help: 'with --since: only payments of this adapter' },
    reason: { type: 'string', value: '<text>', help: 'the reason, for the audit log' },
    json: { type: 'boolean', help: 'print JSON: like payments show, or the result of each adapter' },
  },
  notes: [
    'The workers of a running service do the checks. For one payment, the command waits up to a minute for the result.',
    'With --since, the provider is asked about each payment that was open then or later, or was paid at most',
    'payments.catchUpPaidDays (180) days before, also if it was refunded or disputed since. Newest first, 50 at a time.',
    'The workers store the progress. After Ctrl-C or a crash they continue, and the same command shows the progress again.',
  ],
  async run({ values, operands: [given], shell }) {
    const since = readTime(values.since, '--since');
    if (since && given !== undefined) throw new UsageError('Use either a payment id or --since.');
    if (since) return reconcileSince(shell, since, values);
    if (values.adapter !== undefined) throw new UsageError('--adapter needs --since.');
    if (given === undefined) throw new UsageError('Give a payment id, or --since <time>.');
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
