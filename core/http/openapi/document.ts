/** Builds the OpenAPI 3.1 document from the tables that the service runs on. */
import { callbacksSection } from '../callbacks/openapi.ts';
import type { HttpConfig } from '../deps.ts';
import { healthSection } from '../health/openapi.ts';
import { currentVersion } from '../middleware/versions.ts';
import { notificationsSection } from '../notifications/openapi.ts';
import { webhooks, webhookSchemas } from '../notifications/webhooks.ts';
import { paymentRequestsSection } from '../payment-requests/openapi.ts';
import { paymentsSection } from '../payments/openapi.ts';
import { reportsSection } from '../reports/openapi.ts';
import { testCallbacksSection } from '../test-callbacks/openapi.ts';
import { headerComponents, requestHeaders, versionSchema } from './headers.ts';
import { emptyBodySchema } from './merchant-call.ts';
import type { OpenApiDocument } from './model.ts';
import { problemSchemas } from './problems.ts';
import type { DocumentFacts, Section } from './section.ts';
import { toServers } from './servers.ts';

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
  const { bare, versioned, relative } = toServers(config.publicUrl);
  const merged = <K extends keyof Section>(key: K) =>
    Object.assign({}, ...parts.map((part) => part[key])) as NonNullable<Section[K]>;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Paywright',
      version: currentVersion,
      summary: 'Payment requests, payments at many providers, refunds, reports and signed notifications.',
      description: describe(config),
      contact: { name: 'Documentation', url: `${config.publicUrl}/docs` },
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [bare, versioned, relative],
    security: [{ apiKey: [] }],
    tags,
    'x-tagGroups': tagGroups,
    paths: merged('paths'),
    webhooks: webhooks(config),
    components: {
      schemas: {
        ...merged('schemas'),
        EmptyBody: emptyBodySchema,
        ApiVersion: versionSchema,
        ...webhookSchemas,
        ...problemSchemas(config),
      },
      headers: headerComponents,
      parameters: requestHeaders,
      examples: merged('examples'),
      links: config.refuseCardNumbers ? linksWithoutCards : links,
      securitySchemes: {
        apiKey: {
          type: 'apiKey',
          in: 'header',
          name: 'X-API-Key',
          description:
            '`gk_test_…` for the sandbox, `gk_live_…` for production. A test key sees only what test keys created. ' +
            'Each operation names the scope that the key needs.',
        },
      },
    },
  };
}

const tags = [
  { name: 'Payments', description: 'Pay by card, token, UPI or at a provider’s page.' },
  { name: 'Payment requests', description: 'Create, read, capture, refund and cancel payment requests.' },
  { name: 'Notifications', description: 'List notifications, and send them again.' },
  { name: 'Reports', description: 'Sums of payments by day, provider, method and currency.' },
  { name: 'Webhooks', description: 'Notifications that the service sends to your `notifyUrl`.' },
  { name: 'Payer', description: 'The pages for payers.' },
  { name: 'Callbacks', description: 'Called by providers and by payers’ browsers, not by merchants.' },
  { name: 'Service', description: 'Health checks and this documentation.' },
];

const tagGroups = [
  { name: 'For merchants', tags: ['Payments', 'Payment requests', 'Notifications', 'Reports', 'Webhooks'] },
  { name: 'For payers, providers and operators', tags: ['Payer', 'Callbacks', 'Service'] },
];

const ofAnswer = { id: '$response.header.X-Payment-Request-Id' };
const links = {
  read: { operationId: 'getPaymentRequest', parameters: ofAnswer, description: 'Read the payment request.' },
  timeline: { operationId: 'getTimeline', parameters: ofAnswer, description: 'Read its timeline.' },
  capture: { operationId: 'capture', parameters: ofAnswer, description: 'Capture the authorised amount.' },
  refund: { operationId: 'refund', parameters: ofAnswer, description: 'Refund the payment.' },
  cancel: { operationId: 'cancel', parameters: ofAnswer, description: 'Cancel the payment request.' },
  payByCard: { operationId: 'payByCard', parameters: ofAnswer, description: 'Pay by card.' },
  payByUpi: { operationId: 'payByUpi', parameters: ofAnswer, description: 'Pay by UPI.' },
  confirm: { operationId: 'confirmByMemberCode', parameters: ofAnswer, description: 'Confirm with a code.' },
};
const { payByCard: _, ...linksWithoutCards } = links;

function describe({ bodyLimitBytes, batchLimitBytes, callbackLimitBytes }: HttpConfig): string {
  return [
    'Send `X-API-Key` with every call unless an operation says otherwise. Bodies are JSON objects under ' +
      '`application/json-patch+json` or `application/json`; unknown members are ignored.',
    'A successful call returns 200 and the text `OK`. Send `Accept: application/json` to get the ' +
      'payment request and the payer’s next step. A failed call returns `application/problem+json`: ' +
      `one format for all [errors](docs/errors).`,
    'Lengths count Unicode characters. Text contains neither NUL nor half of a surrogate pair. Amounts are exact decimals ' +
      'of at most 15 significant digits and 18 decimals.',
    `A body has at most ${bodyLimitBytes} bytes, a batch ${batchLimitBytes}, a callback ${callbackLimitBytes} or what its provider needs, whichever is less. ` +
      'An unknown path or method answers 404 NF001.',
    'If the provider’s answer is unknown, the payment is pending (1), never failed, until its status is fetched.',
  ].join('\n\n');
}
