/** Checks what a callback says, and how it is acknowledged. */
import { acknowledgeByDefault, type AckOutcome, type Acknowledgement, type Verified } from '../../callback.ts';
import { defaultMaxBodyBytes } from '../../adapter.ts';
import { detailLimits } from '../../event.ts';
import { countJsonValues, maxJsonValues } from '../../read/json-values.ts';
import { isDecimal, readDecimal } from '../../money/money.ts';
import { hasDecimals } from '../../money/currencies.ts';
import type { MappedEvent } from '../compare-result.ts';
import { differences, isObject, shown } from '../difference.ts';
import { playGood } from './answer-classes.ts';
import { identityChecks } from './identity-checks.ts';
import { demand, type Check } from './kit.ts';
import { isAnsweredWell, type GoodCallback, type Subject } from './subject.ts';

const outcomes: readonly AckOutcome[] = [
  'accepted',
  'duplicate',
  'unknown_reference',
  'ignored',
  'invalid_signature',
  'stale',
  'malformed',
  'try_later',
];
/** After these outcomes the provider must not believe that we have the callback. */
const refusing: readonly AckOutcome[] = ['invalid_signature', 'malformed', 'try_later'];

export function readingChecks<Options>(subject: Subject<Options>): Check[] {
  return [
    ...factChecks(subject),
    ...identityChecks(subject),
    ...amountChecks(subject),
    ...detailChecks(subject),
    ...bodyLimitChecks(subject),
    ...orderChecks(subject),
    ...acknowledgementChecks(subject),
  ];
}

/** The facts that a message states. */
function factChecks<Options>(subject: Subject<Options>): Check[] {
  const { goodCallbacks } = subject;
  return [
    {
      rule: 'events',
      title: 'reports each fact of a message once',
      async run() {
        for (const good of goodCallbacks) {
          const reported = (await subject.deliver(good))?.events.length;
          const wanted = good.vector.expect.events?.length;
          demand(
            reported === wanted,
            `"${good.vector.name}" reports ${reported} events, and its vector expects ${wanted}`,
            'give one event for each fact that the message itself states',
          );
        }
      },
    },
  ];
}

/** Amounts: their form, where they must be, and their exact digits. */
function amountChecks<Options>(subject: Subject<Options>): Check[] {
  const { goodCallbacks } = subject;
  return [
    {
      rule: 'money',
      title: 'reports amounts as decimals, each with its currency',
      async run() {
        for (const good of goodCallbacks) {
          for (const { amount, currency } of (await subject.deliver(good))?.events ?? []) {
            if (amount === null) continue;
            demand(
              isDecimal(amount) && readDecimal(amount) !== undefined,
              `"${good.vector.name}" reports the amount ${JSON.stringify(amount)}`,
              'make amounts with `fromMinor` or `formatAmount`',
            );
            demand(
              currency !== null,
              `"${good.vector.name}" reports an amount without currency`,
              'read the currency too',
            );
          }
        }
      },
    },
    {
      rule: 'money',
      title: 'names the amount of money that moved, or makes core fetch it',
      async run() {
        for (const { name, isFetch, events } of await listReports(subject)) {
          for (const event of events) {
            demand(
              event.amount !== null || (event.mustFetch && !isFetch) || !hasMoved(event),
              `"${name}" reports ${event.kind} ${event.status} without an amount, which core does not believe`,
              isFetch
                ? 'a fetch cannot be fetched again: name the amount that the answer states, or that the provider binds to the reference'
                : 'read the amount; if the message names none, set `mustFetch` and let `fetchStatus` name it',
            );
          }
        }
      },
    },
    {
      rule: 'money',
      title: 'reports the amounts that its vectors report, digit for digit',
      async run() {
        for (const { name, expected, events } of await listReports(subject)) {
          for (const [at, wanted] of expected.entries()) {
            const currency = wanted['currency'] ?? events[at]?.currency;
            if (typeof currency !== 'string' || !hasDecimals(currency)) continue;
            for (const member of ['amount', 'capturedAmount', 'received'] as const) {
              if (typeof wanted[member] !== 'string') continue;
              demand(
                events[at]?.[member] === wanted[member],
                `"${name}" reports ${events[at]?.[member]} for ${wanted[member]} ${currency}`,
                'make amounts with `fromMinor` or `formatAmount`: exactly the decimals of the currency',
              );
            }
          }
        }
      },
    },
  ];
}

/** Details for the merchant: few, short, and without payment data. */
function detailChecks<Options>(subject: Subject<Options>): Check[] {
  return [
    {
      rule: 'details',
      title: 'gives details as a short map, without card data or a UPI id',
      async run() {
        const payments = subject.file.submissions.map(({ payment }) => payment);
        const secrets = payments.flatMap(({ number, token, upiId }) => [number, token, upiId]);
        for (const { name, events } of await listReports(subject)) {
          for (const { details = {} } of events) {
            const members = Object.entries(details);
            const { members: most, name: longestName, value: longest } = detailLimits;
            demand(
              members.length <= most,
              `"${name}" reports ${members.length} details`,
              `keep only the details that a merchant reads, at most ${most}`,
            );
            for (const [member, value] of members) {
              demand(
                typeof value === 'string' && value.length <= longest && member.length <= longestName,
                `"${name}" reports the detail ${member.slice(0, longestName)} as ${shown(value)}`,
                `give texts of at most ${longest} characters, with names of at most ${longestName}`,
              );
              demand(
                !secrets.includes(value) && !upiIdForm.test(value),
                `"${name}" reports a card number, a token or a UPI id as the detail ${member}`,
                'leave it out: details are kept and shown to the merchant',
              );
            }
          }
        }
      },
    },
  ];
}

/** The limits that core applies to a body before the adapter reads it. */
function bodyLimitChecks<Options>(subject: Subject<Options>): Check[] {
  const { goodCallbacks } = subject;
  return [
    {
      rule: 'events',
      title: 'accepts bodies as large as its samples on every route',
      async run() {
        for (const { vector, route, routeName, raw } of goodCallbacks) {
          const { maxBodyBytes = defaultMaxBodyBytes } = route;
          demand(
            raw.body.length <= maxBodyBytes,
            `"${vector.name}" has ${raw.body.length} bytes, and ${routeName} accepts ${maxBodyBytes}: core would not read it`,
            'raise `maxBodyBytes` of the route',
          );
          const values = countJsonValues(raw.body);
          demand(
            values <= maxJsonValues(maxBodyBytes),
            `"${vector.name}" holds ${values} JSON values, and ${routeName} accepts ${maxJsonValues(maxBodyBytes)}: core would not read it`,
            'raise `maxBodyBytes` of the route: it allows one value for each 10 bytes',
          );
        }
      },
    },
  ];
}

/** Callbacks arrive in any order, so one must not change how the next is read. */
function orderChecks<Options>(subject: Subject<Options>): Check[] {
  const { goodCallbacks } = subject;
  return [
    {
      rule: 'state',
      title: 'reads each callback the same in every order',
      async run() {
        const alone = new Map<string, unknown>();
        for (const good of goodCallbacks) alone.set(good.vector.name, await subject.deliver(good));
        for (const order of reorderingsOf(goodCallbacks)) {
          for (const good of order) {
            const different = differences('callback', alone.get(good.vector.name), await subject.deliver(good));
            demand(
              different.length === 0,
              `"${good.vector.name}" is read differently after other callbacks: ${subject.hide(different.join('; '))}`,
              'keep nothing between calls: core stores what is needed',
            );
          }
        }
      },
    },
  ];
}

/** The answers to the provider, for every outcome. */
function acknowledgementChecks<Options>(subject: Subject<Options>): Check[] {
  return [
    {
      rule: 'acknowledgement',
      title: 'answers every outcome on every route, well formed and the same every time',
      async run() {
        for (const { good, outcome, answer } of await listAcknowledgements(subject)) {
          const first = answer();
          const where = `${good.routeName}, ${outcome}`;
          demand(
            isWellFormed(first),
            `the answer to ${where} is not well formed`,
            'give status, text headers and body',
          );
          const different = differences('acknowledgement', first, answer());
          demand(
            different.length === 0,
            `the answer to ${where} differs the second time: ${subject.hide(different.join('; '))}`,
            'sign with `ctx.now()` and what the message says: a repetition gets the same bytes',
          );
        }
      },
    },
    {
      rule: 'acknowledgement',
      title: 'never answers a refusal as an acceptance',
      async run() {
        const all = await listAcknowledgements(subject);
        for (const { good, outcome, answer } of all) {
          const accepted = all.find((one) => one.good === good && one.outcome === 'accepted')!.answer();
          const { status, body } = answer();
          if (refusing.includes(outcome)) {
            demand(
              status !== accepted.status || body !== accepted.body,
              `${good.routeName} answers ${outcome} as accepted: the provider would not send it again`,
              'give it an answer of its own in `acknowledgeBy`',
            );
          }
          if (outcome === 'duplicate') {
            demand(
              status === accepted.status,
              `${good.routeName} answers a duplicate with ${status}: the provider would send it forever`,
              'answer `duplicate` as `accepted`',
            );
          }
        }
      },
    },
  ];
}

/** The form of a UPI id: `name@bank`. Unlike an e-mail address, it has no dot after the `@`. */
const upiIdForm = /^[\w.-]{2,256}@[a-z][a-z0-9]{1,63}$/i;

/** The events of every good callback, and of every fetch whose vector has a good answer. */
async function listReports<Options>(subject: Subject<Options>): Promise<Report[]> {
  const found: Report[] = [];
  for (const good of subject.goodCallbacks) {
    const { name, expect } = good.vector;
    const { events = [] } = (await subject.deliver(good)) ?? {};
    found.push({ name, isFetch: false, events, expected: expect.events ?? [] });
  }
  for (const vector of subject.file.submissions) {
    if (vector.call !== 'fetchStatus' || !isAnsweredWell(vector)) continue;
    const { events = [] } = (await playGood(subject, vector)).result;
    const { events: expected } = vector.expect;
    found.push({
      name: vector.name,
      isFetch: true,
      events,
      expected: Array.isArray(expected) ? expected.filter(isObject) : [],
    });
  }
  return found;
}

interface Report {
  readonly name: string;
  readonly isFetch: boolean;
  readonly events: readonly MappedEvent[];
  /** The events that the vector names. */
  readonly expected: readonly Readonly<Record<string, unknown>>[];
}

/** Money that core marks as paid or given back. */
function hasMoved({ kind, status }: MappedEvent): boolean {
  return ['succeeded', 'overpaid', 'late'].includes(status) && (kind === 'payment' || kind === 'refund');
}

/** The items in reverse order, and rotated from several positions. */
function reorderingsOf<T>(items: readonly T[]): T[][] {
  const starts = [1, 2, 3].map((share) => Math.floor((items.length * share) / 4));
  return [items.toReversed(), ...starts.map((at) => [...items.slice(at), ...items.slice(0, at)])];
}

interface Answer<Options> {
  readonly good: GoodCallback<Options>;
  readonly outcome: AckOutcome;
  readonly answer: () => Acknowledgement;
}

/**
 * One good callback per route, answered for every outcome. An outcome without verification is answered without the
 * verified value.
 */
async function listAcknowledgements<Options>(subject: Subject<Options>): Promise<Answer<Options>[]> {
  const options = subject.readOptions(subject.file.options);
  const first = new Map(subject.goodCallbacks.toReversed().map((good) => [good.routeName, good]));
  const found: Answer<Options>[] = [];
  for (const good of first.values()) {
    const { route, raw } = good;
    const ctx = subject.quietContext(options, good.now);
    const verdict = await subject.contain(good.routeName, () => route.verifySignature(raw, ctx));
    const verified: Verified<never> | undefined = 'verified' in verdict ? verdict.verified : undefined;
    const acknowledge = route.acknowledge?.bind(route) ?? acknowledgeByDefault;
    for (const outcome of outcomes) {
      const unproven = outcome === 'invalid_signature' || outcome === 'stale' || !verified;
      const context = unproven ? { outcome, raw } : { outcome, raw, verified };
      found.push({ good, outcome, answer: () => acknowledge(context, ctx) });
    }
  }
  return found;
}

function isWellFormed({ status, headers = {}, body }: Acknowledgement): boolean {
  const statusIsRight = Number.isInteger(status) && status >= 200 && status <= 599;
  const headersAreRight = Object.entries(headers).every(
    ([name, value]) => /^[A-Za-z0-9-]+$/.test(name) && /^[\t\x20-\x7e\x80-\xff]*$/.test(value),
  );
  return statusIsRight && headersAreRight && (body === null || typeof body === 'string');
}
