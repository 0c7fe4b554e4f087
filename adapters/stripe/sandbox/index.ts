/** Simulates Stripe: PaymentMethods, PaymentIntents, Checkout, 3D Secure, refunds, and every event of the webhook. */
import { JsonNumber, type CreateSandbox } from '@paywright/contract';
import {
  BoundedMap,
  createDeliveries,
  createOnce,
  createRepetitions,
  createRouter,
  faulty,
  isCardNumber,
  jsonReply,
  newId,
  troubleBefore,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import { webhookEvents } from '../check-account.ts';
import { isTestKey, shownMethods, type Options } from '../options.ts';
import { API_VERSION } from '../wire.ts';
import { createCheckout } from './checkout.ts';
import { createEvents } from './events.ts';
import { createIssuer } from './issuer.ts';
import { openIntent, ruleOf, testCard, type Intent } from './payments.ts';
import { ACCOUNT, presentDispute, presentFailure, presentIntent, presentRefund } from './present.ts';
import type { SessionFacts } from './present.ts';
import { collect, intentMessage, newRefund, refundMessages, settle } from './reports.ts';
import * as ask from './requests.ts';
import { createTrigger, triggered, causes } from './trigger.ts';

export { signCallback } from './events.ts';

const { errorReply, missing, ok, readPost, refuseCaller, repeated, trouble } = ask;

const createSandbox: CreateSandbox<Options> = (setup) => {
  const { options, baseUrl, publicUrl, delayMs } = setup;
  const livemode = !isTestKey(options);
  const deliveries = createDeliveries({
    delayMs,
    acknowledged: ({ status }) => status >= 200 && status < 300,
    repeatAfter: [1, 1, 1],
    onDelivery: setup.onDelivery,
  });
  const methods = new BoundedMap<string, string>();
  const intents = new BoundedMap<string, Intent>();
  const byReference = new BoundedMap<string, Intent>();
  const repetitions = createRepetitions();
  const isFirst = createOnce();

  const shown = {
    events: createEvents(setup),
    livemode,
    stepUrl: ({ id }: Intent): string => `${baseUrl}/3ds/${id}`,
    pageUrl: ({ id }: SessionFacts): string => `${baseUrl}/pay/${id}`,
  };
  const present = (intent: Intent, isExpanded = true) =>
    presentIntent(intent, livemode, shown.stepUrl(intent), isExpanded);
  /** Returns the PaymentIntent, or the error answer for a declined one. */
  const answer = (intent: Intent): Reply => {
    const { failure } = intent;
    if (!failure) return ok(present(intent));
    return jsonReply(402, { error: { ...presentFailure(failure), payment_intent: present(intent, false) } });
  };
  const unexpected = (intent: Intent): Reply =>
    errorReply(400, 'payment_intent_unexpected_state', `This PaymentIntent has a status of ${intent.status}.`, {
      payment_intent: present(intent, false),
    });

  function createMethod(request: SandboxRequest): Reply {
    const read = readPost(request, options, ask.MethodRequest);
    if ('refused' in read) return read.refused;
    const { number } = read.asked.card;
    if (!isCardNumber(number)) return errorReply(402, 'incorrect_number', 'Your card number is incorrect.');
    const id = newId('pm_', 24);
    methods.set(id, number);
    return ok({ id, object: 'payment_method', type: 'card', livemode });
  }

  function keepIntent(intent: Intent): void {
    intents.set(intent.id, intent);
    const reference = intent.metadata['gateway_reference'];
    if (reference !== undefined) byReference.set(reference, intent);
  }

  const issuer = createIssuer({ shown, deliveries, intents });
  const checkout = createCheckout({ options, shown, deliveries, repetitions, isFirst, keepIntent, present });

  async function createIntent(request: SandboxRequest): Promise<Reply> {
    const read = readPost(request, options, ask.IntentRequest);
    if ('refused' in read) return read.refused;
    const { asked, key } = read;
    const number = methods.get(asked.payment_method) ?? testCard(asked.payment_method);
    if (number === undefined) return missing('PaymentMethod', asked.payment_method);
    const make = async (): Promise<Reply> => {
      const { amount, currency, metadata, description, return_url: returnUrl } = asked;
      const refused = troubleBefore(ruleOf(amount, currency), () => isFirst(key), trouble);
      if (refused) return refused;
      const demand = asked.payment_method_options?.card.request_three_d_secure;
      const isManual = asked.capture_method === 'manual';
      const intent = openIntent({ amount, currency, metadata, description, demand, isManual, returnUrl }, number);
      keepIntent(intent);
      if (intent.status === 'requires_action') return faulty(answer(intent), intent.rule);
      const scenario = settle(shown, intent);
      // The state before anything is reported.
      const reply = answer(intent);
      await deliveries.play(scenario, intent.rule);
      return faulty(reply, intent.rule, intent.card);
    };
    return key === '' ? make() : repetitions.answer(`intent ${key}`, request.body, make, repeated);
  }

  /** The answer to a GET of one object. */
  function read(request: SandboxRequest, what: string, id: string, object: () => object | undefined): Reply {
    const found = object();
    return refuseCaller(request, options) ?? (found ? ok(found) : missing(what, id));
  }
  const list = (request: SandboxRequest, data: readonly object[]): Reply =>
    refuseCaller(request, options) ?? ok({ object: 'list', data, has_more: false, url: request.path });
  const queried = (request: SandboxRequest): string => request.queryForm()?.get('payment_intent') ?? '';

  const readIntent = (request: SandboxRequest, id: string): Reply => {
    const intent = intents.get(id);
    return read(
      request,
      'payment_intent',
      id,
      () => intent && present(intent, request.query.includes('latest_charge')),
    );
  };

  function search(request: SandboxRequest): Reply {
    const query = request.queryForm()?.get('query') ?? '';
    const reference = /^metadata\['gateway_reference'\]:'([^']*)'$/.exec(query)?.[1];
    const found = byReference.get(reference ?? '');
    const refused = refuseCaller(request, options);
    return (
      refused ??
      ok({ object: 'search_result', data: found ? [present(found)] : [], has_more: false, url: request.path })
    );
  }

  async function capture(request: SandboxRequest, id: string): Promise<Reply> {
    const asking = readPost(request, options, ask.CaptureRequest);
    if ('refused' in asking) return asking.refused;
    const intent = intents.get(id);
    if (!intent) return missing('payment_intent', id);
    return repetitions.answer(
      `capture ${asking.key}`,
      request.body,
      async () => {
        const { amount_to_capture: amount = intent.amount } = asking.asked;
        if (intent.status !== 'requires_capture') return unexpected(intent);
        if (BigInt(amount) > BigInt(intent.amount))
          return errorReply(400, 'amount_too_large', 'More than was authorised.');
        await deliveries.play(collect(shown, intent, amount), intent.rule);
        return ok(present(intent));
      },
      repeated,
    );
  }

  async function cancel(request: SandboxRequest, id: string): Promise<Reply> {
    const asking = readPost(request, options, ask.CancelRequest);
    if ('refused' in asking) return asking.refused;
    const intent = intents.get(id);
    if (!intent) return missing('payment_intent', id);
    if (intent.status === 'succeeded' || intent.status === 'canceled') return unexpected(intent);
    Object.assign(intent, { status: 'canceled', cancellation: asking.asked.cancellation_reason });
    await deliveries.play([intentMessage(shown, intent, 'canceled', { after: 1 })]);
    return ok(present(intent));
  }

  async function refund(request: SandboxRequest): Promise<Reply> {
    const asking = readPost(request, options, ask.RefundRequest);
    if ('refused' in asking) return asking.refused;
    const { payment_intent: id, amount, metadata } = asking.asked;
    const intent = intents.get(id);
    if (!intent) return missing('payment_intent', id);
    return repetitions.answer(
      `refund ${asking.key}`,
      request.body,
      async () => {
        if (intent.status !== 'succeeded')
          return errorReply(400, 'charge_invalid_parameter', 'This PaymentIntent has no charge.');
        if (intent.asked + BigInt(amount) > BigInt(intent.received)) {
          return errorReply(400, undefined, 'Refund amount is greater than unrefunded amount.', { param: 'amount' });
        }
        const made = newRefund(intent, amount, metadata);
        const reply = ok(presentRefund(made));
        await deliveries.play(refundMessages(shown, made, 1), ruleOf(amount, intent.currency));
        return reply;
      },
      repeated,
    );
  }

  const account = {
    id: ACCOUNT,
    object: 'account',
    charges_enabled: true,
    requirements: { disabled_reason: null },
  };
  const on = { available: true, display_preference: { overridable: null, preference: 'on', value: 'on' } };
  const methodSettings = {
    id: 'pmc_sandbox',
    object: 'payment_method_configuration',
    active: true,
    application: null,
    is_default: true,
    livemode,
    name: 'Default',
    parent: null,
    ...Object.fromEntries(shownMethods.map((method) => [method, on])),
  };
  const endpoint = {
    id: 'we_sandbox',
    object: 'webhook_endpoint',
    api_version: API_VERSION,
    enabled_events: webhookEvents,
    livemode,
    status: 'enabled',
    url: `${publicUrl}/callbacks/stripe`,
    created: new JsonNumber('1795251600'),
  };

  const handle = createRouter(
    {
      'POST /v1/payment_methods': createMethod,
      'POST /v1/payment_intents': createIntent,
      'GET /v1/payment_intents/search': search,
      'GET /v1/payment_intents/:id': readIntent,
      'POST /v1/payment_intents/:id/capture': capture,
      'POST /v1/payment_intents/:id/cancel': cancel,
      'POST /v1/refunds': refund,
      'GET /v1/refunds': (request) => list(request, (intents.get(queried(request))?.refunds ?? []).map(presentRefund)),
      'GET /v1/disputes': (request) => {
        const dispute = intents.get(queried(request))?.dispute;
        return list(request, dispute ? [presentDispute(dispute, livemode)] : []);
      },
      'POST /v1/checkout/sessions': checkout.create,
      'GET /v1/checkout/sessions/:id': checkout.read,
      'POST /v1/checkout/sessions/:id/expire': checkout.expire,
      'GET /v1/account': (request) => read(request, 'account', '', () => account),
      'GET /v1/webhook_endpoints': (request) => list(request, [endpoint]),
      'GET /v1/payment_method_configurations': (request) => list(request, [methodSettings]),
      'GET /3ds/:id': issuer,
      'POST /3ds/:id': issuer,
      'GET /pay/:id': checkout.page,
      'POST /pay/:id': checkout.page,
    },
    { baseUrl },
  );
  return { handle, close: () => deliveries.close(), events: triggered, causes, trigger: createTrigger(shown) };
};

createSandbox.testValues = [
  { member: 'token', value: 'pm_card_visa', result: 'paid' },
  { member: 'token', value: 'pm_card_visa_chargeDeclined', result: 'declined 05' },
  { member: 'token', value: 'pm_card_visa_chargeDeclinedInsufficientFunds', result: 'declined 51' },
  { member: 'token', value: 'pm_card_chargeDeclinedExpiredCard', result: 'declined 54' },
  { member: 'token', value: 'pm_card_threeDSecure2Required', result: 'challenge by 3D Secure' },
  { member: 'token', value: 'pm_card_createDispute', result: 'paid, charged back later, and the dispute is lost' },
  { member: 'page', value: 'pay', result: 'paid' },
  { member: 'page', value: 'decline', result: 'declined' },
  { member: 'page', value: 'debit', result: 'pending, then failed: a bank debit that is returned' },
  { member: 'page', value: 'back', result: 'cancelled by the payer' },
  { member: 'page', value: 'expire', result: 'expired' },
  { member: 'refund', value: '.58', result: 'failed' },
  { member: 'refund', value: '.59', result: 'reversed: the money comes back after the refund succeeded' },
];

export default createSandbox;
