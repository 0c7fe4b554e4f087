/** Checks that the dedupe key of an event distinguishes a repetition from another fact. */
import type { MappedEvent } from '../compare-result.ts';
import { demand, skip, type Check } from './kit.ts';
import { replaceText } from './replace-text.ts';
import { goodScript } from './scripts.ts';
import type { GoodCallback, Subject } from './subject.ts';

const cure = 'let `dedupeKey` name the operation and its result';
/** How much later a message is repeated, in milliseconds. A signed time may be valid for a short time only. */
const repeatedAfterMs = [61_000, 1_000];

export function identityChecks<Options>(subject: Subject<Options>): Check[] {
  const { goodCallbacks } = subject;
  return [
    {
      rule: 'identity',
      title: 'gives the same fact the same `dedupeKey`, and another fact another one',
      async run() {
        const facts = new Map<string, { readonly name: string; readonly event: MappedEvent }>();
        for (const good of goodCallbacks) {
          const played = await subject.deliver(good);
          for (const event of played?.events ?? []) {
            if (event.dedupeKey === null) continue;
            const known = facts.get(event.dedupeKey);
            const different = known ? contradictions(known.event, event) : [];
            demand(
              different.length === 0,
              `"${known?.name}" and "${good.vector.name}" have the same \`dedupeKey\` but differ in ${different.join(', ')}: core would drop the second`,
              cure,
            );
            facts.set(event.dedupeKey, { name: good.vector.name, event });
          }
        }
      },
    },
    {
      rule: 'identity',
      title: 'gives a repetition the same `dedupeKey`, whenever it arrives',
      async run() {
        let compared = 0;
        for (const { name, play } of listMessages(subject)) {
          const first = keysOf(await play(0));
          if (first.length === 0) continue;
          for (const laterMs of repeatedAfterMs) {
            const again = keysOf(await play(laterMs));
            // The message is stale by then, or the answer means something else.
            if (again.length !== first.length) continue;
            compared += 1;
            const at = again.findIndex((key, index) => key !== first[index]);
            demand(
              at < 0,
              `"${name}" has the \`dedupeKey\` "${first[at]}", and "${again[at]}" ${laterMs / 1000} s later: core would count one fact twice`,
              `${cure}: no clock, and no random value`,
            );
            break;
          }
        }
        if (compared === 0) skip('no event of the samples has a `dedupeKey`');
      },
    },
    {
      rule: 'identity',
      title: 'gives two refunds of one payment, and two disputes, different dedupe keys',
      async run() {
        for (const good of goodCallbacks) {
          for (const event of (await subject.deliver(good))?.events ?? []) {
            const { subReference, dedupeKey, kind } = event;
            if (subReference === undefined || dedupeKey === null || event.cumulative) continue;
            // The provider's id of the message itself differs for another refund.
            if (!namesPayment(event, dedupeKey)) continue;
            const another = await withAnotherNumber(subject, good, subReference);
            demand(
              !another.some((other) => other.kind === kind && other.dedupeKey === dedupeKey),
              `"${good.vector.name}" reports a ${kind} with a \`dedupeKey\` that does not name it: core would drop a second ${kind} of the payment`,
              `${cure}; for a refund or a dispute, its \`subReference\``,
            );
          }
        }
      },
    },
  ];
}

interface Message {
  readonly name: string;
  /** The events of the message if it arrives this much later. */
  readonly play: (laterMs: number) => Promise<readonly MappedEvent[]>;
}

/** Every good callback, and every fetch that is answered. */
function listMessages<Options>(subject: Subject<Options>): readonly Message[] {
  const callbacks = subject.goodCallbacks.map((good) => ({
    name: good.vector.name,
    play: async (laterMs: number) =>
      (await subject.deliver(good, { now: new Date(good.now.getTime() + laterMs) }))?.events ?? [],
  }));
  const fetches = subject.answered('fetchStatus').map((vector) => ({
    name: vector.name,
    play: async (laterMs: number) => (await subject.call(vector, goodScript(vector), { laterMs })).result.events ?? [],
  }));
  return [...callbacks, ...fetches];
}

function keysOf(events: readonly MappedEvent[]): readonly string[] {
  return events.flatMap(({ dedupeKey }) => dedupeKey ?? []);
}

/**
 * The events of the same message about another refund or dispute; none if its content cannot be changed to name one.
 */
async function withAnotherNumber<Options>(
  subject: Subject<Options>,
  good: GoodCallback<Options>,
  number: string,
): Promise<MappedEvent[]> {
  const other = anotherLike(number);
  try {
    const played = await subject.deliver(good, { value: (value) => replaceText(value, number, other) });
    return (played?.events ?? []).filter(({ subReference }) => subReference === other);
  } catch {
    return []; // The adapter reads this number more strictly than can be guessed here.
  }
}

function namesPayment({ providerReference, reference }: MappedEvent, dedupeKey: string): boolean {
  return [providerReference, reference].some((name) => name !== null && dedupeKey.includes(name));
}

/** A number of the same form with another last digit or letter. */
function anotherLike(number: string): string {
  return number.replace(/[0-9A-Za-z](?=[^0-9A-Za-z]*$)/, (last) => {
    if (/\d/.test(last)) return String((Number(last) + 1) % 10);
    // Hexadecimal digits stay hexadecimal.
    return { a: 'b', A: 'B' }[last] ?? (/[a-z]/.test(last) ? 'a' : 'A');
  });
}

/** The members that differ. One fact may come on two routes, with fewer members on one of them. */
function contradictions(left: MappedEvent, right: MappedEvent): string[] {
  const members = ['kind', 'status', 'reference', 'subReference', 'amount', 'currency'] as const;
  return members.filter((name) => {
    const [one, other] = [left[name] ?? null, right[name] ?? null];
    return one !== null && other !== null && one !== other;
  });
}
