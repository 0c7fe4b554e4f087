/** Checks the outcome of a submission for every class of answer. */
import { currencyCodes, decimalsOf } from '../../money/currencies.ts';
import { addDecimals, type Money } from '../../money/money.ts';
import { interfaceFields, type Outcome } from '../../outcome.ts';
import type { Submission } from '../../payment.ts';
import type { Script } from '../scripted-provider.ts';
import { allowedAt, answerClasses, claimOf, stepName } from './answer-classes.ts';
import { demand, isNameless, Finding, type Check } from './kit.ts';
import { goodScript, scriptAt } from './scripts.ts';
import { withOtherReference, type GoodSubmission, type Subject } from './subject.ts';

const rule = 'submission';
/** Enough to include each flow of a provider once. */
const maxSamples = 6;

/** Amounts that the answer of a sample is not about; undefined if the adapter accepts no other amount. */
function otherMoney<Options>({ adapter, file, readOptions }: Subject<Options>) {
  const taken = (): readonly string[] => {
    const { currencies } = adapter.manifest;
    if (currencies === 'any') return currencyCodes;
    return typeof currencies === 'function' ? currencies(readOptions(file.options)) : currencies;
  };
  return [
    {
      what: 'amount',
      change: ({ amount, currency }: Money): Money => ({ amount: addDecimals(amount, '1'), currency }),
    },
    {
      what: 'currency',
      change: ({ amount, currency }: Money): Money | undefined => {
        const isLike = (code: string): boolean => code !== currency && decimalsOf(code) === decimalsOf(currency);
        const other = taken().find(isLike);
        return other === undefined ? undefined : { amount, currency: other };
      },
    },
  ] as const;
}

export function submissionChecks<Options>(subject: Subject<Options>): Check[] {
  const samples = subject.goodSubmissions.slice(0, maxSamples);
  const good = ({ vector }: GoodSubmission): Script => goodScript(vector);

  return [
    {
      rule,
      title: 'has samples of good answers among its vectors',
      async run() {
        demand(samples.length > 0, 'no vector is a submission that succeeds or waits', 'record one: vectors.json');
      },
    },
    ...answerClasses.map((answer): Check => ({
      rule,
      title: `takes ${answer.name} as ${answer.allowed.join(' or ')}`,
      async run() {
        for (const sample of samples) {
          const { requests } = await subject.submit(sample, good(sample));
          for (const step of sample.vector.exchanges.keys()) {
            const { outcome } = await subject.submit(sample, scriptAt(sample.vector, step, answer.answer));
            const claim = claimOf(outcome);
            const allowed = allowedAt(answer, requests, step);
            demand(
              allowed.some((one) => one === claim),
              `after "${sample.vector.name}", ${stepName(sample.vector, step)}${answer.name} was treated as ${claim}`,
              allowed.includes('unknown')
                ? 'only an answer that is read whole and verified counts (for an answer in text: require the last line feed, or an end mark); everything else is `unknown`, and core asks'
                : 'let the `ProviderCallError` through: core turns it into *nothing charged*',
            );
          }
        }
      },
    })),
    {
      rule,
      title: 'awaits an answer that comes late',
      async run() {
        for (const sample of samples) {
          const quick = await subject.submit(sample, good(sample));
          const late = await subject.submit(sample, async (request, count) => {
            for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
            return good(sample)(request, count);
          });
          demand(
            claimOf(quick.outcome) === claimOf(late.outcome),
            `"${sample.vector.name}" is ${claimOf(quick.outcome)} immediately and ${claimOf(late.outcome)} when it comes late`,
            'await `http.send` and use its answer',
          );
        }
      },
    },
    {
      rule,
      title: 'believes no answer about another payment',
      isSkipped: isNameless(subject.kit, 'submit'),
      async run() {
        for (const sample of samples) {
          const { outcome } = await subject.submit(sample, good(sample), { submission: withOtherReference });
          demand(
            outcome.outcome === 'unknown',
            `the answer to "${sample.vector.name}" was believed for another reference: ${claimOf(outcome)}`,
            'compare the reference in the answer with the one sent; any other is `unknown`. If answers name no reference, set `answersAreNameless`',
          );
        }
      },
    },
    ...otherMoney(subject).map(({ what, change }): Check => ({
      rule,
      title: `believes no success of another ${what}`,
      isSkipped: subject.kit.answersNameNoMoney === true,
      async run() {
        for (const sample of samples) {
          let isAnother = false;
          const submission = (base: Submission): Submission => {
            const money = change(base.money);
            isAnother = money !== undefined;
            return money ? { ...base, money } : base;
          };
          const { outcome } = await subject.submit(sample, good(sample), { submission });
          demand(
            !isAnother || outcome.outcome !== 'succeeded',
            `the answer to "${sample.vector.name}" was believed for another ${what}: ${claimOf(outcome)}`,
            `compare the ${what} in the answer with the one sent; any other is \`unknown\`. If answers name no ${what}, set \`answersNameNoMoney\``,
          );
        }
      },
    })),
    {
      rule,
      title: 'gives outcomes that distinguish *never happened*, *refused* and *not known*',
      async run() {
        for (const sample of samples) {
          const { exchanges } = sample.vector;
          const bad = [...exchanges.keys()].flatMap((step) =>
            answerClasses.map(({ answer }) => scriptAt(sample.vector, step, answer)),
          );
          for (const script of [...bad, good(sample)]) checkShape((await subject.submit(sample, script)).outcome);
        }
      },
    },
  ];
}

/** Throws if members of an outcome contradict one another. */
function checkShape(outcome: Outcome): void {
  const { nothingCharged, cancelled, decline, refusedField } = {
    nothingCharged: undefined,
    cancelled: undefined,
    decline: undefined,
    refusedField: undefined,
    ...outcome,
  };
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
    refusedField === undefined || (nothingCharged === true && interfaceFields.includes(refusedField)),
    `an outcome names the refused field ${JSON.stringify(refusedField)}, and nothing charged is ${nothingCharged}`,
    'make it with `refusedField(field, reason)`, with a field of the interface or `body`',
  );
}
