/** Checks the ids by which core finds a payment again: `providerReferences` of outcomes and events. */
import { providerReferenceLimits, type ProviderReferences } from '../../outcome.ts';
import { isObject, shown } from '../difference.ts';
import { demand, skip, type Check } from './kit.ts';
import { goodScript } from './scripts.ts';
import { isAnsweredWell, type Subject } from './subject.ts';

const rule = 'references';

/** The ids of one payment that one outcome or event names. */
interface Named {
  /** The name of the sample. */
  readonly name: string;
  /** Our reference of the payment; null: the message does not name it. */
  readonly reference: string | null;
  /** The primary id. */
  readonly primary: string | null;
  readonly ids: ProviderReferences;
  /** It reports that the payer was charged. */
  readonly isCharge: boolean;
}

/** Vectors name every `providerReferences` that an adapter gives, so they show whether it gives any. */
export function referenceChecks<Options>(subject: Subject<Options>): Check[] {
  async function listNamed(): Promise<readonly [Named, ...Named[]]> {
    if (!namesSeveral(subject)) skip('no vector names several ids of a payment (`providerReferences`)');
    const [first, ...more] = await named(subject);
    demand(first, 'no sample gives the `providerReferences` that its vector names', 'run the vectors first');
    return [first, ...more];
  }
  return [
    {
      rule,
      title: 'gives the ids of a payment as a short map that holds its primary reference',
      async run() {
        const { members, name: longestName, value: longest } = providerReferenceLimits;
        for (const { name, primary, ids } of await listNamed()) {
          const given = Object.entries(ids);
          demand(
            given.length <= members,
            `"${name}" names ${given.length} ids`,
            `name only those that messages about the payment repeat, at most ${members}`,
          );
          for (const [member, id] of given)
            demand(
              typeof id === 'string' && id !== '' && id.length <= longest && member.length <= longestName,
              `"${name}" names the id ${member.slice(0, longestName)} as ${shown(id)}`,
              `leave out an id that is not known; texts of 1 to ${longest} characters, names of at most ${longestName}`,
            );
          demand(
            primary !== null && Object.values(ids).includes(primary),
            `"${name}" has the primary reference ${shown(primary)}, and \`providerReferences\` lacks it`,
            'name the primary reference there too: core refuses an id that is neither known nor named',
          );
        }
      },
    },
    {
      rule,
      title: 'names no id of another payment',
      async run() {
        const owners = new Map<string, Named>();
        const ours = (await listNamed()).filter(({ reference }) => reference !== null);
        if (new Set(ours.map(({ reference }) => reference)).size < 2)
          skip('all vectors that name several ids are about one payment: record one about another payment');
        for (const one of ours) {
          for (const [member, id] of Object.entries(one.ids)) {
            const owner = owners.get(id) ?? one;
            demand(
              owner.reference === one.reference,
              `"${owner.name}" and "${one.name}" are about two payments and name the same id ${member}: core would bind messages to either`,
              'name only ids that the provider gives one payment: no id of the payer, the account or the message',
            );
            owners.set(id, owner);
          }
        }
      },
    },
    {
      rule,
      title: 'has the same primary reference, by name, in every success',
      async run() {
        const [first, ...more] = (await listNamed()).filter(({ isCharge }) => isCharge);
        if (!first) skip('no vector with several ids reports a charge');
        for (const other of more)
          demand(
            nameOf(other) === nameOf(first),
            `"${first.name}" has the id ${nameOf(first)} as its primary reference, "${other.name}" the id ${nameOf(other)}`,
            'choose one of them, the one that refunds and disputes name: the first success that arrives decides',
          );
      },
    },
  ];
}

function nameOf({ primary, ids }: Named): string | undefined {
  return Object.entries(ids).find(([, id]) => id === primary)?.[0];
}

function namesSeveral<Options>({ file }: Subject<Options>): boolean {
  const expected = [
    ...file.submissions.flatMap(({ expect }) => [expect, ...listOf(expect['events'])]),
    ...file.callbacks.flatMap(({ expect, fetch }) => [...(expect.events ?? []), ...(fetch?.events ?? [])]),
  ];
  return expected.some((members) => members['providerReferences'] !== undefined);
}

function listOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

const charged: readonly string[] = ['succeeded', 'overpaid', 'late'];

/** What the good callbacks name, and the good answers to every call about the payment itself. */
async function named<Options>(subject: Subject<Options>): Promise<Named[]> {
  const found: Named[] = [];
  for (const good of subject.goodCallbacks) {
    const { name } = good.vector;
    for (const event of (await subject.deliver(good))?.events ?? [])
      found.push(...namedBy(name, event, event.reference, event.kind === 'payment' && charged.includes(event.status)));
  }
  for (const vector of subject.file.submissions) {
    const { name, call, payment } = vector;
    if (call === 'refund' || !isAnsweredWell(vector)) continue;
    const { result } = await subject.call(vector, goodScript(vector));
    const reference = typeof payment['reference'] === 'string' ? payment['reference'] : null;
    const isCharge = result.outcome === 'succeeded' && call !== 'void';
    if (!result.events) found.push(...namedBy(name, result, reference, isCharge));
    for (const event of result.events ?? [])
      found.push(...namedBy(name, event, reference, event.kind === 'payment' && charged.includes(event.status)));
  }
  return found;
}

function namedBy(
  name: string,
  message: { readonly providerReference?: string | null; readonly providerReferences?: ProviderReferences },
  reference: string | null,
  isCharge: boolean,
): Named[] {
  const { providerReference: primary = null, providerReferences: ids } = message;
  return ids ? [{ name, reference, primary, ids, isCharge }] : [];
}
