/** Checks the outcome of a submission for every class of answer. */
import { interfaceFields } from '../../outcome.ts';
import type { CallResult } from '../compare-result.ts';
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
} from './answer-classes.ts';
import { demand, Finding, type Check } from './kit.ts';
import { goodScript } from './scripts.ts';
import type { Subject } from './subject.ts';

const rule = 'submission';

export function submissionChecks<Options>(subject: Subject<Options>): Check[] {
  const samples = subject.answered('submit');
  const good = subject.wellAnswered('submit');

  return [
    {
      rule,
      title: 'has samples of good answers among its vectors',
      async run() {
        demand(
          subject.goodSubmissions.length > 0,
          'no vector is a submission that succeeds or waits',
          'record one: vectors.json',
        );
      },
    },
    ...answerClasses.map((answer): Check => ({
      rule,
      title: `takes ${answer.name} as ${answer.allowed.join(' or ')}`,
      async run() {
        for (const vector of samples) {
          const answered = await playGood(subject, vector);
          for (const step of vector.exchanges.keys()) {
            if (!canCome(answer, vector, step, samples)) continue;
            const played = await playClass(subject, vector, step, answer);
            const claim = claimOf(played.result);
            const ifCut = allowedIfCut(answer, answered, vector, step);
            const allowed: readonly string[] = [...allowedAt(answer, answered.requests, step), ...ifCut];
            const where = `after "${vector.name}", ${stepName(vector, step)}${answer.name} was`;
            demand(
              allowed.includes(claim),
              `${where} treated as ${claim}`,
              allowed.includes('unknown')
                ? 'only an answer that is read whole and verified counts (for an answer in text: require the last line feed, or an end mark); everything else is `unknown`, and core asks'
                : 'let the `ProviderCallError` through: core turns it into *nothing charged*',
            );
            demand(
              !movesMoneyAfter(played.requests, step),
              `${where} followed by a request that can charge`,
              'charge only after the answer to every earlier request was read',
            );
          }
        }
      },
    })),
    {
      rule,
      title: 'awaits an answer that comes late',
      async run() {
        for (const vector of good) {
          const { result: quick } = await playGood(subject, vector);
          const script = goodScript(vector);
          const { result: late } = await subject.call(vector, async (request, count) => {
            for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
            return script(request, count);
          });
          demand(
            claimOf(quick) === claimOf(late),
            `"${vector.name}" is ${claimOf(quick)} immediately and ${claimOf(late)} when it comes late`,
            'await `http.send` and use its answer',
          );
        }
      },
    },
    {
      rule,
      title: 'gives outcomes that distinguish *never happened*, *refused* and *not known*',
      async run() {
        for (const vector of samples) {
          checkShape((await playGood(subject, vector)).result);
          for (const step of vector.exchanges.keys()) {
            for (const answer of answerClasses) checkShape((await playClass(subject, vector, step, answer)).result);
          }
        }
      },
    },
  ];
}

/** Throws if members of an outcome contradict one another. */
function checkShape(outcome: CallResult): void {
  const { nothingCharged, cancelled, decline, refusedField } = outcome;
  if (!['succeeded', 'failed', 'pending', 'unknown'].includes(outcome.outcome)) {
    throw new Finding(`outcome is ${JSON.stringify(outcome.outcome)}`, 'give one of the four outcomes');
  }
  demand(
    !(nothingCharged && decline),
    'an outcome is both declined and never charged',
    'a decline is the bank’s answer; *nothing charged* has none',
  );
  demand(
    !cancelled || (!nothingCharged && !decline),
    `an outcome is cancelled by the payer and ${decline ? 'declined' : 'never charged'}`,
    'a payer who gave up is `cancelled` alone: no bank refused, and no other provider may be tried',
  );
  demand(
    outcome.outcome === 'failed' || (!nothingCharged && !decline && !cancelled),
    `a ${outcome.outcome} outcome carries a decline, *nothing charged* or *cancelled*`,
    'only `failed` has them',
  );
  demand(
    refusedField === undefined || (nothingCharged === true && interfaceFields.some((field) => field === refusedField)),
    `an outcome names the refused field ${JSON.stringify(refusedField)}, and nothing charged is ${nothingCharged}`,
    'make it with `refusedField(field, reason)`, with a field of the interface or `body`',
  );
}
