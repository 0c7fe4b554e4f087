/** Adapters that each break one rule, and what the kit must say of them. */
import { createHmac, randomUUID } from 'node:crypto';
import {
  acknowledgeBy,
  empty,
  forged,
  fromMinor,
  genuine,
  isFresh,
  malformed,
  onlyHeader,
  readAs,
  readJson,
  sameText,
  statusTable,
  text,
  toMinor,
  unknown,
  utf8,
  v,
  type Outcome,
  type Provider,
  type ProviderAdapter,
  type RawCallback,
  type Submission,
  type Verdict,
} from '../../index.ts';
import type { Kit } from '../../testing/index.ts';
import { acknowledge, chargeBody, createAcme, toEvent, toOutcome, verifySeal } from './adapter.ts';
import { Notice, Options, sealHeader } from './protocol.ts';
import { createAcmeSandbox } from './sandbox.ts';
import { createVectors } from './vectors.ts';

export interface Broken {
  readonly fault: string;
  /** The rule that must turn red. */
  readonly rule: string;
  /** Words that the failing check must say. */
  readonly says: string;
  readonly adapter: ProviderAdapter<Options>;
  readonly kit?: Partial<Kit<Options>>;
}

type Acme = Provider<Options>;

function readNotice(raw: RawCallback): Verdict<Notice> {
  const notice = readAs(Notice, readJson(utf8(raw.body)));
  return notice ? genuine(notice) : malformed('not a notice');
}

/** Seals as the right adapter does, but reads the parts of the header with this. */
function sealOf(raw: RawCallback): { readonly seconds: string; readonly hex: string } {
  const [, seconds = '', hex = ''] = /^t=(\d*),s=(\w*)$/.exec(onlyHeader(raw, 'x-acme-seal') ?? '') ?? [];
  return { seconds, hex };
}

async function send(payment: Submission, provider: Acme, change: { headers?: object; body?: string; path?: string }) {
  const headers = { 'X-Key': provider.options.apiKey, 'Idempotency-Key': payment.reference, ...change.headers };
  const { body = chargeBody(payment, provider), path = '/charges' } = change;
  return toOutcome(await provider.http.send({ method: 'POST', path, headers, body }), payment);
}

const verifiedBy = (
  verifySignature: (raw: RawCallback, provider: Acme) => Verdict<Notice> | Promise<Verdict<Notice>>,
) => createAcme({ route: { verifySignature } });
const submittedBy = (submit: (payment: Submission, provider: Acme) => Promise<Outcome>) =>
  createAcme({ adapter: { submit } });

function sealWithoutAmount(key: string, seconds: string, body: Uint8Array): string {
  const signed = Buffer.from(body)
    .toString('latin1')
    .replace(/"minor":\d+/, '');
  return sealHeader(key, seconds, Buffer.from(signed, 'latin1'));
}

let counted = 0;

export const brokenAdapters: readonly Broken[] = [
  {
    fault: 'skips the signature',
    rule: 'proof',
    says: 'byte',
    adapter: verifiedBy((raw) => readNotice(raw)),
  },
  {
    fault: 'compares with ==',
    rule: 'proof',
    says: 'sameBytes',
    adapter: verifiedBy((raw, provider) => {
      const { seconds, hex } = sealOf(raw);
      const macs = provider.options.sealKeys.map((key) =>
        createHmac('sha256', key).update(`${seconds}.`).update(raw.body).digest('hex'),
      );
      // oxlint-disable-next-line eslint/eqeqeq -- the fault
      if (!macs.some((mac) => mac == hex.toLowerCase())) return forged('no key makes this seal');
      return verifySeal(raw, provider);
    }),
  },
  {
    fault: 'trusts an unsigned amount',
    rule: 'proof',
    says: 'mustFetch',
    adapter: verifiedBy((raw, provider) => {
      const { options } = provider;
      const { seconds } = sealOf(raw);
      const read = readNotice(raw);
      const given = onlyHeader(raw, 'x-acme-seal') ?? '';
      const right = options.sealKeys.some((key) => sameText(sealWithoutAmount(key, seconds, raw.body), given));
      if (!right || !isFresh(Number(seconds) * 1000, provider.now(), 300_000)) return forged('wrong seal');
      return read.verdict === 'genuine' && read.proven.value.shop !== options.shop ? forged('other shop') : read;
    }),
    kit: { vectors: createVectors(sealWithoutAmount), sandbox: { create: createAcmeSandbox(), patienceMs: 100 } },
  },
  {
    fault: 'maps unknown words to success',
    rule: 'statuses',
    says: 'unknown',
    adapter: createAcme({
      adapter: {
        mapStatus: (event) => {
          const status = statusTable({ payment: { waiting: 'pending', refused: 'failed' } })(event);
          return status === 'unknown' ? 'succeeded' : status;
        },
      },
    }),
  },
  {
    fault: 'doubles events',
    rule: 'events',
    says: 'tells 2 events',
    adapter: createAcme({
      route: { parseCallback: ({ value }) => ({ events: [toEvent(value), toEvent(value)] }) },
    }),
  },
  {
    fault: 'leaks a secret in an address',
    rule: 'secrecy',
    says: 'tells a secret',
    adapter: submittedBy((payment, provider) =>
      send(payment, provider, { path: `/charges?key=${encodeURIComponent(provider.options.apiKey)}` }),
    ),
  },
  {
    fault: 'leaks a card number in a reason',
    rule: 'secrecy',
    says: 'card number',
    adapter: submittedBy(async (payment, provider) => {
      const outcome = await send(payment, provider, {});
      return outcome.outcome === 'unknown' ? unknown(`no answer for ${payment.card?.number}`) : outcome;
    }),
  },
  {
    fault: 'prints a CVV',
    rule: 'secrecy',
    says: 'CVV',
    adapter: submittedBy((payment, provider) => {
      // Only long ones, so that the suite stays quiet beside the check that looks for them.
      if (payment.card?.cvv.length === 4) console.log('charging', payment.card);
      return send(payment, provider, {});
    }),
  },
  {
    fault: 'leaves a secret unmarked',
    rule: 'secrecy',
    says: 'apiKey',
    adapter: createAcme({
      manifest: { options: v.strictObject({ ...Options.entries, apiKey: v.string() }) },
    }),
  },
  {
    fault: 'throws on what it cannot read',
    rule: 'containment',
    says: 'did not end well',
    adapter: verifiedBy((raw, provider) => {
      const verdict = verifySeal(raw, provider);
      return JSON.parse(Buffer.from(raw.body).toString()) === null ? malformed('null') : verdict;
    }),
  },
  {
    fault: 'throws on a lost connection',
    rule: 'submission',
    says: 'did not end well',
    adapter: submittedBy(async (payment, provider) => {
      try {
        return await send(payment, provider, {});
      } catch {
        throw new Error('the provider is down');
      }
    }),
  },
  {
    fault: 'hangs',
    rule: 'submission',
    says: 'gave no answer within',
    adapter: submittedBy((payment, provider) =>
      send(payment, provider, {}).then((outcome) =>
        outcome.outcome === 'unknown' ? new Promise<never>(() => undefined) : outcome,
      ),
    ),
  },
  {
    fault: 'loses bytes by encoding again what it parsed',
    rule: 'bytes',
    says: 'raw.body',
    adapter: verifiedBy((raw, provider) => {
      const parsed: unknown = JSON.parse(utf8(raw.body) || 'null');
      return verifySeal({ ...raw, body: Buffer.from(JSON.stringify(parsed)) }, provider);
    }),
    // With vectors that a serializer of ours would spell alike, so that only another spelling shows it.
    kit: { vectors: createVectors(sealHeader, (body) => JSON.stringify(JSON.parse(body))) },
  },
  {
    fault: 'makes a random idempotency key',
    rule: 'idempotency',
    says: 'differently the second time',
    adapter: submittedBy((payment, provider) =>
      send(payment, provider, { headers: { 'Idempotency-Key': randomUUID() } }),
    ),
  },
  {
    fault: 'makes an idempotency key of lent random bytes',
    rule: 'idempotency',
    says: 'idempotency key',
    adapter: submittedBy((payment, provider) =>
      send(payment, provider, {
        headers: { 'Idempotency-Key': Buffer.from(provider.random(12)).toString('hex') },
      }),
    ),
  },
  {
    fault: 'reads the machine’s clock',
    rule: 'idempotency',
    says: 'provider.now()',
    adapter: submittedBy((payment, provider) =>
      send(payment, provider, { headers: { 'X-Day': new Date().toISOString().slice(0, 10) } }),
    ),
  },
  {
    fault: 'asks for amounts as floating-point numbers',
    rule: 'money',
    says: 'formatAmount',
    adapter: submittedBy((payment, provider) => {
      const { money, reference, card } = payment;
      const cents = Number(money.amount) * 10 ** (toMinor({ ...money, amount: '1' }).length - 1);
      const body = { shop: provider.options.shop, ref: reference, minor: cents, cur: money.currency, card };
      return send(payment, provider, { body: JSON.stringify(body) });
    }),
  },
  {
    fault: 'tells amounts as floating-point numbers',
    rule: 'money',
    says: '25.9 for 25.90',
    adapter: createAcme({
      route: {
        parseCallback: ({ value }) => ({ events: [{ ...toEvent(value), amount: String(Number(value.minor) / 100) }] }),
      },
    }),
  },
  {
    fault: 'forgets the previous secret',
    rule: 'proof',
    says: 'stands before the one that signed it',
    adapter: verifiedBy((raw, provider) => {
      const { options } = provider;
      return verifySeal(raw, { ...provider, options: { ...options, sealKeys: options.sealKeys.slice(0, 1) } });
    }),
  },
  {
    fault: 'never finds a message too old',
    rule: 'proof',
    says: 'ten days away',
    adapter: verifiedBy((raw, provider) => {
      const { seconds } = sealOf(raw);
      return verifySeal(raw, { ...provider, now: () => new Date(Number(seconds) * 1000) });
    }),
  },
  {
    fault: 'minds only the past',
    rule: 'proof',
    says: 'both ways',
    adapter: verifiedBy((raw, provider) => {
      const sealed = Number(sealOf(raw).seconds) * 1000;
      const now = provider.now().getTime();
      return verifySeal(raw, { ...provider, now: () => new Date(Math.max(sealed, now)) });
    }),
  },
  {
    fault: 'believes what is meant for another shop',
    rule: 'proof',
    says: 'another account',
    adapter: verifiedBy((raw, provider) => {
      const read = readNotice(raw);
      const shop = read.verdict === 'genuine' ? read.proven.value.shop : '';
      return verifySeal(raw, { ...provider, options: { ...provider.options, shop } });
    }),
  },
  {
    fault: 'takes an empty secret',
    rule: 'proof',
    says: 'empty',
    adapter: createAcme({
      manifest: {
        options: v.strictObject({
          ...Options.entries,
          sealKeys: v.pipe(v.array(v.pipe(v.string(), v.metadata({ secret: true })))),
        }),
      },
      route: {
        verifySignature: (raw, provider) =>
          provider.options.sealKeys.some((key) => key === '') ? readNotice(raw) : verifySeal(raw, provider),
      },
    }),
  },
  {
    fault: 'answers a forgery as if it were accepted',
    rule: 'acknowledgement',
    says: 'would not send again',
    adapter: createAcme({ route: { acknowledge: () => text('noted') } }),
  },
  {
    fault: 'refuses duplicates',
    rule: 'acknowledgement',
    says: 'for ever',
    adapter: createAcme({
      route: {
        acknowledge: (context) => (context.outcome === 'duplicate' ? empty(409) : acknowledge(context)),
      },
    }),
  },
  {
    fault: 'acknowledges otherwise each time',
    rule: 'acknowledgement',
    says: 'differs the second time',
    adapter: createAcme({
      route: { acknowledge: (context) => ({ ...acknowledgeBy({ accepted: text(randomUUID()) })(context) }) },
    }),
  },
  {
    fault: 'gives every event the same identity',
    rule: 'identity',
    says: 'dedupeKey',
    adapter: createAcme({
      route: { parseCallback: ({ value }) => ({ events: [{ ...toEvent(value), dedupeKey: value.id }] }) },
    }),
  },
  {
    fault: 'counts events itself',
    rule: 'proof',
    says: 'something else the second time',
    adapter: createAcme({
      route: {
        parseCallback: ({ value }) => {
          counted += 1;
          return { events: [{ ...toEvent(value), dedupeKey: `n-${counted}` }] };
        },
      },
    }),
  },
  {
    fault: 'believes an answer that is cut',
    rule: 'submission',
    says: 'read whole',
    adapter: submittedBy(async (payment, provider) => {
      const headers = { 'Idempotency-Key': payment.reference };
      const body = chargeBody(payment, provider);
      const reply = await provider.http.send({ method: 'POST', path: '/charges', headers, body });
      const said = Buffer.from(reply.body).toString();
      return said.includes('"state":"paid"') && said.includes(payment.reference)
        ? { outcome: 'succeeded', providerReference: 'ac_1' }
        : toOutcome(reply, payment);
    }),
  },
  {
    fault: 'takes an error page as failed',
    rule: 'submission',
    says: 'a 502 that is a page of HTML',
    adapter: submittedBy(async (payment, provider) => {
      const outcome = await send(payment, provider, {});
      return outcome.outcome === 'unknown' ? { outcome: 'failed', nothingCharged: true } : outcome;
    }),
  },
  {
    fault: 'believes an answer about another payment',
    rule: 'submission',
    says: 'another reference',
    adapter: submittedBy(async (payment, provider) => {
      const headers = { 'Idempotency-Key': payment.reference };
      const body = chargeBody(payment, provider);
      const reply = await provider.http.send({ method: 'POST', path: '/charges', headers, body });
      const answered = readAs(v.looseObject({ ref: v.string() }), readJson(utf8(reply.body)));
      return toOutcome(reply, { ...payment, reference: answered?.ref ?? '' });
    }),
  },
  {
    fault: 'calls out by itself',
    rule: 'containment',
    says: 'provider.http.send',
    adapter: submittedBy(async (payment, provider) => {
      await fetch('http://127.0.0.1:9/').catch(() => undefined);
      return send(payment, provider, {});
    }),
  },
  {
    fault: 'takes options that nobody knows',
    rule: 'options',
    says: 'v.strictObject',
    adapter: createAcme({ manifest: { options: v.object(Options.entries) } }),
  },
  {
    fault: 'lists a word that it does not map',
    rule: 'statuses',
    says: 'reversed',
    adapter: createAcme({ manifest: { words: { payment: ['paid', 'waiting', 'refused', 'reversed'] } } }),
  },
  {
    fault: 'claims a contract that does not exist',
    rule: 'manifest',
    says: '^1.0',
    adapter: createAcme({ manifest: { contract: '^2.0' } }),
  },
  {
    fault: 'has a sandbox that seals with another key',
    rule: 'sandbox',
    says: 'none was believed',
    adapter: createAcme(),
    kit: { sandbox: { create: createAcmeSandbox(() => 'another-key-entirely'), patienceMs: 500 } },
  },
  {
    fault: 'tells amounts without their decimals',
    rule: 'money',
    says: '2.590 for 25.90',
    adapter: createAcme({
      route: {
        parseCallback: ({ value }) => ({
          events: [{ ...toEvent(value), amount: fromMinor(value.minor, 'KWD') }],
        }),
      },
    }),
  },
];
