/** What the later calls make of every class of answer. */
import type { CallVector } from '../vector-file.ts';
import {
  allowedAt,
  answerClasses,
  canCome,
  claimOf,
  stepName,
  type AnswerClass,
  type Claim,
} from './answer-classes.ts';
import { demand, type Check } from './kit.ts';
import { goodScript, scriptAt } from './scripts.ts';
import { isAnsweredWell, type Subject } from './subject.ts';

const laterCalls = ['complete', 'fetchStatus', 'refund', 'capture', 'void'] as const;

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
        const { requests } = await subject.call(vector, goodScript(vector));
        for (const answer of answerClasses) {
          for (const step of vector.exchanges.keys()) {
            if (!canCome(answer, vector, step)) continue;
            const { result } = await subject.call(vector, scriptAt(vector, step, answer.answer));
            const claim = claimOf(result);
            demand(
              allowedOf(call, answer, allowedAt(answer, requests, step)).some((one) => one === claim),
              `after "${vector.name}", ${stepName(vector, step)}${answer.name} was taken as ${claim}`,
              'only what was read whole and verified counts; everything else is `unknown`, of a fetch `noInformation` (of an answer in text: demand the last line feed, or an end mark)',
            );
          }
        }
      }
    },
  };
}

/** Refund, capture and void are as a submission. A fetch that fails says nothing, and a charge that waits for `complete` may still end. */
function allowedOf(
  call: (typeof laterCalls)[number],
  answer: AnswerClass,
  ofSubmission: readonly Claim[],
): readonly Claim[] {
  if (call === 'fetchStatus') return ['unknown'];
  if (call === 'complete') return !answer.isLost && ofSubmission.length > 1 ? ofSubmission : ['unknown'];
  return ofSubmission;
}
