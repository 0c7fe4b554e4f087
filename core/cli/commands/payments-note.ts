import { pino } from 'pino';
import { createAlarms } from '../../engine/alarms/index.ts';
import { createPaymentReviews, type PaymentReviews } from '../../engine/payments/index.ts';
import { withDatabase, type Access } from '../with-database.ts';
import { json, printResult } from '../json.ts';
import { defineCommand, required, UsageError } from '../command.ts';
import { readPaymentId } from '../payment-id.ts';
import { operatorOf } from '../operator.ts';
import { readPayment } from './payments.ts';

const maxNote = 500;

function reviewsOf({ connection, audit, loaded: { config } }: Access): PaymentReviews {
  const alarms = createAlarms({ connection, config: config.alarms, log: pino({ level: 'silent' }) });
  return createPaymentReviews({ connection, audit, alarms });
}

export const paymentsNote = defineCommand({
  options: { json },
  notes: ['The note is kept in the audit log, and shown on the page of the payment. Do not write personal data.'],
  async run({ values, operands: [given, text = ''], shell }) {
    const id = readPaymentId(given);
    if (text.length < 1 || text.length > maxNote)
      throw new UsageError(`<text> must be a note of 1 to ${maxNote} characters.`);
    return withDatabase(shell, async (access) => {
      await readPayment(access, id);
      await reviewsOf(access).note(operatorOf(shell), id, text);
      printResult(shell, values, { id }, `The note is kept with payment ${id}.`);
      return 0;
    });
  },
});

export const paymentsReview = defineCommand({
  options: { reason: { type: 'string', value: '<text>', help: 'what was found, for the audit log; required' }, json },
  notes: [
    'Records that an operator decided about a payment that the gateway cannot decide: for example an unknown outcome, coins',
    'that do not pay it, or a failed refund. It resolves the alarms about these, and changes no money.',
  ],
  async run({ values, operands: [given], shell }) {
    const id = readPaymentId(given);
    const reason = required(values.reason, 'reason');
    return withDatabase(shell, async (access) => {
      await readPayment(access, id);
      await reviewsOf(access).review(operatorOf(shell), id, reason);
      printResult(shell, values, { id }, `Payment ${id} is marked as reviewed.`);
      return 0;
    });
  },
});
