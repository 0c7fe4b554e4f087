/** What the later calls make of every class of answer. */
import { toHttpReply } from '../compare-request.ts';
import type { CallVector } from '../vector-file.ts';
import { answerClasses, claimOf, type AnswerClass, type Claim } from './answer-classes.ts';
import { demand, type Check } from './kit.ts';
import { isAnsweredWell, type Subject } from './subject.ts';

const laterCalls = ['complete', 'fetchStatus', 'refund'] as const;

export function laterChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, file } = subject;
  const samplesOf = (call: string): CallVector[] =>
    file.submissions.filter((vector) => vector.call === call && isAnsweredWell(vector)).slice(0, 3);
  const ability: Check = {
    rule: 'abilities',
    title: 'has a sample of a good answer for each',
    async run() {
      for (const call of laterCalls) {
        demand(
          !adapter[call] || samplesOf(call).length > 0,
          `no vector is a \`${call}\` that is answered well, so nothing shows how it reads an answer`,
          'record one, or leave the ability out',
        );
      }
    },
  };
  const checks = laterCalls.flatMap((call) => {
    const samples = samplesOf(call);
    return samples.length > 0 ? [laterCheck(subject, call, samples)] : [];
  });
  return [ability, ...checks];
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
