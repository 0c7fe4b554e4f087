/** Checks that a status which the adapter does not know is no success and no refusal. */
import { statusMeanings, type EventKind } from '../../statuses/event-statuses.ts';
import { toHttpReply } from '../compare-request.ts';
import type { MappedEvent } from '../compare-result.ts';
import type { CallVector } from '../vector-file.ts';
import { ruleOf, samplesOf } from './about-checks.ts';
import { claimOf, isCertainlyNothing, playGood } from './answer-classes.ts';
import { answeredCalls, demand, skip, type AnsweredCall, type Check } from './kit.ts';
import { isWord, withWords, wordsIn } from './message-words.ts';
import { mapTexts } from './replace-text.ts';
import { scriptAt } from './scripts.ts';
import type { GoodCallback, Subject } from './subject.ts';

const title = 'treats a status that it does not know as unknown';
/** The names that providers give a status. */
const statusName = /(?:status|state|result|result_?code)$/i;
const cure = 'list every status that you know; any other is `unknown`, with the status as `unknownStatus`';

export function wordChecks<Options>(subject: Subject<Options>): Check[] {
  const table = readTable(subject);
  const calls = answeredCalls.filter((call) => subject.adapter[call] !== undefined);
  return [
    ...calls.map((call) => ({ rule: ruleOf(call), title, run: () => checkCall(subject, call, table) })),
    { rule: 'callbacks', title, run: () => checkCallbacks(subject, table) },
  ];
}

/** The words of the adapter's statuses, with each part of a status such as `sale/approved`. */
interface Table {
  readonly all: ReadonlySet<string>;
  /** A few words for each meaning, first those of the same kind of event and of the same part of a status. */
  readonly examplesFor: (word: string) => readonly string[];
}

const maxExamples = 4;

function readTable<O>({ adapter: { mapStatus } }: Subject<O>): Table {
  /** Words by place (the kind of event and the position in the status), then by meaning. */
  const places = new Map<string, Map<string, Set<string>>>();
  const placesOf = new Map<string, Set<string>>();
  for (const kind of Object.keys(statusMeanings) as EventKind[]) {
    for (const providerStatus of mapStatus.statuses[kind] ?? []) {
      const about = { reference: null, providerReference: null, amount: null, currency: null, dedupeKey: null };
      const status = mapStatus({ kind, providerStatus, ...about }, 'fetch');
      for (const [at, part] of partsOf(providerStatus).entries()) {
        const place = `${kind} ${at}`;
        const meanings = places.get(place) ?? new Map<string, Set<string>>();
        const words = meanings.get(status) ?? new Set();
        if (words.size < maxExamples) words.add(part);
        places.set(place, meanings.set(status, words));
        placesOf.set(part, (placesOf.get(part) ?? new Set()).add(place));
      }
    }
  }
  const examplesAt = (place: string): string[] => [...places.get(place)!.values()].flatMap((words) => [...words]);
  return {
    all: new Set(placesOf.keys()),
    examplesFor(word) {
      const own = placesOf.get(word);
      return own ? [...new Set([...own, ...places.keys()].flatMap(examplesAt))] : [];
    },
  };
}

function partsOf(providerStatus: string): string[] {
  return [providerStatus, ...providerStatus.split(/[.:/]/)].filter(isWord);
}

/** No provider has this status. A code keeps its length, because adapters check its form. */
function unknownLike(word: string, { all }: Table): string {
  if (!/^\d+$/.test(word)) return 'zz_unheard_of';
  const codes = ['8', '6', '5', '9'].map((digit) => digit.repeat(word.length));
  return codes.find((code) => !all.has(code)) ?? word;
}

async function checkCall<O>(subject: Subject<O>, call: AnsweredCall, table: Table): Promise<void> {
  let tried = 0;
  for (const vector of samplesOf(subject, call)) {
    for (const { step, paths } of await triesOf(subject, call, vector, table)) {
      tried += 1;
      const played = await playWith(subject, vector, step, paths, (word) => unknownLike(word, table));
      const claim = claimOf(played.result);
      // A status that only refines a known one is reported as such: core counts it.
      const { events = [] } = played.result;
      const isReported = events.some(({ unlistedStatus }) => unlistedStatus !== undefined);
      // An order that is not closed moved no money.
      const isOpen = call === 'close' && claim === 'nothing charged';
      demand(
        claim === 'unknown' || claim === 'pending' || isReported || isOpen || isCertainlyNothing(played),
        `the answer to "${vector.name}" with an unheard-of status (${paths.join(', ')}) was treated as ${claim}`,
        cure,
      );
    }
  }
  if (tried === 0) skip('no answer of the samples has a member that looks like a status');
}

/** Members of one answer whose words are replaced together. */
interface Try {
  readonly step: number;
  readonly paths: readonly string[];
}

/** Each member that decides the outcome alone, and everything that looks like a status in one answer together. */
async function triesOf<O>(subject: Subject<O>, call: AnsweredCall, vector: CallVector, table: Table): Promise<Try[]> {
  const alone = await statusesOf(subject, call, vector, table);
  // A fetch may end with a list of refunds, whose statuses do not decide about the payment.
  if (call === 'fetchStatus') return alone;
  // A submission may end with a question that its first answer leads to. A refund may begin with a question.
  const steps = [...vector.exchanges.keys()].slice(call === 'submit' ? 0 : -1);
  const together = steps.map((step) => {
    const words = [...wordsOf(vector, step)].filter(([path, word]) => statusName.test(path) || table.all.has(word));
    return { step, paths: words.map(([path]) => path) };
  });
  return [...alone, ...together.filter(({ paths }) => paths.length > 0)];
}

/**
 * The members of a sample's answers that decide the outcome: another word, of another sample or of the adapter's own
 * table, gives another outcome.
 */
async function statusesOf<O>(
  subject: Subject<O>,
  call: AnsweredCall,
  vector: CallVector,
  table: Table,
): Promise<Try[]> {
  const { result } = await playGood(subject, vector);
  const others = subject.answered(call);
  const found: Try[] = [];
  for (const step of vector.exchanges.keys()) {
    for (const [path, word] of wordsOf(vector, step)) {
      const words = new Set([
        ...others.flatMap((other) => wordsOf(other, step).get(path) ?? []),
        ...table.examplesFor(word),
      ]);
      for (const otherWord of [...words].filter((one) => one !== word)) {
        const claim = claimOf((await playWith(subject, vector, step, [path], () => otherWord)).result);
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
  change: (word: string) => string,
) {
  const { kit, file, providerSide } = subject;
  const options = subject.readOptions({ ...file.options, ...vector.optionsOverride });
  const script = scriptAt(vector, step, (good) => ({ ...good, body: withWords(good.body, paths, change) }));
  return subject.call(vector, async (request, count) => {
    const reply = await script(request, count);
    return count === step && kit.signAnswer ? kit.signAnswer(reply, options, providerSide, request) : reply;
  });
}

function wordsOf({ exchanges }: CallVector, step: number): ReadonlyMap<string, string> {
  const reply = exchanges[step]?.reply;
  return reply ? wordsIn(toHttpReply(reply).body) : new Map();
}

/** Statuses that credit the merchant. An unknown reason of a failure may still be a failure. */
const welcome: readonly string[] = ['succeeded', 'overpaid', 'late', 'authorised', 'won', 'active'];

/** Changes the content that `verifySignature` decoded, so that no signature is needed. */
async function checkCallbacks<O>(subject: Subject<O>, table: Table): Promise<void> {
  let tried = 0;
  for (const good of subject.goodCallbacks) {
    for (const { word, decides } of await wordsThatDecide(subject, good, table)) {
      tried += 1;
      const events = await eventsWith(subject, good, word, unknownLike(word, table));
      const wrong = events?.find(
        ({ status, mustFetch, unlistedStatus }, at) =>
          decides.includes(at) && welcome.includes(status) && !mustFetch && unlistedStatus === undefined,
      );
      demand(
        !wrong,
        `"${good.vector.name}" with an unheard-of status in place of ${word} reports ${wrong?.kind} ${wrong?.status}`,
        'map statuses with `statusTable`: any status that it lacks is `unknown`',
      );
    }
  }
  if (tried === 0) skip('no word in the content of the callbacks decides their status');
}

interface DecidingWord {
  readonly word: string;
  /** The events whose status it decides, by their number. */
  readonly decides: readonly number[];
}

/** The words of the content that are in the adapter's table, and that decide a status. */
async function wordsThatDecide<O>(subject: Subject<O>, good: GoodCallback<O>, table: Table): Promise<DecidingWord[]> {
  const words = new Set<string>();
  const collect = (text: string): string => {
    if (table.all.has(text)) words.add(text);
    return text;
  };
  const usual = (await subject.deliver(good, { value: (value) => mapTexts(value, collect) }))?.events ?? [];
  const found: DecidingWord[] = [];
  for (const word of words) {
    for (const other of table.examplesFor(word).filter((one) => one !== word)) {
      const events = (await eventsWith(subject, good, word, other)) ?? [];
      const isChanged = (at: number): boolean =>
        events[at]?.status !== 'unknown' && events[at]?.status !== usual[at]?.status;
      const decides = events.length === usual.length ? [...usual.keys()].filter(isChanged) : [];
      if (decides.length === 0) continue;
      found.push({ word, decides });
      break;
    }
  }
  return found;
}

/** The events of the callback with a word of its content replaced. Undefined if its content cannot be changed so. */
async function eventsWith<O>(
  subject: Subject<O>,
  good: GoodCallback<O>,
  word: string,
  other: string,
): Promise<readonly MappedEvent[] | undefined> {
  const value = (content: unknown): unknown => mapTexts(content, (text) => (text === word ? other : text));
  try {
    return (await subject.deliver(good, { value }))?.events;
  } catch {
    return undefined; // The adapter reads this word more strictly than can be guessed here.
  }
}
