/** Acme as a provider that must be asked twice: for a session, which charges nothing, and then for the charge. */
import {
  readAs,
  readJson,
  unknown,
  utf8,
  v,
  type AdapterContext,
  type HttpReply,
  type Outcome,
  type ProviderAdapter,
  type Submission,
} from '../../index.ts';
import { chargeBody, createAcme, toOutcome } from './adapter.ts';
import type { Broken } from './broken.ts';
import type { Options } from './protocol.ts';
import { createVectors } from './vectors.ts';

const Session = v.looseObject({ session: v.string() });

const open = { method: 'POST', path: '/sessions', chargesNothing: true } as const;

function readSession(reply: HttpReply): string | undefined {
  return readAs(Session, readJson(utf8(reply.body)))?.session;
}

async function charge(payment: Submission, ctx: AdapterContext<Options>, session: string): Promise<Outcome> {
  const headers = { 'X-Key': ctx.options.apiKey, 'X-Session': session, 'Idempotency-Key': payment.reference };
  const body = chargeBody(payment, ctx);
  return toOutcome(await ctx.http.send({ method: 'POST', path: '/charges', headers, body }), payment);
}

async function submit(payment: Submission, ctx: AdapterContext<Options>): Promise<Outcome> {
  const session = readSession(await ctx.http.send(open));
  return session === undefined ? unknown('no session') : charge(payment, ctx, session);
}

/** Keeps the session before the charge is sent. */
export async function submitKeeping(payment: Submission, ctx: AdapterContext<Options>): Promise<Outcome> {
  const session = readSession(await ctx.http.send(open));
  if (session === undefined) return unknown('no session');
  ctx.keep({ session });
  return charge(payment, ctx, session);
}

export function createTwoStepAcme(other: typeof submit = submit): ProviderAdapter<Options> {
  return createAcme({ adapter: { submit: other } });
}

const plain = createVectors();

/** Acme's vectors, its submissions as two exchanges. */
export const twoStepVectors = {
  ...plain,
  submissions: plain.submissions.map((vector) => {
    if ('call' in vector) return vector;
    const { request, reply, ...rest } = vector;
    const headers = [...request.headers, ['X-Session', 's-1']];
    const session = {
      request: { method: 'POST', path: '/sessions' },
      reply: { status: 200, body: '{"session":"s-1"}' },
    };
    return { ...rest, exchanges: [session, { request: { ...request, headers }, reply }] };
  }),
};

const kit = { vectors: twoStepVectors };

/** Faults of one step among several. */
export const brokenSteps: readonly Broken[] = [
  {
    fault: 'treats the loss of a request that charges nothing as unknown',
    rule: 'submission',
    says: 'at request 1, a connection lost after sending was treated as unknown',
    adapter: createTwoStepAcme(async (payment, ctx) => {
      const reply = await ctx.http.send(open).catch(() => undefined);
      const session = reply && readSession(reply);
      return session === undefined ? unknown('no session') : charge(payment, ctx, session);
    }),
    kit,
  },
  {
    fault: 'treats the loss of its second request as nothing charged',
    rule: 'submission',
    says: 'at request 2, a connection lost after sending was treated as nothing charged',
    adapter: createTwoStepAcme(async (payment, ctx) => {
      const session = readSession(await ctx.http.send(open));
      if (session === undefined) return unknown('no session');
      try {
        return await charge(payment, ctx, session);
      } catch {
        return { outcome: 'failed', nothingCharged: true };
      }
    }),
    kit,
  },
  {
    fault: 'leaves its session only with the last answer',
    rule: 'adapterState',
    says: 'call `ctx.keep(state)`',
    adapter: createTwoStepAcme(async (payment, ctx) => {
      const session = readSession(await ctx.http.send(open));
      return session === undefined
        ? unknown('no session')
        : { ...(await charge(payment, ctx, session)), adapterState: { session } };
    }),
    kit,
  },
  {
    fault: 'believes the first answer whatever it is',
    rule: 'submission',
    says: 'at request 1, ',
    adapter: createTwoStepAcme(async (payment, ctx) => {
      await ctx.http.send(open);
      return charge(payment, ctx, 's-1');
    }),
    kit,
  },
];
