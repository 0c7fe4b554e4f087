/**
 * Checks each answer of a call alone. A change to the question hides what the adapter makes of the later answers,
 * because the first one already refuses it.
 */
import type { HttpReply } from '../../provider.ts';
import { toHttpReply } from '../compare-request.ts';
import type { CallResult } from '../compare-result.ts';
import { reply } from '../scripted-provider.ts';
import type { CallVector } from '../vector-file.ts';
import { textOf } from '../vector-payment.ts';
import { changedReferences, replaceReference, ruleOf, samplesOf } from './about-checks.ts';
import { claimOf, isCertainlyNothing, playGood, playOnce, stepName } from './answer-classes.ts';
import { answeredCalls, demand, skip, type AnsweredCall, type Check } from './kit.ts';
import { scriptAt } from './scripts.ts';
import { otherText } from './secrets.ts';
import type { Called, Subject } from './subject.ts';

export function singleAnswerChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter } = subject;
  const asksSeveral = (call: AnsweredCall): boolean =>
    subject.wellAnswered(call).some(({ exchanges }) => exchanges.length > 1);
  const calls = answeredCalls.filter((call) => adapter[call] !== undefined && asksSeveral(call));
  const checks = calls.map((call) => paymentCheck(subject, call));
  return adapter.fetchStatus ? [...checks, errorCheck(subject)] : checks;
}

function paymentCheck<O>(subject: Subject<O>, call: AnsweredCall): Check {
  return {
    rule: ruleOf(call),
    title: 'believes no single answer about another payment',
    async run() {
      let tried = 0;
      for (const vector of samplesOf(subject, call).filter(({ exchanges }) => exchanges.length > 1)) {
        const good = await playGood(subject, vector);
        for (const step of vector.exchanges.keys()) {
          const usual = toHttpReply(vector.exchanges[step]!.reply!);
          const other = aboutAnother(usual, vector);
          if (!other) continue;
          tried += 1;
          const played = await playWith(subject, vector, step, other);
          demand(
            isCertainlyNothing(played) || !isSameFact(call, good.result, played.result, vector),
            `after "${vector.name}", ${stepName(vector, step)}an answer about another payment was believed: ${claimOf(played.result)}`,
            'compare the references in every answer of the call with those that were sent, also in lists of refunds and disputes',
          );
        }
      }
      if (tried === 0) skip('no answer of a call with several requests names a reference');
    },
  };
}

/** The answer with each reference of the question replaced; undefined if it names none. */
function aboutAnother(usual: HttpReply, vector: CallVector): HttpReply | undefined {
  const text = Buffer.from(usual.body).toString();
  const changed = changedReferences(vector)
    .filter(({ from }) => from.length > 3)
    .reduce((body, { from, to }) => replaceReference(body, from, textOf(to['reference']) || otherText(from)), text);
  return changed === text ? undefined : { ...usual, body: Buffer.from(changed) };
}

async function playWith<O>(subject: Subject<O>, vector: CallVector, step: number, answer: HttpReply): Promise<Called> {
  const { kit, file, providerSide } = subject;
  const options = subject.readOptions({ ...file.options, ...vector.optionsOverride });
  const script = scriptAt(vector, step, () => answer);
  return subject.call(vector, async (request, count) => {
    const given = await script(request, count);
    return count === step && kit.signAnswer ? kit.signAnswer(given, options, providerSide, request) : given;
  });
}

/** True if core would believe the same as without the change. An event that names another payment is dropped. */
function isSameFact(call: AnsweredCall, good: CallResult, played: CallResult, { payment }: CallVector): boolean {
  if (call !== 'fetchStatus') return played.outcome !== 'unknown' && claimOf(played) === claimOf(good);
  const isOurs = ({ reference, providerReference }: Event): boolean =>
    [
      [reference, payment['reference']],
      [providerReference, payment['providerReference']],
    ].every(([named, wanted]) => typeof named !== 'string' || typeof wanted !== 'string' || named === wanted);
  const kept = new Set((played.events ?? []).filter(isOurs).map(factOf));
  const known = good.events ?? [];
  return known.length > 0 && known.every((event) => kept.has(factOf(event)));
}
type Event = NonNullable<CallResult['events']>[number];

function factOf({ kind, status, amount, currency, subReference }: Event): string {
  return JSON.stringify([kind, status, amount, currency, subReference]);
}

const errorStatuses = [400, 403, 404, 422] as const;
const errorCode = 'zz_unheard_of';
const errorBody = JSON.stringify({
  error: { code: errorCode, type: errorCode, message: 'Not possible.' },
  code: errorCode,
  message: 'Not possible.',
});

function errorCheck<O>(subject: Subject<O>): Check {
  const call = 'fetchStatus';
  return {
    rule: call,
    title: 'takes no error that it does not know for an end of the payment',
    async run() {
      for (const vector of samplesOf(subject, call)) {
        const good = claimOf((await playGood(subject, vector)).result);
        for (const step of vector.exchanges.keys()) {
          for (const status of errorStatuses) {
            const answer = reply(status, errorBody, [['Content-Type', 'application/json']]);
            const answers = vector.exchanges.map(({ reply: usual }, at) => (at === step ? ['error', status] : usual));
            const played = await playOnce(subject, vector, answers, () => playWith(subject, vector, step, answer));
            const claim = claimOf(played.result);
            demand(
              ['unknown', 'pending', ...(step > 0 ? [good] : [])].includes(claim),
              `after "${vector.name}", ${stepName(vector, step)}a ${status} with an unknown error code was treated as ${claim}`,
              'report `nothing_charged` only for the error codes that say so; any other error is `noInformation`',
            );
          }
        }
      }
    },
  };
}
