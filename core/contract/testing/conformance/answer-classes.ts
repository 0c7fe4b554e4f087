/** The classes of answer that every provider gives sooner or later, and the outcomes that each may have. */
import type { HttpReply, HttpRequest } from '../../provider.ts';
import { toHttpReply } from '../compare-request.ts';
import type { CallResult } from '../compare-result.ts';
import { noAnswer, notSent, reply } from '../scripted-provider.ts';
import type { CallVector } from '../vector-file.ts';

export interface AnswerClass {
  /** The name in titles: `an empty 200`. */
  readonly name: string;
  /** Makes the answer from the good one; throws if there is no answer. */
  readonly answer: (good: HttpReply) => HttpReply;
  /** The outcomes that a submission may have if the request can charge. */
  readonly allowed: readonly Claim[];
  /** The request was lost: there was no answer. */
  readonly isLost?: true;
  /** The good answer, cut short. */
  readonly isCut?: true;
}
export type Claim = 'nothing charged' | 'unknown';

const html = reply(502, '<html><body>502 Bad Gateway</body></html>', [['Content-Type', 'text/html']]);
const neither: readonly Claim[] = ['nothing charged', 'unknown'];

/** Only the provider's own statement says that nothing was charged: an empty 500 or a proxy's page does not. */
export const answerClasses: readonly AnswerClass[] = [
  { name: 'a 401 without a body', answer: () => reply(401), allowed: neither },
  { name: 'a 429 without a body', answer: () => reply(429, '', [['Retry-After', '60']]), allowed: neither },
  { name: 'a 500 without a body', answer: () => reply(500), allowed: ['unknown'] },
  { name: 'a 502 that is a page of HTML', answer: () => html, allowed: ['unknown'] },
  { name: 'a 200 that is a page of HTML', answer: () => ({ ...html, status: 200 }), allowed: ['unknown'] },
  { name: 'an empty 200', answer: () => reply(200), allowed: ['unknown'] },
  { name: 'a 200 that is `{}`', answer: () => reply(200, '{}'), allowed: ['unknown'] },
  { name: 'a 200 of other bytes', answer: () => reply(200, Buffer.from([0xff, 0xfe, 0x00])), allowed: ['unknown'] },
  ...[0.25, 0.5, 0.75, 1].map((share) => ({
    name: `its good answer, cut at ${share === 1 ? 'the last byte' : `${share * 100} %`}`,
    answer: (good: HttpReply) => cutAnswer(good, share),
    allowed: ['unknown'] as const,
    isCut: true as const,
  })),
  { name: 'a connection that was never made', answer: () => notSent(), allowed: ['nothing charged'], isLost: true },
  { name: 'a connection lost after sending', answer: () => noAnswer(), allowed: ['unknown'], isLost: true },
];

/** An answer without a body, for example to a release, cannot be cut. */
export function canCome({ isCut }: AnswerClass, { exchanges }: CallVector, step: number): boolean {
  return !isCut || toHttpReply(exchanges[step]!.reply!).body.length > 0;
}

function cutAnswer(good: HttpReply, share: number): HttpReply {
  const whole = Buffer.from(good.body).toString().trimEnd();
  const bytes = Buffer.from(whole);
  return { ...good, body: bytes.subarray(0, Math.min(bytes.length - 1, Math.floor(bytes.length * share))) };
}

/**
 * The outcomes that the answer to one of several requests may have. Before a request that can charge, and at a request
 * that charges nothing, a loss is *nothing charged*. After a request that can charge, a request that never left says
 * nothing about the charge.
 */
export function allowedAt(answer: AnswerClass, requests: readonly HttpRequest[], step: number): readonly Claim[] {
  const canCharge = requests
    .slice(0, step + 1)
    .map(({ method, chargesNothing }) => !chargesNothing && method !== 'GET');
  const here = canCharge.pop() ?? true;
  const before = canCharge.includes(true);
  if (answer.isLost) return before ? ['unknown'] : here ? answer.allowed : ['nothing charged'];
  return before || here ? answer.allowed : neither;
}

/** The request that an answer belongs to, if there are several: `at request 2, `. */
export function stepName({ exchanges }: CallVector, step: number): string {
  return exchanges.length > 1 ? `at request ${step + 1}, ` : '';
}

/** The claim of an outcome, in words. */
export function claimOf(outcome: CallResult): string {
  if (outcome.outcome !== 'failed') return outcome.outcome;
  if (outcome.nothingCharged) return 'nothing charged';
  return outcome.cancelled ? 'cancelled' : `declined ${outcome.decline ?? ''}`.trim();
}
