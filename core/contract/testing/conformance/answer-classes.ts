/** The classes of answer that every provider gives sooner or later, and what may be made of each. */
import type { HttpReply } from '../../provider.ts';
import type { CallResult } from '../compare-result.ts';
import { noAnswer, notSent, reply, type Script } from '../scripted-provider.ts';

export interface AnswerClass {
  /** For titles: `an empty 200`. */
  readonly name: string;
  readonly script: (good: HttpReply) => Script;
  /** What a submission may make of it. */
  readonly allowed: readonly Claim[];
}
export type Claim = 'nothing charged' | 'unknown';

const always =
  (made: HttpReply | ((good: HttpReply) => HttpReply)) =>
  (good: HttpReply): Script =>
  () =>
    typeof made === 'function' ? made(good) : made;

const html = reply(502, '<html><body>502 Bad Gateway</body></html>', [['Content-Type', 'text/html']]);
const neither: readonly Claim[] = ['nothing charged', 'unknown'];

/** Only words of the provider's own say that nothing was charged: an empty 500 or a proxy's page does not. */
export const answerClasses: readonly AnswerClass[] = [
  { name: 'a 401 without words', script: always(reply(401)), allowed: neither },
  { name: 'a 429 without words', script: always(reply(429, '', [['Retry-After', '60']])), allowed: neither },
  { name: 'a 500 without words', script: always(reply(500)), allowed: ['unknown'] },
  { name: 'a 502 that is a page of HTML', script: always(html), allowed: ['unknown'] },
  { name: 'a 200 that is a page of HTML', script: always({ ...html, status: 200 }), allowed: ['unknown'] },
  { name: 'an empty 200', script: always(reply(200)), allowed: ['unknown'] },
  { name: 'a 200 that is `{}`', script: always(reply(200, '{}')), allowed: ['unknown'] },
  { name: 'a 200 of other bytes', script: always(reply(200, Buffer.from([0xff, 0xfe, 0x00]))), allowed: ['unknown'] },
  ...[0.25, 0.5, 0.75, 1].map((share) => ({
    name: `its good answer, cut at ${share === 1 ? 'the last byte' : `${share * 100} %`}`,
    script: always((good) => cut(good, share)),
    allowed: ['unknown'] as const,
  })),
  { name: 'a connection that was never made', script: () => () => notSent(), allowed: ['nothing charged'] },
  { name: 'a connection lost after sending', script: () => () => noAnswer(), allowed: ['unknown'] },
];

function cut(good: HttpReply, share: number): HttpReply {
  const whole = Buffer.from(good.body).toString().trimEnd();
  const bytes = Buffer.from(whole);
  return { ...good, body: bytes.subarray(0, Math.min(bytes.length - 1, Math.floor(bytes.length * share))) };
}

/** What an outcome claims, in words. */
export function claimOf(outcome: CallResult): string {
  if (outcome.outcome !== 'failed') return outcome.outcome;
  return outcome.nothingCharged ? 'nothing charged' : `declined ${outcome.decline ?? ''}`.trim();
}
