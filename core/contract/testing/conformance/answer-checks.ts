/** Checks that an answer is about the payment that was asked for. */
import type { CallResult } from '../compare-result.ts';
import { isObject } from '../difference.ts';
import type { CallVector } from '../vector-file.ts';
import { claimOf } from './answer-classes.ts';
import { answeredCalls, demand, isNameless, type AnsweredCall, type Check } from './kit.ts';
import { goodScript } from './scripts.ts';
import { otherText } from './secrets.ts';
import { isAnsweredWell, type Subject } from './subject.ts';

const maxSamples = 3;

export function answerChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, file, kit } = subject;
  const samplesOf = (call: AnsweredCall): CallVector[] =>
    file.submissions.filter((vector) => vector.call === call && isAnsweredWell(vector)).slice(0, maxSamples);

  return answeredCalls
    .filter((call) => call !== 'submit')
    .filter((call) => adapter[call] && samplesOf(call).length > 0)
    .map((call): Check => ({
      rule: call,
      title: 'believes no answer about another payment',
      isSkipped: isNameless(kit, call),
      async run() {
        for (const vector of samplesOf(call)) {
          const payment = anotherPayment(vector);
          const { result } = await subject.call(vector, goodScript(vector), { payment });
          demand(
            call === 'close' ? result.outcome !== 'succeeded' : hasNoFacts(result, payment.reference),
            `the answer to "${vector.name}" was believed for another payment: ${claimOf(result)}`,
            'compare the references in the answer with the ones that were sent; any other is `unknown`, or `noInformation` for a fetch. If answers name no reference, set `answersAreNameless`',
          );
        }
      },
    }));
}

/** Another payment of the same kind, which the vector's answer is not about. */
function anotherPayment({ payment }: CallVector): { readonly reference: string } {
  const { providerReference, providerReferences, refund, capture } = payment;
  return {
    reference: 'GW-99999-1',
    ...(typeof providerReference === 'string' && { providerReference: otherText(providerReference) }),
    ...(isObject(providerReferences) && { providerReferences: withOtherTexts(providerReferences) }),
    ...(isObject(refund) && { refund: { ...refund, reference: 'GW-99999-1-R1' } }),
    ...(isObject(capture) && { capture: { ...capture, reference: 'GW-99999-1-C' } }),
  };
}

function withOtherTexts(ids: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(Object.entries(ids).map(([name, id]) => [name, otherText(String(id))]));
}

/** Core drops events of a fetch that name another reference than the requested one. */
function hasNoFacts({ outcome, codeRefused, events }: CallResult, reference: string): boolean {
  // A wrong code may be tried again and moves no money; few providers repeat the reference there.
  if (outcome === 'unknown' || codeRefused) return true;
  return (
    (events ?? []).length > 0 && events!.every((event) => event.reference !== null && event.reference !== reference)
  );
}
