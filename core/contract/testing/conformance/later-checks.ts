/** What the later calls make of every class of answer. */
import { toHttpReply } from '../compare-request.ts';
import type { CallVector } from '../vector-file.ts';
import { answerClasses, claimOf, type AnswerClass, type Claim } from './answer-classes.ts';
import { demand, type Check } from './kit.ts';
import { isAnsweredWell, type Subject } from './subject.ts';

const laterCalls = ['complete', 'fetchStatus', 'refund'] as const;

export function laterChecks<Options>(subject: Subject<Options>): Check[] {
  return laterCalls.flatMap((call) => {
    const samples = subject.file.submissions
      .filter((vector) => vector.call === call && isAnsweredWell(vector))
      .slice(0, 3);
    return samples.length > 0 ? [laterCheck(subject, call, samples)] : [];
  });
}

function laterCheck<O>(subject: Subject<O>, call: (typeof laterCalls)[number], samples: readonly CallVector[]): Check {
  return {
    rule: call,
    title: 'takes silence, pages, cut answers and errors without words for what they are',
    async run() {
      for (const vector of samples) {
        for (const answer of answerClasses) {
          const claim = claimOf(await subject.call(vector, answer.script(toHttpReply(vector.reply!))));
          demand(
            allowedOf(call, answer).includes(claim),
            `after "${vector.name}", ${answer.name} was taken as ${claim}`,
            'only what was read whole and proven counts; everything else is `unknown`, of a fetch `noNews`',
          );
        }
      }
    },
  };
}

/** A refund is as a submission. A fetch that fails says nothing, and a charge that waits for `complete` may still end. */
function allowedOf(call: (typeof laterCalls)[number], { allowed }: AnswerClass): readonly string[] {
  const unknown: readonly Claim[] = ['unknown'];
  if (call === 'refund') return allowed;
  return call === 'complete' && allowed.length > 1 ? allowed : unknown;
}
