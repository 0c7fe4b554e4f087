/** Checks the results of the later calls for every class of answer, at every request of every sample. */
import type { CallVector } from '../vector-file.ts';
import {
  allowedAt,
  allowedIfCut,
  answerClasses,
  canCome,
  claimOf,
  movesMoneyAfter,
  playClass,
  playGood,
  stepName,
  type AnswerClass,
} from './answer-classes.ts';
import { demand, type Check } from './kit.ts';
import type { Called, Subject } from './subject.ts';

const laterCalls = ['complete', 'fetchStatus', 'refund', 'capture', 'void', 'close'] as const;
type LaterCall = (typeof laterCalls)[number];

export function laterChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter } = subject;
  const ability: Check = {
    rule: 'abilities',
    title: 'has a sample of a good answer for each',
    async run() {
      for (const call of laterCalls) {
        demand(
          !adapter[call] || subject.wellAnswered(call).length > 0,
          `no vector is a \`${call}\` with a good answer, so nothing shows how the adapter reads an answer`,
          'record one, or leave the ability out',
        );
      }
    },
  };
  const checks = laterCalls.flatMap((call) => {
    const samples = subject.answered(call);
    return samples.length > 0 ? [laterCheck(subject, call, samples)] : [];
  });
  return [ability, ...checks];
}

function laterCheck<O>(subject: Subject<O>, call: LaterCall, samples: readonly CallVector[]): Check {
  return {
    rule: call,
    title: 'treats no answer, HTML pages, truncated answers and errors without a body as unknown',
    async run() {
      for (const vector of samples) {
        const good = await playGood(subject, vector);
        for (const step of vector.exchanges.keys()) {
          for (const answer of answerClasses.filter((one) => canCome(one, vector, step, samples))) {
            const played = await playClass(subject, vector, step, answer);
            const claim = claimOf(played.result);
            const where = `after "${vector.name}", ${stepName(vector, step)}${answer.name} was`;
            demand(
              allowedOf(call, answer, good, vector, step).includes(claim),
              `${where} treated as ${claim}`,
              'only an answer that is read whole and verified counts; everything else is `unknown`, or `noInformation` for a fetch (for an answer in text: require the last line feed, or an end mark)',
            );
            demand(
              !movesMoneyAfter(played.requests, step),
              `${where} followed by a request that can move money`,
              'send no request that moves money before the question is answered: an error does not say that nothing happened',
            );
          }
        }
      }
    },
  };
}

/**
 * Refund, capture and void follow the rules of a submission. A charge that waits for `complete` may still end, and an
 * order is closed only if the provider says so. A fetch that fails says nothing; if it wanted to end the payment by a
 * further request, the payment is still open.
 */
function allowedOf(
  call: LaterCall,
  answer: AnswerClass,
  good: Called,
  vector: CallVector,
  step: number,
): readonly string[] {
  const ifCut = allowedIfCut(answer, good, vector, step);
  if (call === 'fetchStatus') {
    const changes = step > 0 && good.requests[step]?.method !== 'GET';
    return ['unknown', ...(changes ? ['pending'] : []), ...ifCut];
  }
  // Whatever the request may charge: neither claim says that the order is closed.
  if (call === 'close') return ['nothing charged', 'unknown', ...ifCut];
  const ofSubmission = allowedAt(answer, good.requests, step);
  if (call !== 'complete') return [...ofSubmission, ...ifCut];
  return !answer.isLost && ofSubmission.length > 1 ? [...ofSubmission, ...ifCut] : ['unknown', ...ifCut];
}
