/** Compares an adapter's result for a message with the expectation of a vector. */
import type { Acknowledgement } from '../callback.ts';
import type { DeclineCode } from '../statuses/decline-codes.ts';
import type { ReportedEvent } from '../event.ts';
import type { EventStatus } from '../statuses/event-statuses.ts';
import type { Action, AdapterState, Outcome, ProviderReferences, ThreeDsShown } from '../outcome.ts';
import { differences, sameDecimal, shown } from './difference.ts';
import type { CallbackExpectation } from './vector-file.ts';

/** An event with the status that `mapStatus` gave it. */
export type MappedEvent = ReportedEvent & { readonly status: EventStatus };

/** The result of a callback. */
export interface CallbackResult {
  /** true, or the reason why it is not genuine. */
  readonly genuine: true | 'unproven' | 'invalid_signature' | 'stale' | 'malformed' | 'try_later';
  readonly events: readonly MappedEvent[];
  readonly outcome: string;
  readonly acknowledgement: Acknowledgement;
}

/** Members that must be absent if a vector does not name them. */
const eventMustNotAdd = ['decline', 'failedRequest', 'providerReferences'] as const;
const outcomeMustNotAdd = [
  'decline',
  'nothingCharged',
  'cancelled',
  'action',
  'needsMerchant',
  'providerReferences',
] as const;

/** The differences between a callback's expectation and its result. */
export function compareCallback(expected: CallbackExpectation, actual: CallbackResult): string[] {
  const mustFetch = actual.genuine === 'unproven' || actual.events.some((event) => event.mustFetch === true);
  return [
    ...(expected.genuine === undefined ? [] : compareGenuine(expected, actual.genuine)),
    ...(expected.events ? compareEvents(expected.events, actual.events) : []),
    ...differences('mustFetch', expected.mustFetch ?? false, mustFetch && actual.events.length > 0),
    ...(expected.ack ? compareAcknowledgement(expected.ack, actual) : []),
  ];
}

function compareGenuine({ genuine, mustFetch }: CallbackExpectation, actual: CallbackResult['genuine']): string[] {
  // Both mean that nothing is believed except which payment to fetch.
  if (genuine === true && mustFetch && actual === 'unproven') return [];
  if (genuine === 'unproven' && actual === 'try_later') return [];
  return differences('genuine', genuine, actual);
}

export function compareEvents(
  expected: readonly Readonly<Record<string, unknown>>[],
  actual: readonly MappedEvent[],
): string[] {
  if (expected.length !== actual.length) {
    const words = actual.map(({ kind, providerStatus }) => `${kind} ${providerStatus}`).join(', ') || 'none';
    return [`events: expected ${expected.length}, got ${actual.length} (${words})`];
  }
  return expected.flatMap((event, at) => compareNamed(`events[${at}]`, event, actual[at]!, eventMustNotAdd));
}

/**
 * Compares the members that `expected` names, and requires that members of `mustNotAdd` are absent if it does not name
 * them.
 */
function compareNamed(
  path: string,
  expected: Readonly<Record<string, unknown>>,
  actual: object,
  mustNotAdd: readonly string[],
): string[] {
  const given = actual as Readonly<Record<string, unknown>>;
  return [
    ...Object.entries(expected).flatMap(([name, value]) =>
      name === 'amount' && sameDecimal(value, given[name]) ? [] : differences(`${path}.${name}`, value, given[name]),
    ),
    ...mustNotAdd
      .filter((name) => !(name in expected) && given[name] !== undefined)
      .map((name) => `${path}.${name}: expected nothing, got ${shown(given[name])}`),
  ];
}

function compareAcknowledgement(expected: NonNullable<CallbackExpectation['ack']>, actual: CallbackResult): string[] {
  const { status, headers = {}, body } = actual.acknowledgement;
  const given = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
  return [
    ...(expected.outcome === undefined ? [] : differences('ack.outcome', expected.outcome, actual.outcome)),
    ...differences('ack.status', expected.status, status),
    ...Object.entries(expected.headers ?? {}).flatMap(([name, value]) =>
      differences(`ack.headers[${name}]`, value, given.get(name.toLowerCase())),
    ),
    // Null: any page that core writes.
    ...(expected.body === null || expected.body === undefined ? [] : differences('ack.body', expected.body, body)),
  ];
}

/** An outcome in the form of vectors; for a fetch, with its events. */
export interface CallResult {
  readonly outcome: Outcome['outcome'];
  readonly decline?: DeclineCode;
  readonly declineText?: string;
  readonly nothingCharged?: true;
  readonly cancelled?: true;
  readonly refusedField?: string;
  readonly providerReference?: string;
  readonly providerReferences?: ProviderReferences;
  readonly needsMerchant?: true;
  readonly action?: Action;
  readonly authorised?: true;
  readonly codeRefused?: true;
  readonly threeDs?: ThreeDsShown;
  readonly threeDsResult?: string;
  readonly adapterState?: AdapterState;
  readonly events?: readonly MappedEvent[];
  readonly showsAllRefunds?: true;
}

/**
 * Compares a fetch by its outcome and events. For any other call, members that the vector does not name must be absent.
 */
export function compareCall(
  expected: Readonly<Record<string, unknown>>,
  actual: CallResult,
  isFetch: boolean,
): string[] {
  const { events, ...rest } = expected;
  return [
    ...compareNamed('expect', rest, actual, isFetch ? [] : outcomeMustNotAdd).map((line) =>
      line.slice('expect.'.length),
    ),
    ...(Array.isArray(events) ? compareEvents(events as Record<string, unknown>[], actual.events ?? []) : []),
  ];
}
