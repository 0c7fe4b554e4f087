/** The Acme adapter, right in every rule of the kit; its parts can be replaced by wrong ones. */
import {
  acknowledgeBy,
  declineOf,
  defineAdapter,
  defineRoute,
  empty,
  forged,
  fromMinor,
  genuine,
  hmac,
  isFresh,
  malformed,
  noNews,
  nothingCharged,
  onlyHeader,
  provenByAny,
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
  type Provider,
  type ProviderAdapter,
  type RawCallback,
  type ReportedEvent,
  type Submission,
  type Verdict,
} from '../../index.ts';
import { Answer, Notice, Options } from './protocol.ts';

const declines = { poor: '51', refused: '05' } as const;
const Refusal = v.looseObject({ error: v.string(), charged: v.boolean() });
const states = { paid: 'succeeded', waiting: 'pending', refused: 'failed' } as const;

export function chargeBody({ reference, money, card }: Submission, { options }: Provider<Options>): string {
  const minor = toMinor(money);
  return JSON.stringify({ shop: options.shop, ref: reference, minor: Number(minor), cur: money.currency, card });
}

export function toOutcome(reply: HttpReply, { reference }: { readonly reference: string }): Outcome {
  const message = readJson(utf8(reply.body));
  const refusal = readAs(Refusal, message);
  if (reply.status !== 200) return refusal?.charged === false ? nothingCharged(refusal.error) : unknown('no answer');
  const answer = readAs(Answer, message);
  if (!answer || answer.ref !== reference) return unknown('unreadable, or about another payment');
  const { id: providerReference, state } = answer;
  if (state === 'paid') return { outcome: 'succeeded', providerReference };
  if (state === 'waiting') return { outcome: 'pending', providerReference };
  const why = typeof answer['why'] === 'string' ? answer['why'] : null;
  return state === 'refused'
    ? { outcome: 'failed', providerReference, ...declineOf(declines, why) }
    : unknown('a state that nobody knows');
}

export function verifySeal(raw: RawCallback, provider: Provider<Options>): Verdict<Notice> {
  const { options } = provider;
  const parts = /^t=(\d{1,12}),s=([0-9a-fA-F]*)$/.exec(onlyHeader(raw, 'x-acme-seal') ?? '');
  if (!parts) return forged('no seal');
  const [, seconds = '', hex = ''] = parts;
  const right = provenByAny(options.sealKeys, readHex(hex, 32), (key) => hmac('sha256', key, `${seconds}.`, raw.body));
  if (!right) return forged('no key makes this seal');
  if (!isFresh(Number(seconds) * 1000, provider.now(), 300_000)) return stale('sealed too long ago, or in the future');
  const notice = readAs(Notice, readJson(utf8(raw.body)));
  if (!notice) return malformed('not a notice');
  return notice.shop === options.shop ? genuine(notice) : forged('for another shop');
}

export function toEvent({ notice, ref, id, state, minor, cur }: Notice): ReportedEvent {
  return {
    kind: 'payment',
    word: state,
    reference: ref,
    providerReference: id,
    amount: fromMinor(minor, cur),
    currency: cur,
    dedupeKey: notice,
  };
}

export const acknowledge = acknowledgeBy({
  accepted: text('noted'),
  bad_signature: empty(401),
  malformed: empty(400),
  try_later: empty(503),
});

type Route = Omit<CallbackRoute<Options, Notice>, 'path' | 'method' | 'caller' | 'reports'>;

/** The right parts, where a test gives no other. */
export interface Parts {
  readonly adapter?: Partial<ProviderAdapter<Options>>;
  readonly manifest?: Partial<ProviderAdapter<Options>['manifest']>;
  readonly route?: Partial<Route>;
}

export function createAcme({ adapter, manifest, route }: Parts = {}): ProviderAdapter<Options> {
  return defineAdapter<Options>({
    manifest: {
      name: 'acme',
      title: 'Acme',
      code: 99,
      contract: '^1.0',
      inputs: ['card'],
      methods: ['card'],
      currencies: 'any',
      options: Options,
      declines,
      words: { payment: Object.keys(states) },
      reconcile: { stepsSeconds: [5, 60], thenEverySeconds: 3600, giveUpAfterSeconds: 86_400 },
      idempotency: 'A repeated reference gets the stored answer.',
      ...manifest,
    },
    async submit(payment, provider) {
      const headers = {
        'Content-Type': 'application/json',
        'X-Key': provider.options.apiKey,
        'Idempotency-Key': payment.reference,
      };
      const body = chargeBody(payment, provider);
      return toOutcome(await provider.http.send({ method: 'POST', path: '/charges', headers, body }), payment);
    },
    async fetchStatus({ reference }, { http, options }) {
      const headers = { 'X-Key': options.apiKey };
      const reply = await http.send({ method: 'GET', path: `/charges/${reference}`, headers });
      const notice = readAs(Notice, readJson(utf8(reply.body)));
      return notice ? { news: 'events', events: [toEvent(notice)] } : noNews('unreadable');
    },
    async refund({ providerReference }, { reference, money }, provider) {
      const headers = { 'X-Key': provider.options.apiKey, 'Idempotency-Key': reference };
      const body = JSON.stringify({ minor: Number(toMinor(money)) });
      const reply = await provider.http.send({
        method: 'POST',
        path: `/charges/${providerReference}/back`,
        headers,
        body,
      });
      return toOutcome(reply, { reference });
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
