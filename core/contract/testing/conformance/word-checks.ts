/** Checks that a status which the adapter does not know is no success and no refusal. */
import { readPairs, writeForm } from '../../read/form.ts';
import { JsonError, readJsonText, writeJson, type JsonValue } from '../../read/json.ts';
import { toHttpReply } from '../compare-request.ts';
import type { CallVector } from '../vector-file.ts';
import { isBelieved, ruleOf, samplesOf } from './about-checks.ts';
import { claimOf, isCertainlyNothing, playGood } from './answer-classes.ts';
import { answeredCalls, demand, skip, type AnsweredCall, type Check } from './kit.ts';
import { scriptAt } from './scripts.ts';
import type { Subject } from './subject.ts';

/** No provider has this status. */
const unknownWord = 'zz_unheard_of';
/** A status is a word. Anything else in an answer (an id, an address, a time) is not tried. */
const wordForm = /^[A-Za-z][A-Za-z_ .:-]{1,39}$/;

/** The names that providers give a status. */
const statusName = /(?:status|state|result|result_?code)$/i;

export function wordChecks<Options>(subject: Subject<Options>): Check[] {
  return answeredCalls
    .filter((call) => subject.adapter[call] !== undefined)
    .map((call) => ({
      rule: ruleOf(call),
      title: 'treats a status that it does not know as unknown',
      async run() {
        let tried = 0;
        for (const vector of samplesOf(subject, call)) {
          const { result } = await playGood(subject, vector);
          if (!isBelieved(subject, call, result, vector.payment) && result.outcome !== 'pending') continue;
          for (const { step, paths } of await triesOf(subject, call, vector)) {
            tried += 1;
            const played = await playWith(subject, vector, step, paths, unknownWord);
            const claim = claimOf(played.result);
            // A status that only refines a known one is reported as such: core counts it.
            const { events = [] } = played.result;
            const isReported = events.some(({ unlistedStatus }) => unlistedStatus !== undefined);
            demand(
              claim === 'unknown' || claim === 'pending' || isReported || isCertainlyNothing(played),
              `the answer to "${vector.name}" with an unheard-of status (${paths.join(', ')}) was treated as ${claim}`,
              'list every status that you know; any other is `unknown`, with the status as `unknownStatus`',
            );
          }
        }
        if (tried === 0) skip('no answer of the samples has a member that looks like a status');
      },
    }));
}

/** Members of one answer whose words are replaced together. */
interface Try {
  readonly step: number;
  readonly paths: readonly string[];
}

/** Each member that decides the outcome alone, and everything that looks like a status of the last answer together. */
async function triesOf<O>(subject: Subject<O>, call: AnsweredCall, vector: CallVector): Promise<Try[]> {
  const alone = await statusesOf(subject, call, vector);
  // A fetch may end with a list of refunds, whose statuses do not decide about the payment.
  if (call === 'fetchStatus') return alone;
  const step = vector.exchanges.length - 1;
  const words = [...wordsOf(vector, step)].filter(([path, word]) => looksLikeStatus(subject, path, word));
  return words.length === 0 ? alone : [...alone, { step, paths: words.map(([path]) => path) }];
}

/** True for a member with the name of a status, and for a word that is a status of the adapter's tables. */
function looksLikeStatus<O>({ adapter }: Subject<O>, path: string, word: string): boolean {
  const listed = Object.values(adapter.mapStatus.statuses ?? {}).flat();
  return statusName.test(path) || listed.some((status) => status.split(/[.:]/).includes(word));
}

/** The members of a sample's answers that decide the outcome: the word of another sample gives another outcome. */
async function statusesOf<O>(subject: Subject<O>, call: AnsweredCall, vector: CallVector): Promise<Try[]> {
  const { result } = await playGood(subject, vector);
  const others = subject.answered(call);
  const found: Try[] = [];
  for (const step of vector.exchanges.keys()) {
    for (const [path, word] of wordsOf(vector, step)) {
      const words = new Set(others.flatMap((other) => wordsOf(other, step).get(path) ?? []));
      for (const otherWord of [...words].filter((one) => one !== word)) {
        const claim = claimOf((await playWith(subject, vector, step, [path], otherWord)).result);
        if (claim === 'unknown' || claim === claimOf(result)) continue;
        found.push({ step, paths: [path] });
        break;
      }
    }
  }
  return found;
}

/** Makes the call with another word in an answer, which is signed again if the provider signs it. */
async function playWith<O>(
  subject: Subject<O>,
  vector: CallVector,
  step: number,
  paths: readonly string[],
  word: string,
) {
  const { kit, file, providerSide } = subject;
  const options = subject.readOptions({ ...file.options, ...vector.optionsOverride });
  const script = scriptAt(vector, step, (good) => ({ ...good, body: withWord(good.body, paths, word) }));
  return subject.call(vector, async (request, count) => {
    const reply = await script(request, count);
    return count === step && kit.signAnswer ? kit.signAnswer(reply, options, providerSide, request) : reply;
  });
}

/** The words of an answer by their path: `payment.state`. Empty for an answer that is neither JSON nor a form. */
function wordsOf({ exchanges }: CallVector, step: number): ReadonlyMap<string, string> {
  const reply = exchanges[step]?.reply;
  const words = new Map<string, string>();
  if (!reply) return words;
  mapWords(toHttpReply(reply).body, (path, word) => {
    words.set(path, word);
    return word;
  });
  return words;
}

function withWord(body: Uint8Array, wanted: readonly string[], word: string): Uint8Array {
  return Buffer.from(mapWords(body, (path, usual) => (wanted.includes(path) ? word : usual)));
}

/** The text with each word replaced; the rest keeps its content, and numbers their digits. */
function mapWords(body: Uint8Array, change: (path: string, word: string) => string): string {
  const text = Buffer.from(body).toString();
  const changed = (path: string, value: string): string => (wordForm.test(value) ? change(path, value) : value);
  if (text.startsWith('{')) {
    try {
      return writeJson(mapJson(readJsonText(text), '', changed));
    } catch (error) {
      if (error instanceof JsonError) return text;
      throw error;
    }
  }
  const pairs = /^[\w.%+-]+=/.test(text) ? readPairs(text) : undefined;
  return pairs ? writeForm(pairs.map(([name, value]) => [name, changed(name, value)] as const)) : text;
}

function mapJson(value: JsonValue, path: string, change: (path: string, word: string) => string): JsonValue {
  if (typeof value === 'string') return change(path, value);
  if (Array.isArray(value)) return value.map((item: JsonValue, at) => mapJson(item, `${path}[${at}]`, change));
  if (!(value instanceof Map)) return value;
  const named = (name: string): string => (path === '' ? name : `${path}.${name}`);
  return new Map(
    [...(value as ReadonlyMap<string, JsonValue>)].map(([name, item]) => [name, mapJson(item, named(name), change)]),
  );
}
