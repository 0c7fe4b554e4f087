/** The classes of answer that every provider gives sooner or later, and the outcomes that each may have. */
import type { HttpReply, HttpRequest } from '../../provider.ts';
import { toHttpReply } from '../compare-request.ts';
import type { CallResult } from '../compare-result.ts';
import { noAnswer, notSent, reply } from '../scripted-provider.ts';
import type { CallVector } from '../vector-file.ts';
import { goodScript, scriptAt } from './scripts.ts';
import type { Called, Subject } from './subject.ts';

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

/**
 * True if the answer would be one that says nothing. An answer without a body, for example to a release, cannot be cut,
 * and one that is the good answer to this request in another sample says something.
 */
export function canCome(
  { isCut, isLost, answer }: AnswerClass,
  { exchanges }: CallVector,
  step: number,
  samples: readonly CallVector[],
): boolean {
  const good = toHttpReply(exchanges[step]!.reply!);
  if (isCut) return good.body.length > 0;
  if (isLost) return true;
  const { status, body } = answer(good);
  const path = exchanges[step]!.request!.path;
  return !samples.some(({ exchanges: others }) => {
    const other = others[step];
    if (other?.request?.path !== path || !other.reply) return false;
    return other.reply.status === status && Buffer.from(toHttpReply(other.reply).body).equals(Buffer.from(body));
  });
}

function cutAnswer(good: HttpReply, share: number): HttpReply {
  const whole = Buffer.from(good.body).toString().trimEnd();
  const bytes = Buffer.from(whole);
  return { ...good, body: bytes.subarray(0, Math.min(bytes.length - 1, Math.floor(bytes.length * share))) };
}

/**
 * Makes the call of a sample, with one of its answers replaced. Samples that differ only in the replaced answer, or in
 * their expectation, are the same call, which is made once.
 */
export function playClass<Options>(
  subject: Subject<Options>,
  vector: CallVector,
  step: number,
  answer: AnswerClass,
): Promise<Called> {
  const { exchanges } = vector;
  const replaced = answer.isCut ? [answer.name, exchanges[step]!.reply] : answer.name;
  const answers = exchanges.map(({ reply: good }, at) => (at === step ? replaced : good));
  return playOnce(subject, vector, answers, () => subject.call(vector, scriptAt(vector, step, answer.answer)));
}

/** Makes the call of a sample with its own answers, once. */
export function playGood<Options>(subject: Subject<Options>, vector: CallVector): Promise<Called> {
  const answers = vector.exchanges.map((exchange) => exchange.reply);
  return playOnce(subject, vector, answers, () => subject.call(vector, goodScript(vector)));
}

/** Makes a call once for the same question and answers. */
export function playOnce<Options>(
  { played }: Subject<Options>,
  { call, payment, optionsOverride, standing, now, publicUrl }: CallVector,
  answers: readonly unknown[],
  play: () => Promise<Called>,
): Promise<Called> {
  const key = JSON.stringify([call, payment, optionsOverride, standing, now, publicUrl, answers]);
  const result = played.get(key) ?? play();
  played.set(key, result);
  return result;
}

/**
 * The outcomes that the answer to one of several requests may have. Before a request that can charge, and at a request
 * that charges nothing, a loss is *nothing charged*. After a request that can charge, a request that never left says
 * nothing about the charge.
 */
export function allowedAt(answer: AnswerClass, requests: readonly HttpRequest[], step: number): readonly Claim[] {
  const canCharge = requests.slice(0, step + 1).map(canMoveMoney);
  const here = canCharge.pop() ?? true;
  const before = canCharge.includes(true);
  if (answer.isLost) return before ? ['unknown'] : here ? answer.allowed : ['nothing charged'];
  return before || here ? answer.allowed : neither;
}

/**
 * The outcomes that an error which is cut short may have, in addition: its status is whole, and it may still name
 * itself, or lead to the same further requests.
 */
export function allowedIfCut({ isCut }: AnswerClass, { result }: Called, { exchanges }: CallVector, step: number) {
  const { status = 200 } = exchanges[step]?.reply ?? {};
  if (!isCut || status < 400) return [];
  return status < 500 ? [...neither, claimOf(result)] : [claimOf(result)];
}

/** True if the request can charge, give back, collect or release money. */
export function canMoveMoney({ method, chargesNothing }: HttpRequest): boolean {
  return method !== 'GET' && !chargesNothing;
}

/** True if the call says that nothing was charged, and it is certain: it sent no request that can move money. */
export function isCertainlyNothing({ result, requests }: Called): boolean {
  return claimOf(result) === 'nothing charged' && !requests.some(canMoveMoney);
}

/** True if a request that can move money follows one that cannot, although the answer to the latter says nothing. */
export function movesMoneyAfter(requests: readonly HttpRequest[], step: number): boolean {
  const asked = requests[step];
  return asked !== undefined && !canMoveMoney(asked) && requests.slice(step + 1).some(canMoveMoney);
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
