/** Checks that a call can be repeated: core repeats a call whose outcome it does not know. */
import { isObject } from '../difference.ts';
import type { HttpRequest } from '../../provider.ts';
import type { CallVector } from '../vector-file.ts';
import { anotherPayment } from './about-checks.ts';
import { canMoveMoney } from './answer-classes.ts';
import { demand, freshParts, skip, type Check } from './kit.ts';
import { differencesOf } from './request-bytes.ts';
import { goodScript } from './scripts.ts';
import type { CallOptions, Subject } from './subject.ts';
import { withClockShifted } from './watch.ts';

const repeatedCalls = ['submit', 'complete', 'refund', 'capture', 'void', 'close'] as const;
type RepeatedCall = (typeof repeatedCalls)[number];
const dayMs = 86_400_000;
const cures: Readonly<Record<RepeatedCall, string>> = {
  submit:
    'make the key from the attempt’s `reference`, so that a repetition charges nothing again; list a time, a nonce or a signature in `freshHeaders` or `freshMembers`',
  complete:
    'make the key from the attempt’s `reference` or from the provider’s own; list a time, a nonce or a signature in `freshHeaders` or `freshMembers`',
  refund:
    "name the refund by its `reference` and take time and random bytes from `ctx`; list a time, a nonce or a signature in `freshHeaders` or `freshMembers`; if the provider cannot recognise a repetition, set `repeatRefund: 'never'` in the manifest",
  capture:
    'name the capture by its `reference` and take time and random bytes from `ctx`; list a time, a nonce or a signature in `freshHeaders` or `freshMembers`',
  void: 'name the void by its `reference` and take time and random bytes from `ctx`; list a time, a nonce or a signature in `freshHeaders` or `freshMembers`',
  close:
    'name the order by its own reference and take time and random bytes from `ctx`; list a time, a nonce or a signature in `freshHeaders` or `freshMembers`',
};
/** What is different when a call is repeated, and must not change its name. */
const repetitions: readonly (readonly [what: string, changes: CallOptions])[] = [
  ['with other random bytes', { randomSeed: 101 }],
  ['a day later', { laterMs: dayMs }],
];

export function repetitionChecks<Options>(subject: Subject<Options>): Check[] {
  return [
    ...repeatedCalls.flatMap((call) => {
      if (subject.wellAnswered(call).length === 0) return [];
      // The rule of a submission's own bytes is one of `requestChecks`.
      return call === 'submit' ? [keyCheck(subject, call)] : [bytesCheck(subject, call), keyCheck(subject, call)];
    }),
    ...refundChecks(subject),
  ];
}

/** Sends a call as its vector describes it; `refund` replaces members of the refund. */
async function sendCall<O>(subject: Subject<O>, vector: CallVector, refund: object = {}, changes: CallOptions = {}) {
  const given = vector.payment['refund'];
  const payment = isObject(given) ? { refund: { ...given, ...refund } } : {};
  const { requests } = await subject.call(vector, goodScript(vector), { payment, ...changes });
  return requests;
}

function bytesCheck<Options>(subject: Subject<Options>, call: RepeatedCall): Check {
  return {
    rule: call,
    title: 'is repeated with the same bytes, so that no money moves twice',
    async run() {
      for (const vector of subject.wellAnswered(call)) {
        const first = await sendCall(subject, vector);
        const again = await withClockShifted(dayMs, () => sendCall(subject, vector));
        const different = differencesOf(first, again, freshParts(subject.kit));
        demand(
          different.length === 0,
          `"${vector.name}" is sent differently the second time: ${subject.hide(different.join('; '))}`,
          cures[call],
        );
      }
    },
  };
}

/** Compares whole requests, because a key may be in any header, in the path, or in the body. */
function keyCheck<Options>(subject: Subject<Options>, call: RepeatedCall): Check {
  const { kit } = subject;
  const fresh = { ...freshParts(kit), ...(kit.readable && { readable: kit.readable }) };
  const send = async (vector: CallVector, changes: CallOptions = {}): Promise<readonly HttpRequest[]> =>
    (await sendCall(subject, vector, {}, changes)).filter(({ method }) => method !== 'GET');
  return {
    rule: call === 'submit' ? 'idempotency' : call,
    title: 'is named alike when it is repeated, whatever the random bytes and the time',
    async run() {
      let sent = 0;
      let named = 0;
      for (const vector of subject.wellAnswered(call)) {
        const first = await send(vector);
        for (const [what, changes] of repetitions) {
          const again = await send(vector, changes);
          // An answer that is stale by then ends the call earlier.
          const both = changes.laterMs ? Math.min(first.length, again.length) : Infinity;
          const different = differencesOf(first.slice(0, both), again.slice(0, both), fresh);
          demand(
            different.length === 0,
            `"${vector.name}" has another idempotency key ${what}: ${subject.hide(different.join('; '))}`,
            cures[call],
          );
        }
        const other = await send(vector, { payment: anotherPayment(vector) });
        if (differencesOf(first, other, fresh).length > 0) named += 1;
        sent += first.length;
      }
      if (sent === 0) skip('every request of the samples is a GET, which moves no money');
      if (named === 0) skip('no request of the samples differs for another payment, so no key is seen');
    },
  };
}

function refundChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, file } = subject;
  const samples = subject.wellAnswered('refund');
  if (samples.length === 0) return [];
  const fresh = freshParts(subject.kit);
  const cure = cures.refund;
  if (adapter.manifest.repeatRefund === 'never') {
    return [
      {
        rule: 'refund',
        title: 'is never repeated, and a fetch reports its result',
        async run() {
          demand(
            'fetchStatus' in adapter,
            "`repeatRefund: 'never'` without `fetchStatus`: nothing can report the result of a refund whose answer was lost",
            'add `fetchStatus`, and let it report refunds',
          );
          const repeated = file.submissions.find(
            ({ payment: { refund } }) => isObject(refund) && refund['isRepetition'],
          );
          demand(
            !repeated,
            `"${repeated?.name}" is a repetition, and core repeats no refund of this provider`,
            "remove the vector, or remove `repeatRefund: 'never'` from the manifest",
          );
        },
      },
      {
        rule: 'refund',
        title: 'is never repeated, and a fetch reports that there is no other',
        async run() {
          const fetches = subject.wellAnswered('fetchStatus');
          const reports = await Promise.all(fetches.map(async (vector) => subject.call(vector, goodScript(vector))));
          demand(
            reports.some(({ result }) => result.showsAllRefunds),
            'no fetch of the samples sets `showsAllRefunds`: a refund whose request was lost would stay open forever',
            'set `showsAllRefunds: true` in the report if the status shows every refund, or their sum',
          );
        },
      },
    ];
  }
  return [
    {
      rule: 'refund',
      title: 'sends a repetition under the name of the first request, or asks for the result of that request',
      async run() {
        for (const vector of samples) {
          const [first, again] = [
            await sendCall(subject, vector),
            await sendCall(subject, vector, { isRepetition: true }),
          ].map((requests) => requests.filter(canMoveMoney)) as [HttpRequest[], HttpRequest[]];
          const different = again.length === 0 ? [] : differencesOf(first, again, fresh);
          demand(
            different.length === 0,
            `"${vector.name}" is sent differently when core says that it is a repetition: ${subject.hide(different.join('; '))}`,
            cure,
          );
        }
      },
    },
    {
      rule: 'refund',
      title: 'names each refund by its own reference',
      async run() {
        for (const vector of samples) {
          const [first, second] = [
            await sendCall(subject, vector, { reference: 'GW-10042-1-R1', isRepetition: false }),
            await sendCall(subject, vector, { reference: 'GW-10042-1-R2', isRepetition: false }),
          ];
          demand(
            differencesOf(first, second, fresh).length > 0,
            `"${vector.name}" is sent like another refund of the same amount: a repetition cannot be distinguished from it`,
            cure,
          );
        }
      },
    },
  ];
}
