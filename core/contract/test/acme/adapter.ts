/** The Acme adapter, correct by every rule of the kit. Its parts can be replaced by wrong ones. */
import {
  acknowledgeBy,
  declineOf,
  defineAdapter,
  defineRoute,
  empty,
  invalidSignature,
  fromMinor,
  genuine,
  hmac,
  isFresh,
  malformed,
  noInformation,
  nothingCharged,
  onlyHeader,
  verifyWithAny,
  readAs,
  readHex,
  readJson,
  stale,
  statusTable,
  text,
  toMinor,
  unknown,
  utf8,
  v,
  type CallbackRoute,
  type HttpReply,
  type Outcome,
  type AdapterContext,
  type ProviderAdapter,
  type RawCallback,
  type ReportedEvent,
  type Submission,
  type Verdict,
} from '../../index.ts';
import { Answer, Notice, Options } from './protocol.ts';

const declines = { poor: '51', refused: '05' } as const;
const Refusal = v.looseObject({ error: v.string(), charged: v.boolean() });
export const states = { paid: 'succeeded', waiting: 'pending', refused: 'failed' } as const;

export function chargeBody({ reference, money, card }: Submission, { options }: AdapterContext<Options>): string {
  const minor = toMinor(money);
  return JSON.stringify({ shop: options.shop, ref: reference, minor: Number(minor), cur: money.currency, card });
}

/** What an answer is about: our reference of the request, and its money. */
export type Asked = Pick<Submission, 'reference' | 'money'>;

export function toOutcome(reply: HttpReply, { reference, money }: Asked): Outcome {
  const message = readJson(utf8(reply.body));
  const refusal = readAs(Refusal, message);
  if (reply.status !== 200) return refusal?.charged === false ? nothingCharged(refusal.error) : unknown('no answer');
  const answer = readAs(Answer, message);
  const isOurs = answer?.ref === reference && answer.minor === toMinor(money) && answer.cur === money.currency;
  if (!isOurs) return unknown('unreadable, or about another payment or other money');
  const { id: providerReference, state } = answer;
  if (state === 'paid') return { outcome: 'succeeded', providerReference };
  if (state === 'waiting') return { outcome: 'pending', providerReference };
  const why = typeof answer['why'] === 'string' ? answer['why'] : null;
  return state === 'refused'
    ? { outcome: 'failed', providerReference, ...declineOf(declines, why) }
    : unknown('an unknown state');
}

export function verifySeal(raw: RawCallback, ctx: AdapterContext<Options>): Verdict<Notice> {
  const { options } = ctx;
  const parts = /^t=(\d{1,12}),s=([0-9a-fA-F]*)$/.exec(onlyHeader(raw, 'x-acme-seal') ?? '');
  if (!parts) return invalidSignature('no seal');
  const [, seconds = '', hex = ''] = parts;
  const key = verifyWithAny(options.sealKeys, readHex(hex, 32), (one) => hmac('sha256', one, `${seconds}.`, raw.body));
  if (key === undefined) return invalidSignature('no key makes this seal');
  if (!isFresh(Number(seconds) * 1000, ctx.now(), 300_000)) return stale('sealed too long ago, or in the future');
  const notice = readAs(Notice, readJson(utf8(raw.body)));
  if (!notice) return malformed('not a notice');
  return notice.shop === options.shop ? genuine(notice, { key }) : invalidSignature('for another shop');
}

export function toEvent({ notice, ref, id, state, minor, cur }: Notice): ReportedEvent {
  return {
    kind: 'payment',
    providerStatus: state,
    reference: ref,
    providerReference: id,
    amount: fromMinor(minor, cur),
    currency: cur,
    dedupeKey: notice,
  };
}

export const acknowledge = acknowledgeBy({
  accepted: text('noted'),
  invalid_signature: empty(401),
  malformed: empty(400),
  try_later: empty(503),
});

type Route = Omit<CallbackRoute<Options, Notice>, 'path' | 'method' | 'caller' | 'reports'>;

/** The correct parts, unless a test replaces them. */
export interface AcmeOptions {
  readonly adapter?: Partial<ProviderAdapter<Options>>;
  readonly manifest?: Partial<ProviderAdapter<Options>['manifest']>;
  readonly route?: Partial<Route>;
}

export function createAcme({ adapter, manifest, route }: AcmeOptions = {}): ProviderAdapter<Options> {
  return defineAdapter<Options>({
    manifest: {
      name: 'acme',
      title: 'Acme',
      code: 99,
      contract: '^2.0',
      inputs: ['card'],
      ways: [{ method: 'card', title: 'Card', threeDs: 'unsupported', payerFields: ['name'] }],
      currencies: 'any',
      options: Options,
      declines,
      reconcile: { stepsSeconds: [5, 60], thenEverySeconds: 3600, giveUpAfterSeconds: 86_400 },
      idempotency: 'A repeated reference gets the stored answer.',
      ...manifest,
    },
    async submit(payment, ctx) {
      const headers = {
        'Content-Type': 'application/json',
        'X-Key': ctx.options.apiKey,
        'Idempotency-Key': payment.reference,
      };
      const body = chargeBody(payment, ctx);
      return toOutcome(await ctx.http.send({ method: 'POST', path: '/charges', headers, body }), payment);
    },
    async fetchStatus({ reference }, { http, options }) {
      const headers = { 'X-Key': options.apiKey };
      const reply = await http.send({ method: 'GET', path: `/charges/${reference}`, headers });
      const notice = readAs(Notice, readJson(utf8(reply.body)));
      return notice ? { result: 'events', events: [toEvent(notice)] } : noInformation('unreadable');
    },
    async refund({ providerReference }, { reference, money }, ctx) {
      const headers = { 'X-Key': ctx.options.apiKey, 'Idempotency-Key': reference };
      const body = JSON.stringify({ minor: Number(toMinor(money)), cur: money.currency });
      const reply = await ctx.http.send({
        method: 'POST',
        path: `/charges/${providerReference}/back`,
        headers,
        body,
      });
      return toOutcome(reply, { reference, money });
    },
    callbacks: [
      defineRoute<Options, Notice>({
        path: 'acme',
        method: 'POST',
        caller: 'server',
        reports: 'payments',
        verifySignature: verifySeal,
        parseCallback: ({ value }) => ({ events: [toEvent(value)] }),
        acknowledge,
        ...route,
      }),
    ],
    mapStatus: statusTable({ payment: states }),
    ...adapter,
  });
}
