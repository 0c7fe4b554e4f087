/** Checks that a signed answer is believed only with its signature, under our secrets or the provider's key. */
import type { HttpReply } from '../../provider.ts';
import { secretPaths } from '../../proof/options.ts';
import { toHttpReply } from '../compare-request.ts';
import type { CallResult } from '../compare-result.ts';
import { differences } from '../difference.ts';
import type { CallVector } from '../vector-file.ts';
import { claimOf, stepName } from './answer-classes.ts';
import { changedParts } from './damage.ts';
import { answeredCalls, checkEach, demand, type AnsweredCall, type Check, type Reason } from './kit.ts';
import { brokenOpaqueRuns, partsOf } from './message-parts.ts';
import { goodScript, scriptAt } from './scripts.ts';
import { changeSecrets } from './secrets.ts';
import { signTwice, withBrokenSignature, type SignedTwice } from './signature-checks.ts';
import { isAnsweredWell, type Subject } from './subject.ts';

const cure =
  'verify the signature of an answer before you read it; a wrong or missing one is `unknown`, or `noInformation` for a fetch';

export function answerSignatureChecks<Options>(subject: Subject<Options>): Check[] {
  const { file, kit } = subject;
  return answeredCalls
    .filter((call) => kit.signedAnswers?.[call])
    .flatMap((call): Check[] => {
      const samples = file.submissions
        .filter((vector) => vector.call === call && isAnsweredWell(vector))
        .toSorted((a, b) => rankOf(a) - rankOf(b) || (a.name < b.name ? -1 : 1));
      return [
        {
          rule: 'answers',
          title: `believes no answer to ${call} that was changed in transit`,
          run: () => checkChanges(subject, call, demandSamples(call, samples)[0]),
        },
        {
          rule: 'answers',
          title: `believes no answer to ${call} that another secret signed`,
          run: () => checkEach(demandSamples(call, samples), (vector) => checkOtherSecret(subject, call, vector)),
        },
        {
          rule: 'answers',
          title: `believes an answer to ${call} only with every bit of its signature`,
          run: () => checkEach(demandSamples(call, samples), (vector) => checkSignature(subject, vector)),
        },
      ];
    });
}

/** Changes every part of the last answer. */
async function checkChanges<Options>(subject: Subject<Options>, call: AnsweredCall, vector: CallVector): Promise<void> {
  const { notCovered = [] } = subject.kit.signedAnswers?.[call] ?? {};
  const last = vector.exchanges.length - 1;
  const good = actedOnFacts((await subject.call(vector, goodScript(vector))).result, notCovered);
  for (const { what, change } of changedAnswers(toHttpReply(vector.exchanges[last]!.reply!))) {
    const { result } = await subject.call(vector, scriptAt(vector, last, change));
    const different = result.outcome === 'unknown' ? [] : differences('', good, actedOnFacts(result, notCovered));
    demand(
      different.length === 0,
      `the answer to "${vector.name}" was believed with ${what}: ${subject.hide(different.join('; '))}`,
      cure,
    );
  }
}

async function checkOtherSecret<Options>(
  subject: Subject<Options>,
  call: AnsweredCall,
  vector: CallVector,
): Promise<Reason> {
  const signed = await signAnswers(subject, vector);
  for (const { step, foreign } of signed) {
    const { result } = await subject.call(
      vector,
      scriptAt(vector, step, () => foreign),
    );
    demand(
      isDisbelieved(result, vector, step),
      `${stepName(vector, step)}the answer to "${vector.name}" was believed although another sender signed it: ${claimOf(result)}`,
      cure,
    );
  }
  if (subject.kit.signedAnswers?.[call]?.signedByKeyPair) {
    return signed.length > 0
      ? undefined
      : 'a public key verifies the answer: give the kit `signAnswer`, and the private key in `providerSide`';
  }
  const options = changeSecrets(subject, secretPaths(subject.adapter.manifest.options));
  const { result } = await subject.call(vector, goodScript(vector), { options });
  demand(
    result.outcome === 'unknown',
    `the answer to "${vector.name}" was believed although every secret was replaced: ${claimOf(result)}`,
    'verify the signature of an answer with the secret of the options (if the provider signs answers with a key pair, set `signedByKeyPair` of `signedAnswers`)',
  );
  return undefined;
}

interface BrokenAnswer {
  readonly step: number;
  readonly what: string;
  readonly message: HttpReply;
}

/** The content of each answer is intact, and only the parts that carry its signature are changed. */
async function checkSignature<Options>(subject: Subject<Options>, vector: CallVector): Promise<Reason> {
  const signed = await signAnswers(subject, vector);
  for (const { step, ours } of signed) {
    const { result } = await subject.call(
      vector,
      scriptAt(vector, step, () => ours),
    );
    demand(
      !isDisbelieved(result, vector, step),
      `${stepName(vector, step)}the answer to "${vector.name}" is ${claimOf(result)} after \`signAnswer\` of the kit signed it again`,
      'let `signAnswer` sign as the provider does, with the time and nonce of the answer',
    );
  }
  const broken = signed.flatMap((twice) =>
    [...withBrokenSignature(twice)].map((one): BrokenAnswer => ({ step: twice.step, ...one })),
  );
  const changed = signed.length > 0 ? broken : opaqueChanges(vector);
  for (const { step, what, message } of changed) {
    const { result } = await subject.call(
      vector,
      scriptAt(vector, step, () => message),
    );
    demand(
      isDisbelieved(result, vector, step),
      `${stepName(vector, step)}the answer to "${vector.name}" was believed with ${what}: ${claimOf(result)}`,
      signed.length > 0 ? cure : `${cure}; if the value is not a signature, give the kit \`signAnswer\``,
    );
  }
  return changed.length > 0
    ? undefined
    : 'no part of the answer is recognised as its signature: give the kit `signAnswer`';
}

/** Before the last request, an answer that is not believed may also end the call before it can charge. */
function isDisbelieved(result: CallResult, { exchanges }: CallVector, step: number): boolean {
  return result.outcome === 'unknown' || (step < exchanges.length - 1 && result.nothingCharged === true);
}

/** Without a signer, the values of the last answer that look like a signature are changed. */
function opaqueChanges({ exchanges }: CallVector): BrokenAnswer[] {
  const step = exchanges.length - 1;
  return partsOf(toHttpReply(exchanges[step]!.reply!)).flatMap(({ what, value, put }) =>
    brokenOpaqueRuns(value).map((changed) => ({ step, what: `one bit of ${what} changed`, message: put(changed) })),
  );
}

/** Each answer of the call that `signAnswer` signs. */
async function signAnswers<Options>(
  subject: Subject<Options>,
  vector: CallVector,
): Promise<(SignedTwice<HttpReply> & { readonly step: number })[]> {
  const { signAnswer } = subject.kit;
  if (!signAnswer) return [];
  const { requests } = await subject.call(vector, goodScript(vector));
  return vector.exchanges.flatMap(({ reply }, step) => {
    const request = requests[step];
    const twice =
      request && signTwice(subject, (options, side) => signAnswer(toHttpReply(reply!), options, side, request));
    return twice ? [{ ...twice, step }] : [];
  });
}

/** A success first: a forged one costs most. */
function rankOf({ expect }: CallVector): number {
  return expect['outcome'] === 'succeeded' ? 0 : 1;
}

function demandSamples(
  call: AnsweredCall,
  [first, ...more]: readonly CallVector[],
): readonly [CallVector, ...CallVector[]] {
  demand(first, `no vector is a \`${call}\` with a good answer`, 'record one');
  return [first, ...more];
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
