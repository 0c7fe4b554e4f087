/**
 * The ids that a provider gives one payment. The primary one is `providerReference` of the attempt, which merchants see
 * as `transactionNumber`; an adapter may name more (`providerReferences`). A message that names any of them is about
 * the attempt.
 *
 * The primary reference changes at most once: if a success names another one, and both are named. So it does not depend
 * on the order in which messages arrive: what comes before the success, or late, never changes it.
 */
import type { Outcome, ProviderReferences } from '@paywright/contract';
import { providerReferenceLimits } from '@paywright/contract/core';
import { idsOf, type Attempt } from '../../../database/collections/attempt.ts';
import { isChargedStatus, namedIds, type MappedEvent } from '../../providers/mapped-event.ts';

/** True if the provider's id is one of this payment: for a refund, that the provider gave it no number of its own. */
export function isPaymentId(attempt: Pick<Attempt, 'providerReference' | 'providerReferences'>, id: string): boolean {
  return idsOf(attempt).includes(id);
}

/**
 * True if the event names ids that are not those of the attempt. A fetch replaces ids that only a callback has named so
 * far.
 */
export function namesAnother(attempt: Attempt, event: MappedEvent, fetched: boolean): boolean {
  const named = namedIds(event);
  if (idsOf(attempt).length === 0 || named.length === 0) return false;
  return !isBound(attempt, event, fetched) && (attempt.referenceVerified || !fetched);
}

/**
 * True if the event names a known id of the attempt, and no other id under a known name or without a name. A fetch may
 * name another id under a known name: the provider made the next capture after it refused the first one.
 */
function isBound(attempt: Attempt, event: MappedEvent, fetched: boolean): boolean {
  const { providerReference, providerReferences = {} } = event;
  const known = idsOf(attempt);
  const differs = (attempt.providerReferences ?? []).some(
    ({ name, id }) => Object.hasOwn(providerReferences, name) && providerReferences[name] !== id,
  );
  const isNamed =
    providerReference === null ||
    known.includes(providerReference) ||
    Object.values(providerReferences).includes(providerReference);
  return (fetched || !differs) && isNamed && namedIds(event).some((id) => known.includes(id));
}

/**
 * The attempt with the ids that an event about its payment names. Returns the attempt itself if they are known. The
 * event was compared by `namesAnother` before.
 */
export function withEventIds(attempt: Attempt, event: MappedEvent, fetched: boolean): Attempt {
  const { providerReference: primary, providerReferences = {} } = event;
  // The id of a capture that failed is none of the payment: the next capture has the same name.
  const ids = reportsFailure(event) ? {} : providerReferences;
  const isVerified = fetched && !attempt.referenceVerified;
  const isReplaced =
    isVerified && idsOf(attempt).length > 0 && namedIds(event).length > 0 && !isBound(attempt, event, fetched);
  const base = isReplaced ? withoutIds(attempt) : attempt;
  const named = withPrimary(withNamed(base, ids), primary, isChargedStatus(event.status));
  return isVerified && primary !== null ? { ...named, referenceVerified: true } : named;
}

/** The attempt with the ids that the answer to its submission, or to a step of it, names. */
export function withAnswerIds(attempt: Attempt, outcome: Outcome): Attempt {
  const { providerReference: primary = null, providerReferences: ids = {} } = outcome;
  const named = withPrimary(withNamed(attempt, ids), primary, outcome.outcome === 'succeeded');
  if (primary === null) return named;
  // An answer over our own connection counts more than an id without a name that came before.
  const counts = named.providerReference === primary || isPaymentId(named, primary) ? named.providerReference : primary;
  return { ...named, providerReference: counts, referenceVerified: true };
}

/** The name of the id that a capture without `providerReferences` answers with. */
const captureName = 'capture';

/**
 * The attempt with the ids that the answer to its capture names. An id without a name is kept as that of the capture
 * next to the primary reference. Returns the attempt itself if they are known.
 */
export function withCaptureIds(attempt: Attempt, outcome: Outcome): Attempt {
  if (outcome.outcome === 'failed') return attempt;
  const { providerReference: primary = null, providerReferences } = outcome;
  const isUnnamed = primary !== null && !isPaymentId(attempt, primary) && attempt.providerReference !== null;
  const ids = providerReferences ?? (isUnnamed ? { [captureName]: primary } : {});
  const named = withPrimary(withNamed(attempt, ids), primary, outcome.outcome === 'succeeded');
  return named.providerReference === attempt.providerReference ? named : { ...named, referenceVerified: true };
}

function reportsFailure({ status, failedRequest }: MappedEvent): boolean {
  return failedRequest !== undefined || status === 'failed' || status === 'cancelled' || status === 'expired';
}

function withoutIds(attempt: Attempt): Attempt {
  const { providerReferences: _, primaryChanged: __, ...rest } = attempt;
  return { ...rest, providerReference: null };
}

/**
 * Adds the named ids. A later id of the same name replaces the earlier one. The number of ids is bounded, so that a
 * provider with ever new names does not make the payment larger and larger: names beyond the limit are not kept.
 */
function withNamed(attempt: Attempt, ids: ProviderReferences): Attempt {
  const known = attempt.providerReferences ?? [];
  const news = Object.entries(ids).filter(([name, id]) => !known.some((one) => one.name === name && one.id === id));
  if (news.length === 0) return attempt;
  const kept = known.filter(({ name }) => !news.some(([other]) => other === name));
  const all = [...kept, ...news.map(([name, id]) => ({ name, id }))].slice(0, providerReferenceLimits.members);
  return all.length > known.length || kept.length < known.length ? { ...attempt, providerReferences: all } : attempt;
}

function withPrimary(attempt: Attempt, primary: string | null, isCharge: boolean): Attempt {
  const { providerReference: current, providerReferences = [], primaryChanged } = attempt;
  if (primary === null || primary === current) return attempt;
  if (current === null) return { ...attempt, providerReference: primary };
  const isNamed = (id: string): boolean => providerReferences.some((one) => one.id === id);
  const changes = isCharge && !primaryChanged && isNamed(current) && isNamed(primary);
  return changes ? { ...attempt, providerReference: primary, primaryChanged: true } : attempt;
}
