/** Describes the calls that pay. */
import type { InputKind } from '@paywright/contract';
import { inputMembers } from '@paywright/contract/core';
import type { ErrorKind } from '../../base/errors.ts';
import type { AdapterFacts } from '../deps.ts';
import { toBodySchemas } from '../openapi/body-schema.ts';
import { schemaRef, type JsonSchema } from '../openapi/json-schema.ts';
import { acknowledgement, jsonBody, merchantCall, pathId, queryParameters } from '../openapi/merchant-call.ts';
import type { Example, Operation, Parameter, Paths } from '../openapi/model.ts';
import type { DocumentFacts, Section } from '../openapi/section.ts';
import { actionSchemas } from './actions.ts';
import { inOwnUnit, narrowed } from './adapter-bounds.ts';
import { acceptedBodies, bodies, orderBodies } from './bodies.ts';
import type { BodyName } from './bodies.ts';
import { answerExamples, bodyExamples } from './examples.ts';
import { payQuery } from './schema.ts';

const form: readonly ErrorKind[] = ['VALIDATION_ERROR', 'INVALID_FORMAT', 'NOT_FOUND'];
const stateful: readonly ErrorKind[] = ['PAYMENT_NOT_PAYABLE', 'PROVIDER_UNAVAILABLE'];
const declines: readonly ErrorKind[] = ['CARD_DECLINED', 'THREEDS_FAILED'];
const ofCards: readonly ErrorKind[] = ['INVALID_CARD', ...declines];
const ofUpi: readonly ErrorKind[] = ['INVALID_UPI_ID', 'UPI_TRANSACTION_FAILED'];

/** The calls that pay, their bodies and answers. */
export function paymentsSection(facts: DocumentFacts): Section {
  const accepted = acceptedBodies(facts.config);
  const bodySchemas = accepted.map((name) => toBodySchemas(name, bodies[name]));
  const anyOrder: JsonSchema = {
    anyOf: Object.values(orderBodies).flatMap((name) => (accepted.includes(name) ? [schemaRef(name)] : [])),
    description: 'A payment request with what the payer pays with. The provider’s code determines which.',
  };
  return {
    paths: paymentPaths(facts),
    schemas: Object.assign({}, ...bodySchemas, { H2hOrder: anyOrder }, actionSchemas) as Record<string, JsonSchema>,
    examples: answerExamples(facts.config.publicUrl),
  };
}

/** Active adapters, each with the inputs that the service accepts. An adapter without any is left out. */
function activeAdapters({ adapters, config }: DocumentFacts): readonly AdapterFacts[] {
  const active = adapters.flatMap(({ state, adapter }) => (state === 'on' && adapter ? [adapter] : []));
  if (!config.refuseCardNumbers) return active;
  return active.flatMap(({ manifest, callbacks }) => {
    const inputs = manifest.inputs.filter((kind) => kind !== 'card');
    return inputs.length > 0 ? [{ manifest: { ...manifest, inputs }, callbacks }] : [];
  });
}

interface PayingCall {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly body: ReturnType<typeof jsonBody>;
  readonly kinds: readonly ErrorKind[];
}

function paymentPaths(facts: DocumentFacts): Paths {
  const examples = bodyExamples(facts.now);
  const active = activeAdapters(facts);
  const { refuseCardNumbers } = facts.config;
  const requestId = pathId('The payment request, which sets the amount.');

  const bodyOf = (name: BodyName): ReturnType<typeof jsonBody> => jsonBody(schemaRef(name), examples[name]);
  const paying = ({ kinds, ...call }: PayingCall): Operation =>
    merchantCall({
      ...call,
      tag: 'Payments',
      scope: 'payments:write',
      kinds: [...form, ...kinds, ...stateful],
      isWriting: true,
      success: {
        description: 'Paid, or pending with what the payer must do next: see `paymentRequestStatusId`.',
        headers: ['X-Payment-Request-Id', 'Location'],
        content: acknowledgement('PaymentAnswer', ['paid', 'redirect', 'confirm', 'upi', 'crypto', 'qr']),
        links: payments,
      },
    });

  // The code and the bodies of one provider, so that the examples match.
  const [shown] = active;
  const anyExample = refuseCardNumbers ? 'BillingOrder' : 'CardOrder';

  const byCard: Paths = {
    '/payments/creditCard/{id}': {
      post: paying({
        operationId: 'payByCard',
        summary: 'Pay a payment request by card',
        description:
          'The route rules choose the provider. With `transaction3dsId` it resumes an attempt that stopped for 3D Secure.',
        parameters: [
          requestId,
          ...queryParameters(payQuery, {
            transaction3dsId: 'The `transactionId` of a redirect action: continues the payment after the redirect.',
          }),
        ],
        body: bodyOf('CardPayment'),
        kinds: ofCards,
      }),
    },
  };

  return {
    ...(!refuseCardNumbers && byCard),
    '/payments/h2h/{id}': {
      post: paying({
        operationId: 'payH2h',
        summary: 'Create a payment request and pay it at one provider',
        description: [
          `The provider’s code determines the body: ${refuseCardNumbers ? '' : 'a card, '}billing data only, a card token or a UPI id. A provider ` +
            'may narrow the bounds of the body.',
          ...(active.length > 0 ? ['', ...active.map(listed)] : []),
        ].join('\n'),
        parameters: [pathId('The provider’s code.', shown?.manifest.code ?? 11)],
        body: jsonBody(schemaRef('H2hOrder'), shown ? ownExamples(shown) : examples[anyExample]),
        kinds: [...ofCards, ...ofUpi],
      }),
    },
    ...Object.fromEntries(active.map(h2hPath)),
    '/payments/cardMemberConfirm/{id}': {
      post: paying({
        operationId: 'confirmByMemberCode',
        summary: 'Confirm a card payment with a member code',
        description:
          'Call it after an answer with the action `confirm`. A wrong code answers PAY002 with field `code`; try again with another code.',
        parameters: [pathId('The payment request.')],
        body: bodyOf('MemberConfirmation'),
        kinds: ofCards,
      }),
    },
    '/payments/upi/{id}': {
      post: paying({
        operationId: 'payByUpi',
        summary: 'Pay a payment request by UPI',
        description: 'The route rules choose the provider.',
        parameters: [requestId],
        body: bodyOf('UpiPayment'),
        kinds: ofUpi,
      }),
    },
  };

  /** Examples of the bodies that a provider accepts. */
  function ownExamples({ manifest }: AdapterFacts): Record<string, Example> {
    const entries = manifest.inputs.flatMap((kind) => Object.entries(examples[orderBodies[kind]]));
    return Object.fromEntries(
      entries.map(([key, { summary, value }]) => [key, { summary, value: inOwnUnit(manifest, value as object) }]),
    );
  }

  /** The h2h endpoint of one provider, with the bodies that it accepts. */
  function h2hPath(adapter: AdapterFacts): [path: string, item: Paths[string]] {
    const { manifest } = adapter;
    const { code, title } = manifest;
    const taken = manifest.inputs.map((kind) => inputs[kind]);
    const { schema, notes } = narrowed(manifest.bounds, bodyOfInputs(manifest.inputs));
    const call = paying({
      operationId: `payH2h${code}`,
      summary: `Pay at ${title}: ${taken.map(({ words }) => words).join(', or ')}`,
      description: [
        `Input kind ${manifest.inputs.map((kind) => `\`${kind}\``).join(', or ')}.`,
        ...notes.map((note) => `- ${note}`),
      ].join('\n'),
      body: jsonBody(schema, ownExamples(adapter)),
      kinds: [...new Set(taken.flatMap(({ kinds }) => kinds))],
    });
    return [`/payments/h2h/${code}`, { post: call }];
  }
}

/** A provider in the list of codes: its code, title, bodies and narrower bounds. */
function listed({ manifest }: AdapterFacts): string {
  const { code, title, inputs: kinds, bounds } = manifest;
  const names = kinds.map((kind) => `\`${orderBodies[kind]}\``).join(' or ');
  const { notes } = narrowed(bounds, {});
  return [`- \`${code}\` ${title}: ${names}.`, ...notes].join(' ');
}

/** The body of one of several inputs. A body that has no member of another input is billing data. */
function bodyOfInputs(kinds: readonly InputKind[]): JsonSchema {
  const members = kinds.flatMap((kind) => inputMembers[kind] ?? []);
  const anyOf = kinds.map((kind): JsonSchema => {
    const whole = schemaRef(orderBodies[kind]);
    if (kind !== 'billing' || members.length === 0) return whole;
    const having = members.map((member): JsonSchema => ({ properties: { [member]: {} }, required: [member] }));
    return { allOf: [whole, { not: having.length === 1 ? having[0]! : { anyOf: having } }] };
  });
  return anyOf.length === 1 ? anyOf[0]! : { anyOf };
}

/** For each input kind: the words of the summary, and the error kinds. */
const inputs = {
  card: { words: 'card', kinds: ofCards },
  billing: { words: 'billing data', kinds: declines },
  token: { words: 'card token', kinds: declines },
  upi: { words: 'UPI id', kinds: ofUpi },
} as const satisfies Record<InputKind, unknown>;

/** Calls for the payment request that an answer is about. */
const payments = {
  read: { $ref: '#/components/links/read' },
  timeline: { $ref: '#/components/links/timeline' },
  confirm: { $ref: '#/components/links/confirm' },
  capture: { $ref: '#/components/links/capture' },
  refund: { $ref: '#/components/links/refund' },
};
