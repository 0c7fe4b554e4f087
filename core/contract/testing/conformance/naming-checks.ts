/** Checks that an adapter does not exchange our references with those of the provider. */
import { readReference } from '../../reference.ts';
import { demand, skip, type Check } from './kit.ts';
import { goodScript } from './scripts.ts';
import type { Subject } from './subject.ts';

/** An id of the provider in an outcome or an event. */
interface ProviderId {
  /** The name of the sample. */
  readonly name: string;
  readonly id: string;
}

interface Names {
  /** `reference` of each event about a payment. Another system at the same account may have references of its own. */
  readonly ours: readonly ProviderId[];
  /** The provider's ids of payments. */
  readonly payments: readonly ProviderId[];
  /** The provider's ids of refunds. */
  readonly refunds: readonly ProviderId[];
}

const cure = '`reference` is ours, as we sent it; `providerReference` and `subReference` are the provider’s own';

export function namingChecks<Options>(subject: Subject<Options>): Check[] {
  return [
    {
      rule: 'references',
      title: 'keeps our references apart from those of the provider',
      async run() {
        const { ours, payments, refunds } = await listNames(subject);
        if (ours.length + payments.length + refunds.length === 0) skip('no sample names a payment');
        demand(
          ours.length === 0 || ours.some(({ id }) => readReference(id) !== undefined),
          `"${ours[0]?.name}" reports "${ours[0]?.id}" as our reference of the payment, and no sample reports one of ours`,
          cure,
        );
        demandOneKind('payment', payments);
        demandOneKind('refund', refunds);
      },
    },
  ];
}

/** A provider may name payments by our references, but then each of its messages does. */
function demandOneKind(what: string, ids: readonly ProviderId[]): void {
  const own = ids.find(({ id }) => isOurs(id));
  const other = ids.find(({ id }) => !isOurs(id));
  demand(
    !own || !other,
    `"${own?.name}" names the ${what} by our reference "${own?.id}", and "${other?.name}" by an id of the provider`,
    cure,
  );
}

/** True for our reference of an attempt, and of a refund or another request about it. */
function isOurs(id: string): boolean {
  return readReference(id.replace(/-[A-Z]\d*$/, '')) !== undefined;
}

async function listNames<Options>(subject: Subject<Options>): Promise<Names> {
  const ours: ProviderId[] = [];
  const payments: ProviderId[] = [];
  const refunds: ProviderId[] = [];
  const add = (list: ProviderId[], name: string, id: string | null | undefined): void => {
    if (id) list.push({ name, id });
  };
  for (const [name, events] of await listEvents(subject)) {
    for (const { kind, reference, providerReference, subReference } of events) {
      if (kind === 'payment') add(ours, name, reference);
      add(payments, name, providerReference);
      if (kind === 'refund') add(refunds, name, subReference);
    }
  }
  for (const call of ['submit', 'complete', 'refund'] as const) {
    for (const vector of subject.wellAnswered(call)) {
      const { result } = await subject.call(vector, goodScript(vector));
      add(call === 'refund' ? refunds : payments, vector.name, result.providerReference);
    }
  }
  return { ours, payments, refunds };
}

/** The events of every good callback, and of every fetch that is answered, by the name of the sample. */
async function listEvents<Options>(subject: Subject<Options>) {
  const found = [];
  for (const good of subject.goodCallbacks)
    found.push([good.vector.name, (await subject.deliver(good))?.events ?? []] as const);
  for (const vector of subject.answered('fetchStatus'))
    found.push([vector.name, (await subject.call(vector, goodScript(vector))).result.events ?? []] as const);
  return found;
}
