/** Callbacks of integrators who try whether they reach the service, and whether their signature is right. */
import type { ErrorKind } from '../../base/errors.ts';
import { flag, object, schemaRef } from '../openapi/json-schema.ts';
import { answer, failures, unversioned } from '../openapi/open-call.ts';
import type { MediaType, Operation, Parameter, PathItem } from '../openapi/model.ts';
import type { DocumentFacts, Section } from '../openapi/section.ts';

const anything: Readonly<Record<string, MediaType>> = { '*/*': { schema: {} } };
/** A body that is too large, or did not arrive completely. */
const ofBodies: readonly ErrorKind[] = ['INVALID_FORMAT', 'PAYLOAD_TOO_LARGE', 'RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR'];

const signature: Parameter = {
  name: 'X-Webhook-Signature',
  in: 'header',
  description:
    'HMAC-SHA512 of the raw body with the owner’s webhook secret, lower-case hex. Checked if a key identifies the owner.',
  schema: { type: 'string' },
};

function testCallback(
  operationId: string,
  summary: string,
  more: Pick<Operation, 'requestBody' | 'responses'>,
): Operation {
  return {
    operationId,
    tags: ['Callbacks'],
    summary,
    description: 'Tests connectivity. It has no effect.',
    security: [{}, { apiKey: [] }],
    parameters: [signature],
    ...more,
  };
}

const received: Readonly<Record<string, MediaType>> = {
  'application/json': {
    schema: schemaRef('Received'),
    example: { received: { order: 'order-4711' }, signatureValid: true },
  },
};

const testCallbacks: Readonly<Record<string, PathItem>> = {
  '/callbacks/test/json': {
    post: testCallback('testJson', 'Test with a JSON body', {
      requestBody: {
        required: true,
        content: { 'application/json': { schema: {}, example: { order: 'order-4711' } }, ...anything },
      },
      responses: {
        '200': answer('What was received.', received),
        ...failures(ofBodies),
      },
    }),
  },
  '/callbacks/test/form': {
    post: testCallback('testForm', 'Test with a form body', {
      requestBody: {
        required: false,
        content: {
          'application/x-www-form-urlencoded': { schema: {}, example: { order: 'order-4711' } },
          ...anything,
        },
      },
      responses: {
        '200': answer('What was received.', received),
        ...failures(ofBodies),
      },
    }),
  },
  '/callbacks/test/text': {
    get: testCallback('testText', 'Test with a plain text reply', {
      responses: {
        '200': answer('`OK`.', { 'text/plain': { schema: { type: 'string', const: 'OK' }, example: 'OK' } }, [
          'X-Signature-Valid',
        ]),
        ...failures(['PAYLOAD_TOO_LARGE', 'RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR']),
      },
    }),
  },
};

export function testCallbacksSection(facts: DocumentFacts): Section {
  return {
    paths: unversioned(facts, testCallbacks),
    schemas: {
      Received: object(
        {
          received: { description: 'What was received, secrets hidden.' },
          signatureValid: flag('Only if a key identified an owner and a signature was sent.'),
        },
        { optional: ['signatureValid'] },
      ),
    },
  };
}
