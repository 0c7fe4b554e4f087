/** Simulates PayPal: tokens, orders and the page that approves them, captures, refunds, disputes, and webhooks. */
import { createPublicKey, verify } from 'node:crypto';
import type { CreateSandbox } from '@paywright/contract';
import {
  createDeliveries,
  createRouter,
  jsonReply,
  textReply,
  type Reply,
  type SandboxRequest,
} from '@paywright/contract/sandbox';
import paypal from '../index.ts';
import type { Options } from '../options.ts';
import { signedText } from '../signing.ts';
import { createBooks, type Order } from './books.ts';
import { createPage } from './page.ts';
import { createPayments } from './payments.ts';
import { presentDispute } from './present.ts';
import { createReports } from './reports.ts';
import { grantToken, notFound, refuseCaller } from './requests.ts';
import { createTrigger, events, causes } from './trigger.ts';
import { CERTIFICATE, createNotify, readKeys } from './webhooks.ts';

/** The event is the last member of a request to verify it. */
const EVENT_MEMBER = '"webhook_event":';

const createSandbox: CreateSandbox<Options> = (setup) => {
  const { options, baseUrl, delayMs } = setup;
  const keys = readKeys(setup.providerSide);
  const notify = createNotify(setup);
  const deliveries = createDeliveries({
    delayMs,
    acknowledged: ({ status }) => status >= 200 && status < 300,
    repeatAfter: [1, 1, 1, 1],
    onDelivery: setup.onDelivery,
  });
  const books = createBooks();
  const reports = createReports(books, notify, baseUrl);
  const { currencies } = paypal.manifest;
  const shared = { options, baseUrl, books, reports, deliveries };
  const page = createPage(shared);

  /** The signature covers the event as it was sent, so its spelling in the request decides. */
  function verifySignature(request: SandboxRequest): Reply {
    const refused = refuseCaller(request, options);
    if (refused) return refused;
    const body = request.text() ?? '';
    const event = body.slice(body.indexOf(EVENT_MEMBER) + EVENT_MEMBER.length, -1);
    const asked = (request.json() ?? {}) as Readonly<Record<string, string>>;
    const { transmission_id: id = '', transmission_time: time = '', webhook_id: webhookId = '' } = asked;
    const text = signedText({ id, time }, webhookId, Buffer.from(event));
    const signature = Buffer.from(asked['transmission_sig'] ?? '', 'base64');
    const isOurs =
      options.webhookIds.includes(webhookId) &&
      verify('sha256', Buffer.from(text), createPublicKey(keys.privateKey), signature);
    return jsonReply(200, { verification_status: isOurs ? 'SUCCESS' : 'FAILURE' });
  }

  function listWebhooks(request: SandboxRequest): Reply {
    const [id] = options.webhookIds;
    const webhook = { id, url: `${setup.publicUrl}/callbacks/paypal`, event_types: [{ name: '*' }] };
    return refuseCaller(request, options) ?? jsonReply(200, { webhooks: [webhook] });
  }

  function listDisputes(request: SandboxRequest): Reply {
    const order = books.byPart.get(request.queryForm()?.get('disputed_transaction_id') ?? '');
    const { id, status } = order?.dispute ?? {};
    return refuseCaller(request, options) ?? jsonReply(200, id ? { items: [{ dispute_id: id, status }] } : {});
  }

  function showDispute(request: SandboxRequest, id: string): Reply {
    const order: Order | undefined = books.byPart.get(id);
    const shown = order?.dispute?.id === id ? jsonReply(200, presentDispute(order.dispute, order)) : notFound;
    return refuseCaller(request, options) ?? shown;
  }

  const handle = createRouter(
    {
      ...createPayments({ ...shared, currencies: Array.isArray(currencies) ? currencies : [] }),
      'POST /v1/oauth2/token': (request) => grantToken(request, options),
      'GET /v1/customer/disputes': listDisputes,
      'GET /v1/customer/disputes/:id': (request, id = '') => showDispute(request, id),
      'GET /v1/notifications/webhooks': listWebhooks,
      'POST /v1/notifications/verify-webhook-signature': verifySignature,
      [`GET /v1/notifications/certs/${CERTIFICATE}`]: () => textReply(200, keys.certificate),
      'GET /checkoutnow': page,
      'POST /checkoutnow': page,
    },
    { baseUrl },
  );
  return { handle, close: () => deliveries.close(), events, causes, trigger: createTrigger(books, notify, baseUrl) };
};

/** PayPal's certificates have the same paths at the address of the calls. */
createSandbox.addresses = { certificateBaseUrl: '' };

createSandbox.testValues = [
  { member: 'page', value: 'pay', result: 'paid' },
  { member: 'page', value: 'review', result: 'pending, then paid' },
  { member: 'page', value: 'decline', result: 'declined' },
  { member: 'page', value: 'cancel', result: 'cancelled by the payer' },
  { member: 'page', value: 'refund', result: 'refunded, at PayPal' },
  { member: 'page', value: 'reverse', result: 'the money is taken back' },
  { member: 'page', value: 'dispute', result: 'charged back' },
  { member: 'refund', value: '.58', result: 'failed' },
];

export default createSandbox;
export { signCallback } from './webhooks.ts';
