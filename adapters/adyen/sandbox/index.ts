/** Simulates Adyen: payments, the 3D Secure page, captures, cancels, refunds, and the webhooks. */
import type { CreateSandbox } from '@paywright/contract';
import {
  BoundedMap,
  choicePage,
  createDeliveries,
  createOnce,
  createRepetitions,
  createRouter,
  faulty,
  jsonReply,
  messagePage,
  redirectReply,
  troubleBefore,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import type { Options } from '../options.ts';
import { extraEvents } from '../statuses.ts';
import { toMoney } from '../wire.ts';
import {
  collectionMessages,
  decide,
  later,
  openPayment,
  presentPayment,
  refundMessages,
  ruleOf,
  type Payment,
} from './payments.ts';
import {
  DetailsRequest,
  errorReply,
  isKnown,
  MethodsRequest,
  ModificationRequest,
  PaymentRequest,
  readPost,
  unauthorised,
} from './requests.ts';
import { createTrigger, events, causes } from './trigger.ts';
import { createWebhooks, isAccepted, newPspReference, toJson } from './webhooks.ts';

export { signCallback } from './sign-callback.ts';

const trouble = {
  error: errorReply(500, '905_1', 'Could not find an acquirer account', 'internal'),
  tooMany: errorReply(429, '000', 'Too many requests'),
};
const reported = {
  busy: errorReply(409, '704', 'request already processed or in progress'),
  differs: errorReply(422, '704', 'request already processed or in progress'),
  keep: ({ status }: Reply): boolean => status < 400,
};
const noSuch = errorReply(422, '167', 'Original pspReference required for this operation');

const createSandbox: CreateSandbox<Options> = (setup) => {
  const { options, baseUrl, publicUrl, delayMs } = setup;
  const say = createWebhooks(setup);
  const deliveries = createDeliveries({
    delayMs,
    acknowledged: isAccepted,
    repeatAfter: [1, 1, 1, 1],
    onDelivery: setup.onDelivery,
  });
  const byReference = new BoundedMap<string, Payment>();
  const byPspReference = new BoundedMap<string, Payment>();
  const byResult = new BoundedMap<string, Payment>();
  const repetitions = createRepetitions();
  const isFirst = createOnce();

  const challengeUrl = ({ pspReference }: Payment): string => `${baseUrl}/hpp/3d/${pspReference}`;

  /** Decides the payment, schedules its webhooks, and returns the answer in the state before any webhook. */
  async function settle(payment: Payment): Promise<Reply> {
    const scenario = decide(payment, say);
    const reply = jsonReply(200, presentPayment(payment, challengeUrl(payment)));
    await deliveries.play(scenario, payment.rule);
    return faulty(reply, payment.rule, payment.card);
  }

  async function pay(request: SandboxRequest): Promise<Reply> {
    const asked = readPost(request, options, PaymentRequest);
    if ('refused' in asked) return asked.refused;
    const { body, key, values } = asked;
    const make = async (): Promise<Reply> => {
      const refused = troubleBefore(ruleOf(body.amount), () => isFirst(key), trouble);
      if (refused) return refused;
      const payment = openPayment(body);
      byReference.set(body.reference.replace(/-H$/, ''), payment);
      byPspReference.set(payment.pspReference, payment);
      if (payment.isChallenged) return jsonReply(200, presentPayment(payment, challengeUrl(payment)));
      return settle(payment);
    };
    return repetitions.answer(`payment ${key}`, values, make, reported);
  }

  async function details(request: SandboxRequest): Promise<Reply> {
    const asked = readPost(request, options, DetailsRequest);
    if ('refused' in asked) return asked.refused;
    const payment = byResult.get(asked.body.details.redirectResult);
    if (!payment) return errorReply(422, '14_018', 'Invalid redirectResult');
    return repetitions.answer(`details ${payment.pspReference}`, '', () => settle(payment), reported);
  }

  function challenge(request: SandboxRequest, pspReference: string): Reply {
    const payment = byPspReference.get(pspReference);
    if (!payment?.isChallenged) return messagePage(404, 'No such challenge');
    const result = request.form()?.get('result');
    if (request.method === 'POST' && (result === 'pass' || result === 'fail')) {
      payment.pressed ??= result;
      const redirectResult = `${pspReference}!${payment.pressed}=`;
      byResult.set(redirectResult, payment);
      const { returnUrl } = payment;
      const mark = returnUrl.includes('?') ? '&' : '?';
      return redirectReply(`${returnUrl}${mark}redirectResult=${encodeURIComponent(redirectResult)}`);
    }
    const action = new URL(challengeUrl(payment)).pathname;
    return choicePage({
      title: '3D Secure',
      text: 'Approve this payment?',
      action,
      name: 'result',
      values: ['pass', 'fail'],
      summary: {
        money: toMoney(payment.amount),
        shop: options.merchantAccount,
        reference: payment.merchantReference,
      },
    });
  }

  async function modify(
    request: SandboxRequest,
    pspReference: string,
    what: 'refunds' | 'captures' | 'cancels',
  ): Promise<Reply> {
    const asked = readPost(request, options, ModificationRequest);
    if ('refused' in asked) return asked.refused;
    const { body, key, values } = asked;
    const payment = byPspReference.get(pspReference);
    if (!payment) return noSuch;
    const amount = body.amount ?? payment.amount;
    if (amount.currency !== payment.amount.currency) return errorReply(422, '117', 'Invalid billing currency');
    const make = async (): Promise<Reply> => {
      const own = { pspReference: newPspReference(), merchantReference: body.reference, amount };
      const { merchantReference: reference, pspReference: ownReference } = own;
      await deliveries.play(whatComesOf(payment, what, own), undefined);
      const received = { merchantAccount: options.merchantAccount, paymentPspReference: pspReference, reference };
      const answer = {
        ...received,
        pspReference: ownReference,
        status: 'received',
        ...(body.amount ? { amount: toJson(amount) } : {}),
      };
      return jsonReply(201, answer);
    };
    return repetitions.answer(`${what} ${key}`, values, make, reported);
  }

  function whatComesOf(
    payment: Payment,
    what: 'refunds' | 'captures' | 'cancels',
    own: { pspReference: string; merchantReference: string; amount: Payment['amount'] },
  ) {
    const value = BigInt(own.amount.value);
    const all = BigInt(payment.amount.value);
    if (what === 'refunds') {
      const isLeft = payment.state === 'captured' && payment.returned + value <= all;
      if (!isLeft)
        return [
          later(
            payment,
            say,
            { ...own, eventCode: 'REFUND', success: false, reason: 'Insufficient balance on payment' },
            { after: 1 },
          ),
        ];
      payment.returned += value;
      return refundMessages(payment, say, own);
    }
    return collectionMessages(payment, what, say, own);
  }

  function methods(request: SandboxRequest): Reply {
    const asked = readPost(request, options, MethodsRequest);
    return 'refused' in asked ? asked.refused : jsonReply(200, { paymentMethods: [{ name: 'Cards', type: 'scheme' }] });
  }

  const merchant = (request: SandboxRequest): Reply =>
    isKnown(request, options)
      ? jsonReply(200, { id: options.merchantAccount, status: 'Active', captureDelay: 'immediate' })
      : unauthorised;

  function webhooks(request: SandboxRequest): Reply {
    if (!isKnown(request, options)) return unauthorised;
    const webhook = {
      type: 'standard',
      url: `${publicUrl}/callbacks/adyen`,
      active: true,
      communicationFormat: 'json',
    };
    const additionalSettings = { includeEventCodes: extraEvents, excludeEventCodes: [] };
    const signed = { username: options.webhookUser, hmacKeyCheckValue: 'E2C1A0', hasError: false };
    const data = [{ ...webhook, ...signed, additionalSettings }];
    return jsonReply(200, { data, itemsTotal: 1, pagesTotal: 1 });
  }

  const handle = createRouter(
    {
      'POST /payments': pay,
      'POST /payments/details': details,
      'POST /payments/:psp/refunds': (request, psp = '') => modify(request, psp, 'refunds'),
      'POST /payments/:psp/captures': (request, psp = '') => modify(request, psp, 'captures'),
      'POST /payments/:psp/cancels': (request, psp = '') => modify(request, psp, 'cancels'),
      'POST /paymentMethods': methods,
      'GET /merchants/:id': merchant,
      'GET /merchants/:id/webhooks': webhooks,
      'GET /hpp/3d/:psp': challenge,
      'POST /hpp/3d/:psp': challenge,
    },
    { baseUrl },
  );
  return { handle, close: () => deliveries.close(), events, causes, trigger: createTrigger(say, byReference) };
};

/** The Management API, which only the account check asks, has the paths `/merchants`. */
createSandbox.addresses = { sandboxManagementBaseUrl: '' };

createSandbox.testValues = [
  { member: 'refund', value: '.58', result: 'failed' },
  { member: 'refund', value: '.59', result: 'reversed: the money comes back after the refund succeeded' },
];

export default createSandbox;
