/** Examples of answers; a test holds them to their schemas. */
import { order, payer } from './body-examples.ts';
import type { Example } from './merchant-call.ts';

const at = '2026-11-21T12:00:00.000Z';
const later = '2026-11-21T12:30:00.000Z';

/** The payment request of the examples, paid. */
export function paymentRequestExample(publicUrl: string, id = 1790000010042) {
  const log = {
    id: id * 1000 + 1,
    paymentRequestId: id,
    transactionId: 'A-7H2K9Q',
    transactionStatusId: 2,
    code: '',
    message: 'succeeded',
    payerCountry: 'PT',
    paymentProviderId: 11,
    paymentMethodId: 1,
    threeDs: false,
    cardBin: '411111',
    cardLastDigits: '1111',
    device: '',
    browser: '',
    osName: '',
    isFallback: false,
    isPendingFallback: false,
    createDate: at,
  };
  return {
    id,
    ownerId: 7,
    userId: null,
    recipientName: null,
    amount: 25.9,
    unit: 'EUR',
    paymentRequestStatusId: 2,
    transactionId: log.id,
    transactionNumber: log.transactionId,
    payerCountry: 'PT',
    referenceId: order.referenceId,
    notes: null,
    link: `${publicUrl}/pay/${id}?k=Zm9yIHRoaXMgb25lIG9ubHk`,
    createDate: at,
    clientId: 301,
    clientName: payer.name,
    clientEmail: payer.email,
    clientAddress: null,
    clientPhone: null,
    clientMemberId: null,
    client: {
      name: payer.name,
      email: payer.email,
      id: 301,
      ownerId: 7,
      userId: null,
      ownerName: 'Shop',
      address: '',
      phone: '',
      memberId: '',
      hasPaymentRequests: true,
      totalDeposits: 25.9,
      createDate: at,
    },
    notifyUrl: order.notifyUrl,
    successUrl: null,
    failureUrl: null,
    transactionStatusId: 2,
    targetAccountTypeId: 0,
    originDomain: null,
    chargedBack: false,
    feeAmount: 1.05,
    grossAmount: 25.9,
    netAmount: 24.85,
    exchangeRate: 1,
    transactionCurrency: 'EUR',
    cardBin: log.cardBin,
    cardLastDigits: log.cardLastDigits,
    device: null,
    browser: null,
    osName: null,
    kycApplicantId: null,
    threeDs: false,
    logMessage: log.message,
    logTransactionId: log.transactionId,
    logTransactionStatusId: 2,
    logPayerCountry: 'PT',
    logPaymentProviderId: 11,
    paymentMethodId: 1,
    paymentProviderId: 11,
    logCreateDate: at,
    lastLog: log,
    logs: [log],
    ftdTypeId: 1,
    routeRuleId: null,
    payerName: payer.name,
    payerEmail: payer.email,
    isFallback: false,
    isPendingFallback: false,
    isH2h: true,
    isDelayedApproval: false,
    isPremiumCardBin: false,
  };
}
type View = ReturnType<typeof paymentRequestExample>;

/** Just made: no attempt, no log. */
function createdExample(view: View) {
  const nothing = {
    paymentRequestStatusId: 0,
    transactionId: null,
    transactionNumber: null,
    payerCountry: null,
    transactionStatusId: 0,
    feeAmount: null,
    grossAmount: null,
    netAmount: null,
    exchangeRate: null,
    transactionCurrency: null,
    cardBin: null,
    cardLastDigits: null,
    logMessage: null,
    logTransactionId: null,
    logTransactionStatusId: 0,
    logPayerCountry: null,
    logPaymentProviderId: 0,
    paymentMethodId: 0,
    paymentProviderId: 0,
    lastLog: {},
    logs: [],
    ftdTypeId: 0,
    isH2h: false,
  };
  return { ...view, ...nothing };
}

function pendingExample(view: View) {
  const paid = { feeAmount: null, grossAmount: null, netAmount: null, ftdTypeId: 0 };
  const log = { ...view.lastLog, transactionStatusId: 1, message: 'pending' };
  const mirrored = { logMessage: log.message, logTransactionStatusId: 1, lastLog: log, logs: [log] };
  return { ...view, ...paid, ...mirrored, paymentRequestStatusId: 1, transactionStatusId: 1 };
}

/** Acknowledgements as JSON. */
export function answerExamples(publicUrl: string) {
  const view = paymentRequestExample(publicUrl);
  const pending = pendingExample(view);
  const waiting = (summary: string, action: Readonly<Record<string, unknown>>): Example => {
    return { summary, value: { result: 'OK', paymentRequest: pending, action } };
  };
  return {
    created: { summary: 'Made', value: { result: 'OK', paymentRequest: createdExample(view), action: null } },
    paid: { summary: 'Paid', value: { result: 'OK', paymentRequest: view, action: null } },
    redirect: waiting('3D Secure, or a hosted page', {
      type: 'redirect',
      method: 'GET',
      url: 'https://acs.bank.example/challenge/5f6b',
      transactionId: '5f6b',
    }),
    confirm: waiting('A member code', { type: 'confirm', paymentId: 'A-7H2K9Q' }),
    upi: waiting('UPI', { type: 'upi', mode: 'intent', link: 'upi://pay?pa=shop@bank', expiry: later }),
    crypto: waiting('Cryptocurrency', {
      type: 'crypto',
      address: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
      coin: 'BTC',
      amount: '0.00042',
      network: 'bitcoin',
      expiry: later,
    }),
    refunded: {
      summary: 'Refunded in full',
      value: { result: 'OK', paymentRequest: { ...view, paymentRequestStatusId: 4 }, action: null },
    },
    cancelled: {
      summary: 'Cancelled',
      value: { result: 'OK', paymentRequest: { ...createdExample(view), paymentRequestStatusId: 5 }, action: null },
    },
    resent: {
      summary: 'It is sent now',
      value: { result: 'OK', notification: { ...notificationExample(publicUrl), state: 'waiting' } },
    },
    resentSpan: { summary: 'Three of them are sent now', value: { result: 'OK', resent: 3 } },
  } satisfies Record<string, Example>;
}

export type ExampleName = keyof ReturnType<typeof answerExamples>;

export function notificationExample(publicUrl: string) {
  const { id, notifyUrl: url } = paymentRequestExample(publicUrl);
  const attempts = [{ at, ms: 42, status: 200, error: null }];
  return {
    id: `${id}-1`,
    type: 'payment.succeeded',
    paymentRequestId: id,
    sequence: 1,
    url,
    state: 'delivered',
    nextAttemptAt: null,
    attempts,
    createdAt: at,
  };
}

export function timelineExample(publicUrl: string) {
  const { createdAt, ...notification } = notificationExample(publicUrl);
  const call = { adapter: 'acquirer', attempt: 1, call: 'submit' };
  const { message, transactionId } = paymentRequestExample(publicUrl).lastLog;
  return {
    items: [
      { at, kind: 'transition', from: 0, to: 1, cause: 'submitted' },
      { at, kind: 'request', ...call, method: 'POST', path: '/v1/charges' },
      { at, kind: 'answer', ...call, status: 200, failure: null, ms: 83 },
      { at, kind: 'event', attempt: 1, code: '', message, refused: false, transactionId },
      { at, kind: 'transition', from: 1, to: 2, cause: message },
      { at: createdAt, kind: 'notification', ...notification },
    ],
  };
}

export const reportExample = {
  items: [{ day: '2026-11-21', providerId: 11, methodId: 1, currency: 'EUR', status: 2, count: 3, amount: '77.7' }],
};
