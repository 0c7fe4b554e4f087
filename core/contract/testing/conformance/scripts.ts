/** The provider's answers to one call of a vector: all good, or one of them replaced. */
import type { HttpReply } from '../../provider.ts';
import { toHttpReply } from '../compare-request.ts';
import type { Script } from '../scripted-provider.ts';
import type { CallVector } from '../vector-file.ts';

/** Answers as the vector does; its last answer serves every later request. */
export function goodScript(vector: CallVector): Script {
  return (_, count) => goodReply(vector, count);
}

/** Like `goodScript`, but request number `step` gets this answer, and so does every request after the last. */
export function scriptAt(vector: CallVector, step: number, answer: (good: HttpReply) => HttpReply): Script {
  const last = vector.exchanges.length - 1;
  return (_, count) => (Math.min(count, last) === step ? answer(goodReply(vector, step)) : goodReply(vector, count));
}

function goodReply({ exchanges }: CallVector, count: number): HttpReply {
  return toHttpReply(exchanges[Math.min(count, exchanges.length - 1)]!.reply!);
}
