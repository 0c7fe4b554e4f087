/** Adapters that each break one rule of calls to the provider. */
import { randomUUID } from 'node:crypto';
import {
  nothingCharged,
  toMinor,
  unknown,
  type HttpReply,
  type Outcome,
  type AdapterContext,
  type RefundRequest,
  type StoredPayment,
  type Submission,
} from '../../index.ts';
import { chargeBody, createAcme, toOutcome } from './adapter.ts';
import type { Broken } from './broken.ts';
import { Options } from './protocol.ts';
import { createVectors } from './vectors.ts';

type Acme = AdapterContext<Options>;
const acme = createAcme();

async function send(payment: Submission, ctx: Acme, change: { headers?: object; body?: string; path?: string }) {
  const headers = { 'X-Key': ctx.options.apiKey, 'Idempotency-Key': payment.reference, ...change.headers };
  const { body = chargeBody(payment, ctx), path = '/charges' } = change;
  return toOutcome(await ctx.http.send({ method: 'POST', path, headers, body }), payment);
}

/** Acme counts XOF in hundredths, which ISO 4217 does not know. */
export const createHundredthsAcme = () => {
  const counting = (ctx: Acme): Acme => ({
    ...ctx,
    http: {
      send: (request) => {
        const body = request.body?.toString().replace(/(?<="minor":\d+)(?=,"cur":"XOF")/, '00');
        return ctx.http.send({ ...request, ...(body !== undefined && { body }) });
      },
    },
  });
  return createAcme({
    manifest: { currencies: ['EUR', 'XOF'] },
    adapter: {
      submit: (payment, ctx) => acme.submit(payment, counting(ctx)),
      refund: (payment, refund, ctx) => acme.refund!(payment, refund, counting(ctx)),
    },
  });
};

const submittedBy = (submit: (payment: Submission, ctx: Acme) => Promise<Outcome>) =>
  createAcme({ adapter: { submit } });

/** Sends as the correct adapter does, and reads the answer with this function. */
const answeredBy = (read: (reply: HttpReply, payment: Submission) => Outcome) =>
  submittedBy(async (payment, ctx) => {
    const headers = { 'X-Key': ctx.options.apiKey, 'Idempotency-Key': payment.reference };
    const body = chargeBody(payment, ctx);
    return read(await ctx.http.send({ method: 'POST', path: '/charges', headers, body }), payment);
  });

const toRefundOutcome = (refund: RefundRequest, reply: HttpReply) => toOutcome(reply, refund);

const refundBody = ({ money }: RefundRequest) => JSON.stringify({ minor: Number(toMinor(money)), cur: money.currency });

/** Refunds as the correct adapter does, but reads the answer and names the refund with these functions. */
const refundedBy = (
  read: (refund: RefundRequest, reply: HttpReply) => Outcome,
  keyOf: (refund: RefundRequest, ctx: Acme, payment: StoredPayment) => string = ({ reference }) => reference,
) =>
  createAcme({
    adapter: {
      async refund(payment, refund, ctx) {
        const headers = { 'X-Key': ctx.options.apiKey, 'Idempotency-Key': keyOf(refund, ctx, payment) };
        const body = refundBody(refund);
        const path = `/charges/${payment.providerReference}/back`;
        return read(refund, await ctx.http.send({ method: 'POST', path, headers, body }));
      },
    },
  });

/** For a provider whose refunds have no name: its answer repeats the name that Acme makes if none is given. */
export const refundWithoutName: NonNullable<ReturnType<typeof createAcme>['refund']> = async (payment, refund, ctx) => {
  const headers = { 'X-Key': ctx.options.apiKey };
  const body = refundBody(refund);
  const path = `/charges/${payment.providerReference}/back`;
  const reply = await ctx.http.send({ method: 'POST', path, headers, body });
  return toOutcome(reply, { reference: `back of ${payment.reference}`, money: refund.money });
};

/** For the same provider: its status shows every refund. */
export const fetchAllRefunds: NonNullable<ReturnType<typeof createAcme>['fetchStatus']> = async (payment, ctx) => {
  const report = await acme.fetchStatus!(payment, ctx);
  return report.result === 'events' ? { ...report, showsAllRefunds: true } : report;
};

/** Acme's vectors with a refund that has no name. */
export const vectorsWithoutName = {
  ...createVectors(),
  submissions: createVectors().submissions.map((vector) =>
    'refund' in vector.payment
      ? {
          ...vector,
          request: { ...vector.request, headers: [] },
          reply: { ...vector.reply, body: vector.reply.body.replace('GW-10042-1-R1', 'back of GW-10042-1') },
        }
      : vector,
  ),
};

// State in the module, which an adapter must not have.
let latest: Submission | undefined;

const { submissions } = createVectors();
/** Vectors without the fetch, for an adapter that has no `fetchStatus`. */
const withoutFetch = submissions.filter((vector) => !('call' in vector) || vector.call !== 'fetchStatus');
const repeatedRefund = submissions.map((vector) =>
  'refund' in vector.payment
    ? { ...vector, payment: { ...vector.payment, refund: { ...vector.payment.refund, isRepetition: true } } }
    : vector,
);

function createAcmeWithoutFetch() {
  const adapter = createAcme({ manifest: { repeatRefund: 'never' } });
  Reflect.deleteProperty(adapter, 'fetchStatus');
  return adapter;
}

/** Faults of calls to the provider. */
export const brokenCalls: readonly Broken[] = [
  {
    fault: 'has an ability that no sample shows',
    rule: 'abilities',
    says: '`complete`',
    adapter: createAcme({ adapter: { complete: async () => unknown('not tried') } }),
  },
  {
    fault: 'leaks a secret in an address',
    rule: 'secrecy',
    says: 'reports a secret',
    adapter: submittedBy((payment, ctx) =>
      send(payment, ctx, { path: `/charges?key=${encodeURIComponent(ctx.options.apiKey)}` }),
    ),
  },
  {
    fault: 'leaks a card number in a reason',
    rule: 'secrecy',
    says: 'card number',
    adapter: submittedBy(async (payment, ctx) => {
      const outcome = await send(payment, ctx, {});
      return outcome.outcome === 'unknown' ? unknown(`no answer for ${payment.card?.number}`) : outcome;
    }),
  },
  {
    fault: 'prints a CVV',
    rule: 'secrecy',
    says: 'CVV',
    adapter: submittedBy((payment, ctx) => {
      // Only long CVVs, so that the suite prints nothing except in the check that looks for them.
      if (payment.card?.cvv.length === 4) console.log('charging', payment.card);
      return send(payment, ctx, {});
    }),
  },
  {
    fault: 'throws on a lost connection',
    rule: 'submission',
    says: 'did not end well',
    adapter: submittedBy(async (payment, ctx) => {
      try {
        return await send(payment, ctx, {});
      } catch {
        throw new Error('the provider is down');
      }
    }),
  },
  {
    fault: 'hangs',
    rule: 'submission',
    says: 'gave no answer within',
    adapter: submittedBy((payment, ctx) =>
      send(payment, ctx, {}).then((outcome) =>
        outcome.outcome === 'unknown' ? new Promise<never>(() => undefined) : outcome,
      ),
    ),
  },
  {
    fault: 'makes a random idempotency key',
    rule: 'idempotency',
    says: 'differently the second time',
    adapter: submittedBy((payment, ctx) => send(payment, ctx, { headers: { 'Idempotency-Key': randomUUID() } })),
  },
  {
    fault: 'reads the machine’s clock',
    rule: 'idempotency',
    says: 'ctx.now()',
    adapter: submittedBy((payment, ctx) =>
      send(payment, ctx, { headers: { 'X-Day': new Date().toISOString().slice(0, 10) } }),
    ),
  },
  {
    fault: 'asks for amounts as floating-point numbers',
    rule: 'money',
    says: 'formatAmount',
    adapter: submittedBy((payment, ctx) => {
      const { money, reference, card } = payment;
      const cents = Number(money.amount) * 10 ** (toMinor({ ...money, amount: '1' }).length - 1);
      const body = { shop: ctx.options.shop, ref: reference, minor: cents, cur: money.currency, card };
      return send(payment, ctx, { body: JSON.stringify(body) });
    }),
  },
  {
    fault: 'believes a truncated answer',
    rule: 'submission',
    says: 'read whole',
    adapter: answeredBy((reply, payment) => {
      const said = Buffer.from(reply.body).toString();
      return said.includes('"state":"paid"') && said.includes(payment.reference)
        ? { outcome: 'succeeded', providerReference: 'ac_1' }
        : toOutcome(reply, payment);
    }),
  },
  {
    fault: 'treats an error page as failed',
    rule: 'submission',
    says: 'a 502 that is a page of HTML',
    adapter: submittedBy(async (payment, ctx) => {
      const outcome = await send(payment, ctx, {});
      return outcome.outcome === 'unknown' ? { outcome: 'failed', nothingCharged: true } : outcome;
    }),
  },
  {
    fault: 'charges no second attempt',
    rule: 'payers',
    says: 'the payment is declined 05 at the sandbox',
    adapter: submittedBy(async (payment, ctx) =>
      payment.reference.endsWith('-2') ? { outcome: 'failed', decline: '05' } : send(payment, ctx, {}),
    ),
  },
  {
    fault: 'makes a network call of its own',
    rule: 'containment',
    says: 'ctx.http.send',
    adapter: submittedBy(async (payment, ctx) => {
      await fetch('http://127.0.0.1:9/').catch(() => undefined);
      return send(payment, ctx, {});
    }),
  },
  {
    fault: 'treats every 4xx as a decline',
    rule: 'submission',
    says: 'a 401 without a body was treated as declined 05',
    adapter: answeredBy((reply, payment) =>
      reply.status >= 400 && reply.status < 500 ? { outcome: 'failed', decline: '05' } : toOutcome(reply, payment),
    ),
  },
  {
    fault: 'reports a decline and *nothing charged* together',
    rule: 'submission',
    says: 'both declined and never charged',
    adapter: answeredBy((reply, payment) =>
      reply.status === 401 ? { outcome: 'failed', decline: '05', nothingCharged: true } : toOutcome(reply, payment),
    ),
  },
  {
    fault: 'does not wait for the answer',
    rule: 'submission',
    says: 'when it comes late',
    adapter: submittedBy((payment, ctx) =>
      Promise.race([
        send(payment, ctx, {}),
        new Promise<Outcome>((resolve) => setImmediate(() => resolve(unknown('too slow')))),
      ]),
    ),
  },
  {
    fault: 'keeps the payment in its module',
    rule: 'containment',
    says: 'when others run concurrently',
    adapter: submittedBy(async (payment, ctx) => {
      latest = payment;
      await new Promise((resolve) => setImmediate(resolve));
      return send(latest, ctx, {});
    }),
  },
  {
    fault: 'treats a failing status fetch as proof that nothing was charged',
    rule: 'fetchStatus',
    says: 'nothing charged',
    adapter: createAcme({
      adapter: {
        async fetchStatus(payment, ctx) {
          const report = await acme.fetchStatus!(payment, ctx);
          return report.result === 'no_information' ? { result: 'nothing_charged' } : report;
        },
      },
    }),
  },
  {
    fault: 'fetches a success without an amount',
    rule: 'money',
    says: 'a fetch cannot be fetched again',
    adapter: createAcme({
      adapter: {
        async fetchStatus(payment, ctx) {
          const report = await acme.fetchStatus!(payment, ctx);
          if (report.result !== 'events') return report;
          return { ...report, events: report.events.map((event) => ({ ...event, amount: null, mustFetch: true })) };
        },
      },
    }),
  },
  {
    fault: 'takes every status of a refund for done',
    rule: 'refund',
    says: 'with an unheard-of status (state) was treated as succeeded',
    adapter: refundedBy((refund, reply) => {
      const body = Buffer.from(reply.body)
        .toString()
        .replace(/"state":"\w+"/, '"state":"paid"');
      return toOutcome({ ...reply, body: Buffer.from(body) }, refund);
    }),
  },
  {
    fault: 'fetches the amount from another member of the answer',
    rule: 'money',
    says: '"status: paid" reports 1.00 for 25.90 EUR',
    adapter: createAcme({
      adapter: {
        async fetchStatus(payment, ctx) {
          const report = await acme.fetchStatus!(payment, ctx);
          if (report.result !== 'events') return report;
          return { ...report, events: report.events.map((event) => ({ ...event, amount: '1.00' })) };
        },
      },
    }),
  },
  {
    fault: 'repeats a refund under a random key',
    rule: 'refund',
    says: 'request.headers.Idempotency-Key',
    adapter: refundedBy(toRefundOutcome, () => randomUUID()),
  },
  {
    fault: 'names a refund by its payment',
    rule: 'refund',
    says: 'a repetition cannot be distinguished from it',
    adapter: refundedBy(toRefundOutcome, (_, __, { reference }) => reference),
  },
  {
    fault: 'sends a repeated refund under another name',
    rule: 'refund',
    says: 'is sent differently when core says that it is a repetition: request.headers.Idempotency-Key',
    adapter: refundedBy(
      toRefundOutcome,
      ({ reference, isRepetition }) => `${reference}${isRepetition ? '-again' : ''}`,
    ),
  },
  {
    fault: 'never repeats a refund, and cannot ask for one',
    rule: 'refund',
    says: 'without `fetchStatus`',
    adapter: createAcmeWithoutFetch(),
    kit: { vectors: { ...createVectors(), submissions: withoutFetch } },
  },
  {
    fault: 'never repeats a refund, and never says that one does not exist',
    rule: 'refund',
    says: '`showsAllRefunds`',
    adapter: createAcme({ manifest: { repeatRefund: 'never' } }),
  },
  {
    fault: 'never repeats a refund, and has a sample of a repetition',
    rule: 'refund',
    says: '"money back" is a repetition',
    adapter: createAcme({ manifest: { repeatRefund: 'never' } }),
    kit: { vectors: { ...createVectors(), submissions: repeatedRefund } },
  },
  ...(['money', 'refund'] as const).map((rule) => ({
    fault: `asks for whole units of a currency that its provider counts in hundredths (${rule})`,
    rule,
    says: '2590 XOF is asked for as a different amount',
    adapter: createAcme(),
    kit: { ownDecimals: { XOF: 2 } },
  })),
  {
    fault: 'asks for hundredths of a currency that its kit does not name',
    rule: 'money',
    says: '2590 XOF is asked for as a different amount: "259000',
    adapter: createHundredthsAcme(),
  },
  {
    fault: 'does not list a currency of `ownDecimals`',
    rule: 'money',
    says: '`ownDecimals` names ISK, and no submission of the kit can be made in it',
    adapter: createHundredthsAcme(),
    kit: { ownDecimals: { XOF: 2, ISK: 2 } },
  },
  {
    fault: 'gives back amounts with two decimals in every currency',
    rule: 'refund',
    says: 'JPY is asked for as a different amount',
    adapter: createAcme({
      adapter: {
        async refund(payment, refund, ctx) {
          const headers = { 'X-Key': ctx.options.apiKey, 'Idempotency-Key': refund.reference };
          const minor = Math.round(Number(refund.money.amount) * 100);
          const body = JSON.stringify({ minor, cur: refund.money.currency });
          const path = `/charges/${payment.providerReference}/back`;
          return toRefundOutcome(refund, await ctx.http.send({ method: 'POST', path, headers, body }));
        },
      },
    }),
  },
  {
    fault: 'treats an unreadable answer to a refund as refused',
    rule: 'refund',
    says: 'was treated as nothing charged',
    adapter: createAcme({
      adapter: {
        async refund(payment, refund, ctx) {
          const outcome = await acme.refund!(payment, refund, ctx);
          return outcome.outcome === 'unknown' ? nothingCharged('not given back') : outcome;
        },
      },
    }),
  },
];
