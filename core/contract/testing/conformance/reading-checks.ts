/** What a callback says, and how it is answered. */
import type { AckOutcome, Acknowledgement, Verified } from '../../callback.ts';
import { acknowledgeByDefault } from '../../callback.ts';
import { defaultMaxBodyBytes } from '../../adapter.ts';
import { detailLimits } from '../../event.ts';
import { countJsonValues, maxJsonValues } from '../../read/json-values.ts';
import { isDecimal } from '../../money/money.ts';
import { hasDecimals } from '../../money/currencies.ts';
import { readDecimal } from '../../money/money.ts';
import type { MappedEvent } from '../compare-result.ts';
import { differences, shown } from '../difference.ts';
import { identityChecks } from './identity-checks.ts';
import { demand, type Check } from './kit.ts';
import { goodScript } from './scripts.ts';
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
/** After these the provider must not believe that we have it. */
const refusing: readonly AckOutcome[] = ['invalid_signature', 'malformed', 'try_later'];

export function readingChecks<Options>(subject: Subject<Options>): Check[] {
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
            `"${good.vector.name}" reports ${reported} events, and holds ${wanted}`,
            'give one event for each fact that the message itself states',
          );
        }
      },
    },
    ...identityChecks(subject),
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
      title: 'names the amount of money that moved, or has core ask for it',
      async run() {
        for (const { name, isFetch, events } of await reports(subject)) {
          for (const event of events) {
            demand(
              event.amount !== null || (event.mustFetch && !isFetch) || !hasMoved(event),
              `"${name}" reports ${event.kind} ${event.status} without an amount: core believes none such`,
              isFetch
                ? 'a fetch cannot be fetched again: name the amount, as the answer does or as the provider binds it to the reference'
                : 'read the amount; where the message names none, set `mustFetch` and let `fetchStatus` name it',
            );
          }
        }
      },
    },
    {
      rule: 'money',
      title: 'reports the amounts that its vectors report, digit for digit',
      async run() {
        for (const good of goodCallbacks) {
          const played = await subject.deliver(good);
          for (const [at, wanted] of (good.vector.expect.events ?? []).entries()) {
            const event = played?.events[at];
            if (typeof wanted['amount'] !== 'string' || !hasDecimals(String(wanted['currency']))) continue;
            demand(
              event?.amount === wanted['amount'],
              `"${good.vector.name}" reports ${event?.amount} for ${wanted['amount']} ${String(wanted['currency'])}`,
              'make amounts with `fromMinor` or `formatAmount`: exactly the decimals of the currency',
            );
          }
        }
      },
    },
    {
      rule: 'details',
      title: 'gives details as a short map, without card data or a UPI id',
      async run() {
        const payments = subject.file.submissions.map(({ payment }) => payment);
        const secrets = payments.flatMap(({ number, token, upiId }) => [number, token, upiId]);
        for (const { name, events } of await reports(subject)) {
          for (const { details = {} } of events) {
            const members = Object.entries(details);
            const { members: most, name: longestName, value: longest } = detailLimits;
            demand(
              members.length <= most,
              `"${name}" reports ${members.length} details`,
              `keep the ones that a merchant reads, at most ${most}`,
            );
            for (const [member, value] of members) {
              demand(
                typeof value === 'string' && value.length <= longest && member.length <= longestName,
                `"${name}" reports the detail ${member.slice(0, longestName)} as ${shown(value)}`,
                `give texts of at most ${longest} characters under names of at most ${longestName}`,
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
    {
      rule: 'events',
      title: 'takes bodies as large as its samples on every route',
      async run() {
        for (const { vector, route, routeName, raw } of goodCallbacks) {
          const { maxBodyBytes = defaultMaxBodyBytes } = route;
          demand(
            raw.body.length <= maxBodyBytes,
            `"${vector.name}" has ${raw.body.length} bytes, and ${routeName} takes ${maxBodyBytes}: core would not read it`,
            'raise `maxBodyBytes` of the route',
          );
          const values = countJsonValues(raw.body);
          demand(
            values <= maxJsonValues(maxBodyBytes),
            `"${vector.name}" holds ${values} JSON values, and ${routeName} takes ${maxJsonValues(maxBodyBytes)}: core would not read it`,
            'raise `maxBodyBytes` of the route: it takes one value for each 10 bytes',
          );
        }
      },
    },
    {
      rule: 'state',
      title: 'reads each callback the same in every order',
      async run() {
        const alone = new Map<string, unknown>();
        for (const good of goodCallbacks) alone.set(good.vector.name, await subject.deliver(good));
        for (const order of orders(goodCallbacks)) {
          for (const good of order) {
            const different = differences('callback', alone.get(good.vector.name), await subject.deliver(good));
            demand(
              different.length === 0,
              `"${good.vector.name}" reads otherwise after other callbacks: ${subject.hide(different.join('; '))}`,
              'keep nothing between calls: core remembers',
            );
          }
        }
      },
    },
    {
      rule: 'acknowledgement',
      title: 'answers every outcome on every route, well formed and the same every time',
      async run() {
        for (const { good, outcome, answer } of await answers(subject)) {
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
      title: 'never lets the provider take a refusal for an acceptance',
      async run() {
        const all = await answers(subject);
        for (const { good, outcome, answer } of all) {
          const accepted = all.find((one) => one.good === good && one.outcome === 'accepted')!.answer();
          const { status, body } = answer();
          if (refusing.includes(outcome)) {
            demand(
              status !== accepted.status || body !== accepted.body,
              `${good.routeName} answers ${outcome} as accepted: the provider would not send again`,
              'give it an answer of its own in `acknowledgeBy`',
            );
          }
          if (outcome === 'duplicate') {
            demand(
              status === accepted.status,
              `${good.routeName} answers a duplicate with ${status}: the provider would send for ever`,
              'answer `duplicate` as `accepted`',
            );
          }
        }
      },
    },
  ];
}

/** The form of a UPI id: `name@bank`, which unlike an e-mail address has no dot after the sign. */
const upiIdForm = /^[\w.-]{2,256}@[a-z][a-z0-9]{1,63}$/i;

/** The events of every good callback and every fetch that its vector answers well. */
async function reports<Options>(subject: Subject<Options>) {
  const found: { readonly name: string; readonly isFetch: boolean; readonly events: readonly MappedEvent[] }[] = [];
  for (const good of subject.goodCallbacks) {
    found.push({ name: good.vector.name, isFetch: false, events: (await subject.deliver(good))?.events ?? [] });
  }
  for (const vector of subject.file.submissions) {
    if (vector.call !== 'fetchStatus' || !isAnsweredWell(vector)) continue;
    const { result } = await subject.call(vector, goodScript(vector));
    found.push({ name: vector.name, isFetch: true, events: result.events ?? [] });
  }
  return found;
}

/** Money that core marks as paid or given back. */
function hasMoved({ kind, status }: MappedEvent): boolean {
  return ['succeeded', 'overpaid', 'late'].includes(status) && (kind === 'payment' || kind === 'refund');
}

/** Backwards, and rotated from several places. */
function orders<T>(items: readonly T[]): T[][] {
  const starts = [1, 2, 3].map((share) => Math.floor((items.length * share) / 4));
  return [items.toReversed(), ...starts.map((at) => [...items.slice(at), ...items.slice(0, at)])];
}

interface Answer<Options> {
  readonly good: GoodCallback<Options>;
  readonly outcome: AckOutcome;
  readonly answer: () => Acknowledgement;
}

/** One good callback per route, answered for every outcome; what is not verified is answered without the verified value. */
async function answers<Options>(subject: Subject<Options>): Promise<Answer<Options>[]> {
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
