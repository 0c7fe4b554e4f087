/** The shapes that an adapter's answers must have. Core checks them because adapters may be written in JavaScript. */
import { validateHeaderName, validateHeaderValue } from 'node:http';
import {
  isDecimal,
  type AccountFinding,
  type Acknowledgement,
  type Action,
  type AdapterState,
  type Outcome,
  type Parsed,
  type ReportedEvent,
  type StatusReport,
  type Verdict,
} from '@paywright/contract';
import {
  declineCodes,
  detailLimits,
  eventKinds,
  isPlainJson,
  maxAdapterStateBytes,
  interfaceFields,
  providerReferenceLimits,
} from '@paywright/contract/core';
import * as v from 'valibot';

const text = v.string();
const filled = v.pipe(text, v.nonEmpty());
const maybe = v.exactOptional(text);
const yes = v.exactOptional(v.literal(true));
const decline = v.exactOptional(v.picklist(declineCodes));
const texts = v.record(text, text);
const webUrl = v.pipe(
  text,
  v.check((url) => URL.canParse(url) && /^https?:$/.test(new URL(url).protocol)),
);

const action: v.GenericSchema<unknown, Action> = v.variant('type', [
  v.object({
    type: v.literal('redirect'),
    method: v.picklist(['GET', 'POST']),
    url: webUrl,
    fields: v.exactOptional(texts),
    transactionId: maybe,
    completesOnReturn: yes,
    referrer: v.exactOptional(v.literal('origin')),
  }),
  v.object({ type: v.literal('confirm'), paymentId: filled }),
  v.object({
    type: v.literal('upi'),
    mode: v.picklist(['collect', 'intent', 'qr']),
    link: maybe,
    text: maybe,
    expiry: text,
  }),
  v.object({
    type: v.literal('crypto'),
    address: filled,
    coin: text,
    amount: text,
    network: text,
    expiry: text,
    memo: maybe,
  }),
  v.object({ type: v.literal('qr'), text: filled, expiry: text, app: v.exactOptional(filled) }),
]);

const threeDs = v.exactOptional(v.picklist(['authenticated', 'attempted', 'none']));
export const adapterStateShape = v.custom<AdapterState>(
  (value) => isPlainJson(value) && Buffer.byteLength(JSON.stringify(value)) <= maxAdapterStateBytes,
  `plain JSON of at most ${maxAdapterStateBytes} bytes`,
);
const providerReferences = v.exactOptional(
  v.pipe(
    v.record(
      v.pipe(filled, v.maxLength(providerReferenceLimits.name)),
      v.pipe(filled, v.maxLength(providerReferenceLimits.value)),
    ),
    v.check(
      (ids) => Object.keys(ids).length <= providerReferenceLimits.members,
      `at most ${providerReferenceLimits.members} ids`,
    ),
  ),
);
const named = {
  providerReference: maybe,
  providerReferences,
  unknownStatus: maybe,
  threeDs,
  adapterState: v.exactOptional(adapterStateShape),
};

export const outcomeShape: v.GenericSchema<unknown, Outcome> = tidied(
  v.variant('outcome', [
    v.object({ ...named, outcome: v.literal('succeeded') }),
    v.object({
      ...named,
      outcome: v.literal('failed'),
      decline,
      declineText: maybe,
      nothingCharged: yes,
      refusedField: v.exactOptional(v.fallback(v.picklist(interfaceFields), 'body')),
      reason: maybe,
      misconfigured: yes,
      cancelled: yes,
      threeDsResult: maybe,
      acsResponse: maybe,
    }),
    v.object({
      ...named,
      outcome: v.literal('pending'),
      action: v.exactOptional(action),
      authorised: yes,
      codeRefused: yes,
      needsMerchant: yes,
      reason: maybe,
    }),
    v.object({ ...named, outcome: v.literal('unknown'), reason: maybe }),
  ]),
);

const details = v.pipe(
  v.record(v.pipe(text, v.maxLength(detailLimits.name)), v.pipe(text, v.maxLength(detailLimits.value))),
  v.check((members) => Object.keys(members).length <= detailLimits.members, `at most ${detailLimits.members} members`),
);

const event: v.GenericSchema<unknown, ReportedEvent> = v.object({
  kind: v.picklist(eventKinds),
  providerStatus: text,
  reference: v.nullable(text),
  providerReference: v.nullable(text),
  providerReferences,
  subReference: maybe,
  amount: v.nullable(v.pipe(text, v.check(isDecimal))),
  currency: v.nullable(text),
  capturedAmount: v.exactOptional(v.pipe(text, v.check(isDecimal))),
  dedupeKey: v.nullable(filled),
  decline,
  declineText: maybe,
  mode: v.exactOptional(v.picklist(['live', 'test'])),
  accountKey: maybe,
  cumulative: yes,
  orRefunded: yes,
  mustFetch: yes,
  awaitsCompletion: yes,
  awaitsPayer: yes,
  orderHint: v.exactOptional(v.pipe(v.number(), v.finite())),
  occurredAt: v.exactOptional(v.date()),
  action: v.exactOptional(action),
  threeDsResult: maybe,
  threeDs,
  received: v.exactOptional(v.pipe(text, v.check(isDecimal))),
  details: v.exactOptional(details),
  failedRequest: v.exactOptional(v.picklist(['capture', 'void'])),
  unlistedStatus: maybe,
  facts: v.exactOptional(v.record(text, v.nullable(v.union([text, v.number(), v.boolean()])))),
});

export const reportShape: v.GenericSchema<unknown, StatusReport> = tidied(
  v.variant('result', [
    v.object({ result: v.literal('events'), events: v.array(event), seenToken: maybe, showsAllRefunds: yes }),
    v.object({ result: v.literal('waiting'), action: v.exactOptional(action), awaitsPayer: yes }),
    v.object({ result: v.literal('nothing_charged') }),
    v.object({ result: v.literal('no_information'), reason: text }),
  ]),
);

const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));

export const parsedShape: v.GenericSchema<unknown, Parsed> = tidied(
  v.union([
    v.object({ malformed: text }),
    v.object({
      events: v.array(event),
      refused: v.exactOptional(count),
      refusedAt: v.exactOptional(v.array(count)),
    }),
  ]),
);

export const accountShape: v.GenericSchema<unknown, readonly AccountFinding[]> = v.array(
  v.object({
    ok: v.boolean(),
    finding: v.string(),
    cure: v.exactOptional(v.string()),
    accountId: v.exactOptional(filled),
  }),
);

export const markSeenShape = v.picklist(['done', 'changed', 'later']);

export const acknowledgementShape: v.GenericSchema<unknown, Acknowledgement> = tidied(
  v.object({
    status: v.pipe(v.number(), v.integer(), v.minValue(200), v.maxValue(599)),
    headers: v.exactOptional(v.pipe(texts, v.check(areHeaders))),
    body: v.nullable(text),
    isUnnamed: v.exactOptional(v.literal(true)),
  }),
);

// Not copied, because a verified value carries the mark of the contract.
export const verdictShape = v.custom<Verdict<never>>((value) => {
  if (typeof value !== 'object' || value === null || !('verdict' in value)) return false;
  if (value.verdict === 'genuine' || value.verdict === 'unproven') {
    return (
      'verified' in value && typeof value.verified === 'object' && value.verified !== null && 'value' in value.verified
    );
  }
  const refusals: readonly unknown[] = ['invalid_signature', 'stale', 'malformed', 'try_later'];
  return refusals.includes(value.verdict) && 'reason' in value && typeof value.reason === 'string';
});

function areHeaders(headers: Readonly<Record<string, string>>): boolean {
  try {
    for (const [name, value] of Object.entries(headers)) {
      validateHeaderName(name);
      validateHeaderValue(name, value);
    }
    return true;
  } catch {
    return false; // node:http reports an invalid header only by throwing.
  }
}

/** Removes members that are undefined, because JavaScript adapters may set them. */
function tidied<T>(schema: v.GenericSchema<unknown, T>): v.GenericSchema<unknown, T> {
  return v.pipe(v.unknown(), v.transform(tidy), schema);
}

function tidy(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(tidy);
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, tidy(member)]));
}
