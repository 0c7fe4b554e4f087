/** The OpenAPI 3.1 document: made from the tables that the service runs on. */
import { callbacksSection } from '../callbacks/openapi.ts';
import type { HttpConfig } from '../deps.ts';
import { healthSection } from '../health/openapi.ts';
import { currentVersion } from '../middleware/versions.ts';
import { notificationsSection } from '../notifications/openapi.ts';
import { webhooks } from '../notifications/webhooks.ts';
import { paymentRequestsSection } from '../payment-requests/openapi.ts';
import { paymentsSection } from '../payments/openapi.ts';
import { reportsSection } from '../reports/openapi.ts';
import { testCallbacksSection } from '../test-callbacks/openapi.ts';
import { headerComponents, requestHeaders } from './headers.ts';
import type { OpenApiDocument } from './model.ts';
import { problemSchemas } from './problems.ts';
import type { DocumentFacts, Section } from './section.ts';
import { servers } from './servers.ts';

export type MakeSection = (facts: DocumentFacts) => Section;

/** The calls of merchants. They come first in the document. */
export const merchantSections: readonly MakeSection[] = [
  paymentsSection,
  paymentRequestsSection,
  notificationsSection,
  reportsSection,
];

/** Callbacks of providers, and the health of the service. */
export const serviceSections: readonly MakeSection[] = [callbacksSection, testCallbacksSection, healthSection];

export function createDocument(facts: DocumentFacts, sections: readonly MakeSection[]): OpenApiDocument {
  const { config } = facts;
  const parts = sections.map((section) => section(facts));
  const merged = <K extends keyof Section>(key: K) =>
    Object.assign({}, ...parts.map((part) => part[key])) as NonNullable<Section[K]>;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Paywright',
      version: currentVersion,
      summary: 'Payment requests, payments at many providers, refunds, reports and signed notifications.',
      description: describe(config),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: servers(config.publicUrl),
    security: [{ apiKey: [] }],
    tags,
    'x-tagGroups': tagGroups,
    paths: merged('paths'),
    webhooks: webhooks(config),
    components: {
      schemas: { ...merged('schemas'), ...problemSchemas(config) },
      headers: headerComponents,
      parameters: requestHeaders,
      examples: merged('examples'),
      links,
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description:
            '`gk_test_…` for the sandbox, `gk_live_…` for production. A test key sees only what test keys made. ' +
            'The roles of an operation are the scopes that its key must have.',
        },
      },
    },
  };
}

const tags = [
  { name: 'Payments', description: 'What pays.' },
  { name: 'Payment requests', description: 'Making, reading and steering payment requests.' },
  { name: 'Notifications', description: 'Lists of them, and sending them again.' },
  { name: 'Reports', description: 'Sums.' },
  { name: 'Webhooks', description: 'What the service sends to your `notifyUrl`.' },
  { name: 'Payer', description: 'What a payer sees.' },
  { name: 'Callbacks', description: 'Called by providers and by payers’ browsers, not by merchants.' },
  { name: 'Service', description: 'About the service itself.' },
];

const tagGroups = [
  { name: 'For merchants', tags: ['Payments', 'Payment requests', 'Notifications', 'Reports', 'Webhooks'] },
  { name: 'For payers, providers and operators', tags: ['Payer', 'Callbacks', 'Service'] },
];

const ofAnswer = { id: '$response.header.X-Payment-Request-Id' };
const links = {
  read: { operationId: 'getPaymentRequest', parameters: ofAnswer, description: 'The payment request.' },
  timeline: { operationId: 'getTimeline', parameters: ofAnswer, description: 'What happened to it.' },
  capture: { operationId: 'capture', parameters: ofAnswer, description: 'Collecting what was authorised.' },
  refund: { operationId: 'refund', parameters: ofAnswer, description: 'Giving it back.' },
  cancel: { operationId: 'cancel', parameters: ofAnswer, description: 'Cancelling it.' },
  payByCard: { operationId: 'payByCard', parameters: ofAnswer, description: 'Paying it by card.' },
  payByUpi: { operationId: 'payByUpi', parameters: ofAnswer, description: 'Paying it by UPI.' },
  confirm: { operationId: 'confirmByMemberCode', parameters: ofAnswer, description: 'Confirming it with a code.' },
};

function describe({ bodyLimitBytes, batchLimitBytes, callbackLimitBytes }: HttpConfig): string {
  return [
    'Every call needs the header `X-API-Key`, but those that say otherwise. Bodies are JSON objects under ' +
      '`application/json-patch+json` or `application/json`; members that are not named are ignored.',
    'A call that did not fail answers 200 and `OK` as plain text; who names `application/json` in `Accept` gets the ' +
      'payment request and what the payer must do next. A call that failed answers `application/problem+json`: ' +
      `one body for every kind of error, and [all of them](docs/errors).`,
    'Lengths count Unicode characters. Text holds neither NUL nor half of a surrogate pair. Amounts are exact decimals ' +
      'of at most 15 significant digits and 18 decimals.',
    `A body has at most ${bodyLimitBytes} bytes, a batch ${batchLimitBytes}, a callback ${callbackLimitBytes} or what its provider needs, whichever is less. ` +
      'A path or a method that is not here answers 404 NF001.',
    'The provider’s answer may be unknown: then the payment is pending (1), never failed, until its status was fetched.',
  ].join('\n\n');
}
