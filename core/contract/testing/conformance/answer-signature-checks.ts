/** Checks that a signed answer is believed only with its signature, under our secrets or the provider's key. */
import type { HttpReply, HttpRequest } from '../../provider.ts';
import { secretPaths } from '../../proof/options.ts';
import { toHttpReply } from '../compare-request.ts';
import type { CallResult } from '../compare-result.ts';
import { differences } from '../difference.ts';
import type { CallVector } from '../vector-file.ts';
import { claimOf } from './answer-classes.ts';
import { changedParts } from './damage.ts';
import { answeredCalls, demand, skip, type AnsweredCall, type Check } from './kit.ts';
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
      const samples = file.submissions.filter((vector) => vector.call === call && isAnsweredWell(vector));
      return [
        {
          rule: 'answers',
          title: `believes no answer to ${call} that was changed in transit`,
          run: () => checkChanges(subject, call, demandSamples(call, samples)[0]),
        },
        {
          rule: 'answers',
          title: `believes no answer to ${call} that another secret signed`,
          async run() {
            for (const vector of demandSamples(call, samples)) await checkOtherSecret(subject, call, vector);
          },
        },
        {
          rule: 'answers',
          title: `believes an answer to ${call} only with every bit of its signature`,
          async run() {
            for (const vector of demandSamples(call, samples)) await checkSignature(subject, vector);
          },
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
): Promise<void> {
  const signed = await signLastAnswer(subject, vector);
  if (signed) {
    const { result } = await subject.call(vector, answeredLast(vector, signed.foreign));
    demand(
      result.outcome === 'unknown',
      `the answer to "${vector.name}" was believed although another sender signed it: ${claimOf(result)}`,
      cure,
    );
  }
  if (subject.kit.signedAnswers?.[call]?.signedByKeyPair) {
    if (!signed)
      skip('a public key verifies the answer: give the kit `signAnswer`, and the private key in `providerSide`');
    return;
  }
  const options = changeSecrets(subject, secretPaths(subject.adapter.manifest.options));
  const { result } = await subject.call(vector, goodScript(vector), { options });
  demand(
    result.outcome === 'unknown',
    `the answer to "${vector.name}" was believed although every secret was replaced: ${claimOf(result)}`,
    'verify the signature of an answer with the secret of the options (if the provider signs answers with a key pair, set `signedByKeyPair` of `signedAnswers`)',
  );
}

/** The content of the answer is intact, and only the parts that carry its signature are changed. */
async function checkSignature<Options>(subject: Subject<Options>, vector: CallVector): Promise<void> {
  const signed = await signLastAnswer(subject, vector);
  const broken = signed ? [...withBrokenSignature(signed)] : opaqueChanges(lastAnswer(vector));
  if (broken.length === 0) skip('no part of the answer is recognised as its signature: give the kit `signAnswer`');
  if (signed) {
    const { result } = await subject.call(vector, answeredLast(vector, signed.ours));
    demand(
      result.outcome !== 'unknown',
      `the answer to "${vector.name}" is unknown after \`signAnswer\` of the kit signed it again`,
      'let `signAnswer` sign as the provider does, with the time and nonce of the answer',
    );
  }
  for (const { what, message } of broken) {
    const { result } = await subject.call(vector, answeredLast(vector, message));
    demand(
      result.outcome === 'unknown',
      `the answer to "${vector.name}" was believed with ${what}: ${claimOf(result)}`,
      signed ? cure : `${cure}; if the value is not a signature, give the kit \`signAnswer\``,
    );
  }
}

/** Without a signer, the values that look like a signature are changed. */
function opaqueChanges(reply: HttpReply): { readonly what: string; readonly message: HttpReply }[] {
  return partsOf(reply).flatMap(({ what, value, put }) =>
    brokenOpaqueRuns(value).map((changed) => ({ what: `one bit of ${what} changed`, message: put(changed) })),
  );
}

async function signLastAnswer<Options>(
  subject: Subject<Options>,
  vector: CallVector,
): Promise<SignedTwice<HttpReply> | undefined> {
  const { signAnswer } = subject.kit;
  if (!signAnswer) return undefined;
  const sent: HttpRequest[] = [];
  await subject.call(vector, (request, count) => {
    sent.push(request);
    return goodScript(vector)(request, count);
  });
  const request = sent.at(-1);
  const reply = lastAnswer(vector);
  return request && signTwice(subject, (options, side) => signAnswer(reply, options, side, request));
}

function lastAnswer({ exchanges }: CallVector): HttpReply {
  return toHttpReply(exchanges.at(-1)!.reply!);
}

function answeredLast(vector: CallVector, reply: HttpReply) {
  return scriptAt(vector, vector.exchanges.length - 1, () => reply);
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
