/** Whether the identity of an event tells a repetition from another fact. */
import type { MappedEvent } from '../compare-result.ts';
import { demand, type Check } from './kit.ts';
import { renamedIn } from './renamed.ts';
import type { GoodCallback, Subject } from './subject.ts';

const cure = 'let `dedupeKey` name the operation and its result';

export function identityChecks<Options>(subject: Subject<Options>): Check[] {
  const { goodCallbacks } = subject;
  return [
    {
      rule: 'identity',
      title: 'gives one identity to one fact, and another to another',
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
              `"${known?.name}" and "${good.vector.name}" differ in ${different.join(', ')} under one identity: the second is lost`,
              cure,
            );
            facts.set(event.dedupeKey, { name: good.vector.name, event });
          }
        }
      },
    },
    {
      rule: 'identity',
      title: 'gives two refunds of one payment two identities, and two disputes',
      async run() {
        for (const good of goodCallbacks) {
          for (const event of (await subject.deliver(good))?.events ?? []) {
            const { subReference, dedupeKey, kind } = event;
            if (subReference === undefined || dedupeKey === null || event.cumulative) continue;
            // The provider's id of the message itself is another for another refund.
            if (!namesPayment(event, dedupeKey)) continue;
            const another = await withAnotherNumber(subject, good, subReference);
            demand(
              !another.some((other) => other.kind === kind && other.dedupeKey === dedupeKey),
              `"${good.vector.name}" reports a ${kind} under an identity without its number: a second one of the payment is lost`,
              `${cure}: of a refund or a dispute its \`subReference\``,
            );
          }
        }
      },
    },
  ];
}

/** The events of the same message about another refund or dispute; none where its content cannot be made to name one. */
async function withAnotherNumber<Options>(
  subject: Subject<Options>,
  good: GoodCallback<Options>,
  number: string,
): Promise<MappedEvent[]> {
  const other = anotherLike(number);
  try {
    const played = await subject.deliver(good, { value: (value) => renamedIn(value, number, other) });
    return (played?.events ?? []).filter(({ subReference }) => subReference === other);
  } catch {
    return []; // The adapter reads this number more strictly than can be guessed here.
  }
}

function namesPayment({ providerReference, reference }: MappedEvent, dedupeKey: string): boolean {
  return [providerReference, reference].some((name) => name !== null && dedupeKey.includes(name));
}

/** A number of the same form: its last digit or letter is another. */
function anotherLike(number: string): string {
  return number.replace(/[0-9A-Za-z](?=[^0-9A-Za-z]*$)/, (last) => {
    if (/\d/.test(last)) return String((Number(last) + 1) % 10);
    // Hexadecimal digits stay such.
    return { a: 'b', A: 'B' }[last] ?? (/[a-z]/.test(last) ? 'a' : 'A');
  });
}

/** The members that differ. One fact may come on two routes, on one of them with less. */
function contradictions(left: MappedEvent, right: MappedEvent): string[] {
  const members = ['kind', 'status', 'reference', 'subReference', 'amount', 'currency'] as const;
  return members.filter((name) => {
    const [one, other] = [left[name] ?? null, right[name] ?? null];
    return one !== null && other !== null && one !== other;
  });
}
