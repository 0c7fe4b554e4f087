/**
 * Examples of a payment request in each situation that a notification reports. Each shows what a payment of that kind
 * really looks like: its status, flags, sums, refunds and log agree.
 */
import { declineReasons } from '@paywright/contract';
import type { NotificationType } from '../../engine/payments/service.ts';
import { createdExample, paidExample, pendingExample, refundExample, type RefundExample } from './view.ts';

type View = Readonly<Record<string, unknown>>;
type LogExample = ReturnType<typeof paidExample>['lastLog'];

export interface StateExample {
  readonly paymentRequest: View;
  /** The refund that the notification is about, if it is about one. */
  readonly refund?: RefundExample;
  /** The chargeback that the notification is about, if it is about one. */
  readonly dispute?: View;
}

/** The notification types that are about one refund. */
export const refundTypes: readonly NotificationType[] = [
  'payment.refunded',
  'payment.partially_refunded',
  'payment.refund_needs_merchant',
  'payment.refund_failed',
  'payment.refund_reversed',
];

const amount = 25.9;

/** How the log names a status that is no word of its own. */
const refundWords: Readonly<Record<string, string>> = { reversed: 'came back', needs_merchant: 'needs the merchant' };

export function stateExamples(publicUrl: string): Readonly<Record<NotificationType, StateExample>> {
  const paid: View = paidExample(publicUrl);
  const [firstLog] = paid['logs'] as readonly [LogExample];
  const pending: View = pendingExample(publicUrl);
  const authorised = withLog(onlyLogs(pending, []), firstLog, {
    message: 'payment authorised (AUTHORISED)',
    transactionStatusId: 1,
  });
  const refused = (message: string): View => withLog(authorised, firstLog, { message, transactionStatusId: 1 });
  const part = refundExample;
  const whole: RefundExample = { ...part, amount };
  const refunded = (refund: RefundExample, left: View): StateExample => {
    const { id, status, reference } = refund;
    const message = `refund ${id} ${refundWords[status] ?? status}`;
    const view = withLog(paid, firstLog, { message, transactionId: reference });
    return { paymentRequest: { ...view, ...left, refunds: [refund] }, refund };
  };
  const disputed = (status: string, members: View): StateExample => {
    const log = { message: `chargeback ${status}`, transactionId: 'CASE-81' };
    return { paymentRequest: { ...withLog(paid, firstLog, log), ...members } };
  };
  return {
    'payment.pending': { paymentRequest: pending },
    'payment.authorised': { paymentRequest: authorised },
    'payment.capture_failed': { paymentRequest: refused('the capture was refused: the reservation is too old') },
    'payment.cancel_failed': { paymentRequest: refused('the release was refused: the money is captured') },
    'payment.succeeded': { paymentRequest: paid },
    'payment.failed': { paymentRequest: failedView(pending, firstLog) },
    'payment.amount_raised': { paymentRequest: raisedView(authorised, paid, firstLog) },
    'payment.double_charged': { paymentRequest: doubleChargedView(paid, firstLog) },
    'payment.underpaid': { paymentRequest: underpaidView(pending, firstLog) },
    'payment.refunded': refunded(whole, {
      paymentRequestStatusId: 4,
      refundedAmount: amount,
      refundableAmount: 0,
      client: withDeposits(paid, 0),
    }),
    'payment.partially_refunded': refunded(part, {
      refundedAmount: part.amount,
      refundableAmount: 20.8,
      client: withDeposits(paid, 20.8),
    }),
    'payment.refund_needs_merchant': refunded(
      { ...part, status: 'needs_merchant', failureReason: 'the card is closed' },
      { refundableAmount: 20.8 },
    ),
    'payment.refund_failed': refunded({ ...part, status: 'failed', failureReason: 'the account is closed' }, {}),
    'payment.refund_reversed': refunded({ ...part, status: 'reversed', failureReason: 'the account is closed' }, {}),
    'payment.charged_back': {
      ...disputed('opened (dispute.opened)', { chargedBack: true, disputedAmount: amount, refundableAmount: 0 }),
      dispute: { case: 'CASE-81', amount, currency: 'EUR' },
    },
    'payment.chargeback_reversed': disputed('won (dispute.won)', {}),
    'payment.expired': { paymentRequest: expiredView(publicUrl, firstLog) },
  };
}

/** The declined attempt. A merchant may try again. */
function failedView(pending: View, log: LogExample): View {
  const members = { code: '51', message: declineReasons['51'], transactionStatusId: 3 };
  return withLog({ ...onlyLogs(pending, []), paymentRequestStatusId: 3, transactionStatusId: 3 }, log, members);
}

/** The bank authorised 25.90. Of that, 15.00 were captured first and 5.00 later. */
function raisedView(authorised: View, paid: View, log: LogExample): View {
  const message = 'payment succeeded (CAPTURE)';
  const logs = [1, 2].reduce((view) => withLog(view, log, { message }), authorised);
  const { lastLog, logs: entries, logMessage } = logs;
  const sums = { feeAmount: 0.81, grossAmount: 20, netAmount: 19.19, refundableAmount: 20 };
  const client = withDeposits(paid, 20);
  return { ...paid, ...sums, lastLog, logs: entries, logMessage, isDelayedApproval: true, client };
}

/** The first attempt was declined, the second one paid, and then the first one paid as well. */
function doubleChargedView(paid: View, log: LogExample): View {
  const declined = withLog(onlyLogs(paid, []), log, {
    code: '51',
    message: declineReasons['51'],
    transactionStatusId: 3,
  });
  const second = withLog(declined, log, { message: 'succeeded', transactionId: 'A-8K4M2R' });
  const both = withLog(second, log, { code: 'DOUBLE_CHARGE', message: 'payment succeeded (APPROVED)' });
  const fees = { feeAmount: 2.1, grossAmount: 51.8, netAmount: 49.7 };
  const latest = { transactionId: Number(paid['id']) * 1000 + 2, transactionNumber: 'A-8K4M2R' };
  return { ...both, ...fees, ...latest, isDelayedApproval: true, client: withDeposits(paid, 51.8) };
}

/** Fewer coins arrived than requested. What arrived can be refunded. */
function underpaidView(pending: View, log: LogExample): View {
  const way = { paymentMethodId: 6, paymentProviderId: 18, cardBin: '', cardLastDigits: '' };
  const members = { ...way, message: 'payment underpaid (underpaid)', transactionStatusId: 1, transactionId: 'C-5T1N' };
  const coins = { ...onlyLogs(pending, []), ...way, cardBin: null, cardLastDigits: null, transactionNumber: 'C-5T1N' };
  return { ...withLog(coins, log, members), receivedAmount: 10.5, refundableAmount: 10.5 };
}

function expiredView(publicUrl: string, log: LogExample): View {
  const none = { payerCountry: '', paymentProviderId: 0, paymentMethodId: 0, cardBin: '', cardLastDigits: '' };
  const members = { ...none, transactionId: '', transactionStatusId: 0, message: 'not paid in time' };
  const view = { ...createdExample(publicUrl), paymentRequestStatusId: 5 };
  return { ...withLog(view, log, members), logPayerCountry: null };
}

function withDeposits({ client }: View, totalDeposits: number): View {
  return { ...(client as View), totalDeposits };
}

function onlyLogs(view: View, logs: readonly LogExample[]): View {
  return { ...view, logs };
}

/** Adds an entry to the log, and mirrors it as the last one. */
function withLog(view: View, log: LogExample, members: Partial<Readonly<Record<keyof LogExample, unknown>>>): View {
  const logs = view['logs'] as readonly LogExample[];
  const entry = { ...log, ...members, id: Number(view['id']) * 1000 + logs.length + 1 };
  return {
    ...view,
    logMessage: entry.message,
    logTransactionId: entry.transactionId,
    logTransactionStatusId: entry.transactionStatusId,
    logPayerCountry: entry.payerCountry,
    logPaymentProviderId: entry.paymentProviderId,
    lastLog: entry,
    logs: [...logs, entry],
  };
}
