/** Checks that an answer is the provider's, and is about the payment that was asked for. */
import type { CallResult } from '../compare-result.ts';
import { secretPaths } from '../../proof/options.ts';
import { differences, isObject } from '../difference.ts';
import type { HttpReply } from '../../provider.ts';
import type { CallVector } from '../vector-file.ts';
import { toHttpReply } from '../compare-request.ts';
import { claimOf } from './answer-classes.ts';
import { changedParts } from './damage.ts';
import { answeredCalls, demand, isNameless, type AnsweredCall, type Check } from './kit.ts';
import { goodScript, scriptAt } from './scripts.ts';
import { changeSecrets, otherText } from './secrets.ts';
import { isAnsweredWell, type Subject } from './subject.ts';

const maxSamples = 3;

export function answerChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, file, kit } = subject;
  const samplesOf = (call: AnsweredCall): CallVector[] =>
    file.submissions.filter((vector) => vector.call === call && isAnsweredWell(vector)).slice(0, maxSamples);
  const calls = answeredCalls.filter((call) => kit.signedAnswers?.[call]);

  const aboutAnother = answeredCalls
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
            hasNoFacts(result, payment.reference),
            `the answer to "${vector.name}" was believed for another payment: ${claimOf(result)}`,
            'compare the references in the answer with the ones that were sent; any other is `unknown`, or `noInformation` for a fetch. If answers name no reference, set `answersAreNameless`',
          );
        }
      },
    }));

  const signatures = calls.flatMap((call): Check[] => {
    const { notCovered = [] } = kit.signedAnswers?.[call] ?? {};
    const samples = samplesOf(call);
    return [
      {
        rule: 'answers',
        title: `believes no answer to ${call} that was changed in transit`,
        async run() {
          const [vector] = demandSamples(call, samples);
          const last = vector.exchanges.length - 1;
          const good = actedOnFacts((await subject.call(vector, goodScript(vector))).result, notCovered);
          for (const { what, change } of changedAnswers(toHttpReply(vector.exchanges[last]!.reply!))) {
            const { result } = await subject.call(vector, scriptAt(vector, last, change));
            const different =
              result.outcome === 'unknown' ? [] : differences('', good, actedOnFacts(result, notCovered));
            demand(
              different.length === 0,
              `the answer to "${vector.name}" was believed with ${what}: ${subject.hide(different.join('; '))}`,
              'verify the signature of an answer before you read it; a wrong or missing one is `unknown`, or `noInformation` for a fetch',
            );
          }
        },
      },
      {
        rule: 'answers',
        title: `believes no answer to ${call} that another secret signed`,
        async run() {
          const options = changeSecrets(subject, secretPaths(adapter.manifest.options));
          for (const vector of demandSamples(call, samples)) {
            const { result } = await subject.call(vector, goodScript(vector), { options });
            demand(
              result.outcome === 'unknown',
              `the answer to "${vector.name}" was believed although every secret was replaced: ${claimOf(result)}`,
              'verify the signature of an answer with the secret of the options',
            );
          }
        },
      },
    ];
  });
  return [...aboutAnother, ...signatures];
}

function demandSamples(
  call: AnsweredCall,
  [first, ...more]: readonly CallVector[],
): readonly [CallVector, ...CallVector[]] {
  demand(first, `no vector is a \`${call}\` with a good answer`, 'record one');
  return [first, ...more];
}

/** Another payment of the same kind, which the vector's answer is not about. */
function anotherPayment({ payment }: CallVector): { readonly reference: string } {
  const { providerReference, refund, capture } = payment;
  return {
    reference: 'GW-99999-1',
    ...(typeof providerReference === 'string' && { providerReference: otherText(providerReference) }),
    ...(isObject(refund) && { refund: { ...refund, reference: 'GW-99999-1-R1' } }),
    ...(isObject(capture) && { capture: { ...capture, reference: 'GW-99999-1-C' } }),
  };
}

/** Core drops events of a fetch that name another reference than the requested one. */
function hasNoFacts({ outcome, codeRefused, events }: CallResult, reference: string): boolean {
  // A wrong code may be tried again and moves no money; few providers repeat the reference there.
  if (outcome === 'unknown' || codeRefused) return true;
  return (
    (events ?? []).length > 0 && events!.every((event) => event.reference !== null && event.reference !== reference)
  );
}

/** The facts that core acts on, without those that the signature does not cover. Texts for people may differ. */
function actedOnFacts({ events, ...result }: CallResult, notCovered: readonly string[]): object {
  const open = new Set(['declineText', ...notCovered]);
  const covered = (members: object) => Object.fromEntries(Object.entries(members).filter(([name]) => !open.has(name)));
  return covered({ ...result, events: events?.map(covered) });
}

interface Change {
  readonly what: string;
  readonly change: (good: HttpReply) => HttpReply;
}

/** A public key takes milliseconds for each change; this number covers every part of a usual answer. */
const maxFlips = 100;

/**
 * Changes one bit of each byte of the body, in the whole answer and in the answer without each header, pair or member:
 * the missing part may be the signature.
 */
function* changedAnswers(reply: HttpReply): Generator<Change> {
  const body = Buffer.from(reply.body).toString('latin1');
  const shorter = [
    ...reply.headers.map(([name], at) => ({
      what: `no header ${name}`,
      reply: { ...reply, headers: reply.headers.toSpliced(at, 1) },
    })),
    ...changedParts(body)
      .filter(({ what }) => what.startsWith('no '))
      .map((part) => ({ what: part.what, reply: { ...reply, body: Buffer.from(part.text, 'latin1') } })),
  ];
  const strideOf = (answers: number): number => Math.max(1, Math.ceil((answers * body.length) / maxFlips));
  yield* bitFlips(reply, '', strideOf(1));
  for (const { what, reply: without } of shorter) yield* bitFlips(without, `${what} and `, strideOf(shorter.length));
}

function* bitFlips(reply: HttpReply, what: string, stride: number): Generator<Change> {
  for (let at = 0; at < reply.body.length; at += stride) {
    const body = Buffer.from(reply.body);
    body[at]! ^= 1;
    yield { what: `${what}byte ${at} of its body changed`, change: () => ({ ...reply, body }) };
  }
}
