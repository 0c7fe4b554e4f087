/** Checks the results of the later calls for every class of answer. */
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

const laterCalls = ['complete', 'fetchStatus', 'refund', 'capture', 'void', 'close'] as const;

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
          `no vector is a \`${call}\` with a good answer, so nothing shows how the adapter reads an answer`,
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
    title: 'treats no answer, HTML pages, truncated answers and errors without a body as unknown',
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
              `after "${vector.name}", ${stepName(vector, step)}${answer.name} was treated as ${claim}`,
              'only an answer that is read whole and verified counts; everything else is `unknown`, or `noInformation` for a fetch (for an answer in text: require the last line feed, or an end mark)',
            );
          }
        }
      }
    },
  };
}

/**
 * Refund, capture and void follow the rules of a submission. A fetch that fails says nothing, a charge that waits for
 * `complete` may still end, and an order is closed only if the provider says so.
 */
function allowedOf(
  call: (typeof laterCalls)[number],
  answer: AnswerClass,
  ofSubmission: readonly Claim[],
): readonly Claim[] {
  if (call === 'fetchStatus') return ['unknown'];
  // Whatever the request may charge: neither claim says that the order is closed.
  if (call === 'close') return ['nothing charged', 'unknown'];
  if (call === 'complete') return !answer.isLost && ofSubmission.length > 1 ? ofSubmission : ['unknown'];
  return ofSubmission;
}
