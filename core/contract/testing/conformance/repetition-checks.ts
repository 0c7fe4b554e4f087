/** Checks that refund, capture, void and close can be repeated: core repeats a call whose outcome it does not know. */
import { isObject } from '../difference.ts';
import type { HttpRequest } from '../../provider.ts';
import type { CallVector } from '../vector-file.ts';
import { demand, type Check } from './kit.ts';
import { differencesOf, keysOf } from './request-bytes.ts';
import { goodScript } from './scripts.ts';
import { isAnsweredWell, type Subject } from './subject.ts';
import { withClockShifted } from './watch.ts';

const repeatedCalls = ['refund', 'capture', 'void', 'close'] as const;
const dayMs = 86_400_000;
const cures: Readonly<Record<(typeof repeatedCalls)[number], string>> = {
  refund:
    "name the refund by its `reference` and take time and random bytes from `ctx`; if the provider cannot recognise a repetition, set `repeatRefund: 'never'` in the manifest",
  capture: 'name the capture by its `reference` and take time and random bytes from `ctx`',
  void: 'name the void by its `reference` and take time and random bytes from `ctx`',
  close: 'name the order by its own reference and take time and random bytes from `ctx`',
};

export function repetitionChecks<Options>(subject: Subject<Options>): Check[] {
  return [...repeatedCalls.flatMap((call) => sameRequestCheck(subject, call)), ...refundChecks(subject)];
}

function samplesOf<O>({ adapter, file }: Subject<O>, call: (typeof repeatedCalls)[number]): readonly CallVector[] {
  if (!adapter[call]) return [];
  return file.submissions.filter((vector) => vector.call === call && isAnsweredWell(vector)).slice(0, 3);
}

/** Sends a call as its vector describes it; `refund` replaces members of the refund. */
async function sendCall<O>(subject: Subject<O>, vector: CallVector, refund: object = {}, randomSeed = 1) {
  const given = vector.payment['refund'];
  const payment = isObject(given) ? { refund: { ...given, ...refund } } : {};
  const { requests } = await subject.call(vector, goodScript(vector), { payment, randomSeed });
  return requests;
}

function sameRequestCheck<Options>(subject: Subject<Options>, call: (typeof repeatedCalls)[number]): Check[] {
  const samples = samplesOf(subject, call);
  const fresh = subject.kit.freshHeaders ?? [];
  const cure = cures[call];
  if (samples.length === 0) return [];
  return [
    {
      rule: call,
      title: 'is repeated with the same bytes, so that no money moves twice',
      async run() {
        for (const vector of samples) {
          const first = await sendCall(subject, vector);
          const again = await withClockShifted(dayMs, () => sendCall(subject, vector));
          const different = differencesOf(first, again, fresh);
          demand(
            different.length === 0,
            `"${vector.name}" is sent differently the second time: ${subject.hide(different.join('; '))}`,
            cure,
          );
          demand(
            keysOf(await sendCall(subject, vector, {}, 101)) === keysOf(first),
            `"${vector.name}" has another idempotency key the second time`,
            cure,
          );
        }
      },
    },
  ];
}

function refundChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, file, kit } = subject;
  const samples = samplesOf(subject, 'refund');
  if (samples.length === 0) return [];
  const fresh = kit.freshHeaders ?? [];
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
          const fetches = file.submissions.filter((vector) => vector.call === 'fetchStatus' && isAnsweredWell(vector));
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
            await sendCall(subject, vector, { reference: 'GW-10042-1-R1' }),
            await sendCall(subject, vector, { reference: 'GW-10042-1-R2' }),
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

function canMoveMoney({ method, chargesNothing }: HttpRequest): boolean {
  return method !== 'GET' && !chargesNothing;
}
