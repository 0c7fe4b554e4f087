/** The OpenAPI 3.1 document: made from the tables that the service runs on. */
import { currentVersion } from '../middleware/versions.ts';
import { answerExamples } from './answer-examples.ts';
import type { DocumentFacts } from './facts.ts';
import { forms } from './forms.ts';
import { headerComponents, requestHeaders } from './headers.ts';
import type { Header } from './headers.ts';
import type { JsonSchema } from './json-schema.ts';
import { notificationPaths } from '../notifications/openapi.ts';
import type { Example, Parameter, PathItem, Paths } from './merchant-call.ts';
import { paymentPaths } from '../payments/openapi.ts';
import { problemSchemas } from './problems.ts';
import { readingResources } from './reading-resources.ts';
import { requestPaths } from '../payment-requests/openapi.ts';
import { resources } from './resources.ts';
import { servicePaths } from './service-paths.ts';
import { webhooks } from '../notifications/webhooks.ts';

export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Readonly<Record<string, unknown>>;
  readonly servers: readonly { readonly url: string; readonly description: string }[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly tags: readonly { readonly name: string; readonly description: string }[];
  readonly paths: Paths;
  readonly webhooks: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly headers: Readonly<Record<string, Header>>;
    readonly parameters: Readonly<Record<string, Parameter>>;
    readonly examples: Readonly<Record<string, Example>>;
    readonly links: Readonly<Record<string, unknown>>;
    readonly securitySchemes: Readonly<Record<string, unknown>>;
  };
}

export function createDocument(facts: DocumentFacts): OpenApiDocument {
  const { publicUrl } = facts;
  return {
    openapi: '3.1.0',
    info: {
      title: 'Payment gateway',
      version: currentVersion,
      summary: 'Payment requests, payments at many providers, refunds, reports and signed notifications.',
      description: describe(facts),
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [
      { url: publicUrl, description: 'Without a version.' },
      { url: `${publicUrl}/v2`, description: 'The same, by major version.' },
    ],
    security: [{ apiKey: [] }],
    tags,
    paths: {
      ...paymentPaths(facts),
      ...requestPaths(facts),
      ...notificationPaths(facts),
      ...servicePaths(facts),
    },
    webhooks: webhooks(publicUrl),
    components: {
      schemas: { ...forms, ...resources, ...readingResources, ...problemSchemas(publicUrl) },
      headers: headerComponents,
      parameters: requestHeaders,
      examples: answerExamples(publicUrl),
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
  { name: 'Notifications', description: 'What you were told, and telling you again.' },
  { name: 'Reports', description: 'Sums.' },
  { name: 'Callbacks', description: 'Called by providers and by payers’ browsers, not by merchants.' },
  { name: 'Payer', description: 'What a payer sees.' },
  { name: 'Service', description: 'About the service itself.' },
  { name: 'Webhooks', description: 'What the service sends to your `notifyUrl`.' },
];

const ofAnswer = { id: '$response.header.X-Payment-Request-Id' };
const links = {
  read: { operationId: 'getPaymentRequest', parameters: ofAnswer, description: 'The payment request.' },
  timeline: { operationId: 'getTimeline', parameters: ofAnswer, description: 'What happened to it.' },
  refund: { operationId: 'refund', parameters: ofAnswer, description: 'Giving it back.' },
  cancel: { operationId: 'cancel', parameters: ofAnswer, description: 'Cancelling it.' },
  payByCard: { operationId: 'payByCard', parameters: ofAnswer, description: 'Paying it.' },
};

function describe({ publicUrl, bodyLimitBytes, batchLimitBytes, callbackLimitBytes }: DocumentFacts): string {
  return [
    'Every call needs the header `X-API-Key`, but those that say otherwise. Bodies are JSON objects under ' +
      '`application/json-patch+json` or `application/json`; members that are not named are ignored.',
    'A call that did not fail answers 200 and `OK` as plain text; who names `application/json` in `Accept` gets the ' +
      'payment request and what the payer must do next. A call that failed answers `application/problem+json`: ' +
      `one body for every kind of error, and [all of them](${publicUrl}/docs/errors).`,
    'Lengths count Unicode characters. Text holds neither NUL nor half of a surrogate pair. Amounts are exact decimals ' +
      'of at most 15 significant digits and 18 decimals.',
    `A body has at most ${bodyLimitBytes} bytes, a batch ${batchLimitBytes}, a callback ${callbackLimitBytes}. ` +
      'A path or a method that is not here answers 404 NF001.',
    'The provider’s answer may be unknown: then the payment is pending (1), never failed, until the provider was asked.',
  ].join('\n\n');
}
