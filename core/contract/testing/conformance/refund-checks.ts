/** Whether a refund can be repeated: core repeats one whose outcome it does not know. */
import { isObject } from '../difference.ts';
import type { CallVector } from '../vector-file.ts';
import { demand, type Check } from './kit.ts';
import { differencesOf, keysOf } from './request-bytes.ts';
import { goodScript } from './scripts.ts';
import { isAnsweredWell, type Subject } from './subject.ts';
import { withClockShifted } from './watch.ts';

const rule = 'refund';
const dayMs = 86_400_000;
const cure =
  "name the refund by its `reference` and take time and random bytes from `ctx`; where the provider cannot know a repetition: `repeatRefund: 'never'` in the manifest";

export function refundChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, file, kit } = subject;
  const samples = file.submissions.filter((vector) => vector.call === 'refund' && isAnsweredWell(vector)).slice(0, 3);
  if (!adapter.refund || samples.length === 0) return [];
  const fresh = kit.freshHeaders ?? [];
  const ask = async (vector: CallVector, reference?: string, randomSeed = 1) => {
    const refund = isObject(vector.payment['refund']) ? vector.payment['refund'] : {};
    const payment = { refund: { ...refund, ...(reference !== undefined && { reference }) } };
    const { requests } = await subject.call(vector, goodScript(vector), { payment, randomSeed });
    return requests;
  };
  return [
    {
      rule,
      title: 'is repeated with the same bytes, so that nothing is given back twice',
      async run() {
        for (const vector of samples) {
          const first = await ask(vector);
          const again = await withClockShifted(dayMs, () => ask(vector));
          const different = differencesOf(first, again, fresh);
          demand(
            different.length === 0,
            `"${vector.name}" is sent differently the second time: ${subject.hide(different.join('; '))}`,
            cure,
          );
          demand(
            keysOf(await ask(vector, undefined, 101)) === keysOf(first),
            `"${vector.name}" has another idempotency key the second time`,
            cure,
          );
        }
      },
    },
    {
      rule,
      title: 'names each refund by its own reference, unless it is never repeated',
      async run() {
        for (const vector of samples) {
          const [first, second] = [await ask(vector, 'GW-10042-1-R1'), await ask(vector, 'GW-10042-1-R2')];
          demand(
            differencesOf(first, second, fresh).length > 0,
            `"${vector.name}" is sent as another refund of the same amount is: a repetition cannot be distinguished from it`,
            cure,
          );
        }
      },
    },
  ];
}
