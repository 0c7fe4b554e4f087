/** The shape that the default export of an adapter package must have, member by member. */
import { isCurrency, payerFields, paymentMethods, unfinishedSteps } from '@paywright/contract';
import {
  declineCodes,
  eventKinds,
  isCryptocurrency,
  maxLoadsPerMinute,
  pictureProblem,
} from '@paywright/contract/core';
import * as v from 'valibot';

/** The provider codes of the specification that an adapter may have: 0 means *none*. */
function isProviderCode(code: number): boolean {
  return Number.isInteger(code) && ((code >= 11 && code <= 18) || (code >= 21 && code <= 59));
}

/** `/callbacks/3ds` and `/callbacks/test/…` belong to core. */
function isReserved(path: string): boolean {
  return /^(3ds|test)(\/|$)/i.test(path);
}

const words = v.pipe(v.string(), v.nonEmpty('a text that is not empty'));
const seconds = v.pipe(v.number(), v.finite(), v.minValue(0, 'seconds, not below 0'));
const someSeconds = v.pipe(v.number(), v.finite(), v.gtValue(0, 'seconds above 0'));
const ability = v.optional(v.function('a function'));
const schema = v.custom<v.GenericSchema>(
  (value) =>
    typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'schema' && '~run' in value,
  'a valibot schema',
);
const list = <S extends v.GenericSchema>(item: S) => v.pipe(v.array(item), v.nonEmpty('a list that is not empty'));

const brand = v.looseObject({
  name: words,
  picture: v.optional(
    v.pipe(
      v.unknown(),
      v.check(
        (picture) => pictureProblem(picture) === undefined,
        ({ input }) => `an image of the payer’s page, but it is ${pictureProblem(input)}`,
      ),
    ),
  ),
});
/** The brands of a manifest, or what its function returns. */
export const brandsShape = v.record(
  v.picklist(Object.keys(paymentMethods), 'the name of a payment method of the contract'),
  v.array(brand),
);

const manifest = v.looseObject({
  name: words,
  title: words,
  code: v.pipe(v.number(), v.check(isProviderCode, 'a provider code of the specification: 11 to 18 or 21 to 59')),
  contract: words,
  inputs: list(v.picklist(['card', 'billing', 'token', 'upi'])),
  bounds: v.optional(schema),
  ways: list(
    v.looseObject({
      method: v.picklist(Object.keys(paymentMethods), 'the name of a payment method of the contract'),
      title: words,
      titles: v.optional(v.record(v.string(), words)),
      leadsTo: v.optional(words),
      threeDs: v.picklist(['enforced', 'by_other_means', 'unsupported']),
      payerFields: v.array(v.picklist(payerFields, 'a field of the payer')),
      withoutCard: v.optional(v.literal(true)),
      unfinishedStep: v.optional(v.picklist(unfinishedSteps)),
      stepMinutes: v.optional(v.pipe(v.number(), v.integer('whole minutes'), v.minValue(1, 'at least 1 minute'))),
    }),
  ),
  maxMinorDigits: v.optional(v.pipe(v.number(), v.integer('a whole number'), v.minValue(1, 'at least 1'))),
  currencies: v.union(
    [v.literal('any'), v.array(words), v.function()],
    '"any", a list of currency codes, or a function that gives one',
  ),
  cryptocurrencies: v.optional(
    list(v.pipe(v.string(), v.check(isCryptocurrency, 'a cryptocurrency of the contract, such as BTC'))),
  ),
  units: v.optional(v.record(v.string(), v.pipe(v.string(), v.check(isCurrency, 'an ISO 4217 code')))),
  coin: ability,
  accountKey: ability,
  brands: v.optional(v.union([v.function(), brandsShape], 'brands by payment method, or a function that gives them')),
  countries: v.optional(v.array(v.pipe(v.string(), v.regex(/^[A-Z]{2}$/, 'two capitals')))),
  options: schema,
  loadsPerMinute: v.optional(
    v.pipe(
      v.number(),
      v.integer('a whole number'),
      v.minValue(1, 'at least 1'),
      v.maxValue(maxLoadsPerMinute, `at most ${maxLoadsPerMinute}`),
    ),
  ),
  declines: v.record(v.string(), v.picklist(declineCodes, 'a decline code of the specification')),
  reconcile: v.optional(
    v.looseObject({
      stepsSeconds: v.array(seconds),
      thenEverySeconds: someSeconds,
      giveUpAfterSeconds: someSeconds,
    }),
  ),
  refundNeeds: v.optional(v.literal('providerReference')),
  repeatRefund: v.optional(v.picklist(['safe', 'never'])),
  idempotency: words,
  console: v.optional(v.array(words)),
  undecided: v.optional(v.record(v.string(), words)),
});

const route = v.looseObject({
  path: v.pipe(
    v.string(),
    v.regex(/^[\w.~-]+(\/[\w.~-]+)*$/, 'a path below /callbacks/, without a slash at either end'),
    v.check((path) => !isReserved(path), "one of core's own addresses"),
  ),
  method: v.picklist(['GET', 'POST']),
  caller: v.picklist(['server', 'browser']),
  reports: words,
  contentTypes: v.optional(v.array(words)),
  queryParameters: v.optional(v.array(words)),
  maxBodyBytes: v.optional(v.pipe(v.number(), v.integer('whole bytes'), v.minValue(1, 'at least 1 byte'))),
  signatureCovers: v.optional(v.literal('checksum')),
  accountHint: ability,
  verifySignature: v.function('a function'),
  parseCallback: v.function('a function'),
  acknowledge: ability,
  probe: ability,
});

const statusLists = v.strictObject(v.entriesFromList(eventKinds, v.optional(v.array(v.string()))));
const mapping = v.pipe(
  v.function('a function'),
  v.check((given) => 'statuses' in given && v.is(statusLists, given.statuses), 'made by statusTable'),
);

export const adapterShape = v.looseObject(
  {
    manifest,
    submit: v.function('a function'),
    callbacks: v.array(route),
    mapStatus: mapping,
    methodOf: ability,
    complete: ability,
    fetchStatus: ability,
    refund: ability,
    capture: ability,
    void: ability,
    close: ability,
    checkAccount: ability,
    markSeen: ability,
    nextFetch: ability,
  },
  'its default export is no adapter: export default defineAdapter({ … })',
);
