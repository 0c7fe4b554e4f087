/** Checks the `adapterState` that an adapter leaves with an attempt, and that the adapter works without it. */
import { isPlainJson, maxAdapterStateBytes, type AdapterState } from '../../outcome.ts';
import { toHttpReply } from '../compare-request.ts';
import { hideAll, payerSecrets, secretsIn } from '../difference.ts';
import { noAnswer } from '../scripted-provider.ts';
import type { CallVector } from '../vector-file.ts';
import { claimOf, stepName } from './answer-classes.ts';
import { demand, type Check } from './kit.ts';
import { unpacked } from './request-checks.ts';
import { goodScript, scriptAt } from './scripts.ts';
import { isAnsweredWell, type Subject } from './subject.ts';

const rule = 'adapterState';
const laterCalls: readonly string[] = ['complete', 'fetchStatus', 'refund', 'capture', 'void', 'close'];
/** No state, and states that an earlier version of the adapter may have left. */
const otherStates = [undefined, null, 'an older version', [], {}, { version: 0 }];

export function stateChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, file } = subject;
  const samples = file.submissions.filter((vector) => vector.call in adapter && isAnsweredWell(vector));
  const secrets = secretsIn(adapter, file.options);
  const stateOf = async (vector: CallVector) => (await subject.call(vector, goodScript(vector))).result.adapterState;

  return [
    {
      rule,
      title: `is plain JSON of at most ${maxAdapterStateBytes} bytes without anything secret`,
      async run() {
        for (const vector of samples) {
          const state = await stateOf(vector);
          if (state === undefined) continue;
          demand(
            isPlainJson(state),
            `"${vector.name}" leaves a state that JSON would change`,
            'build it of objects, lists, texts, finite numbers, booleans and null',
          );
          const text = JSON.stringify(state);
          const size = Buffer.byteLength(text);
          demand(
            size <= maxAdapterStateBytes,
            `"${vector.name}" leaves ${size} bytes of state`,
            'keep only what a later call needs and the provider does not keep',
          );
          const hidden = hideAll([...secrets, ...payerSecrets(vector.payment)].filter(({ length }) => length > 3));
          const readable = unpacked(text, 2);
          demand(
            hidden(readable) === readable,
            `"${vector.name}" leaves a card number, a token or a secret in its state`,
            'keep none of them: a later call gets the options again, and must work without the card',
          );
        }
      },
    },
    {
      rule,
      title: 'is kept even if the answer to a later request is lost',
      async run() {
        for (const vector of samples) {
          const step = learntAt(vector, await stateOf(vector));
          if (step === undefined) continue;
          const { result } = await subject.call(vector, scriptAt(vector, step + 1, noAnswer));
          demand(
            result.adapterState !== undefined,
            `"${vector.name}" loses its state if ${stepName(vector, step + 1)}the answer is lost, although it knew the state before`,
            'call `ctx.keep(state)` as soon as it is known: a request that throws returns no outcome',
          );
        }
      },
    },
    {
      rule,
      title: 'may be lost, or be left by an older version',
      async run() {
        const hasState = async (): Promise<boolean> => {
          for (const vector of samples) if ((await stateOf(vector)) !== undefined) return true;
          return false;
        };
        const given = samples.some(({ payment }) => payment['adapterState'] !== undefined);
        if (!given && !(await hasState())) return;
        for (const vector of samples.filter(({ call }) => laterCalls.includes(call))) {
          for (const adapterState of otherStates) {
            const { result } = await subject.call(vector, goodScript(vector), { payment: { adapterState } });
            demand(
              vector.call !== 'fetchStatus' || claimOf(result) !== 'nothing charged',
              `"${vector.name}" says that nothing was charged if the state is ${JSON.stringify(adapterState) ?? 'lost'}`,
              'answer `noInformation` if the state is missing, or ask by the reference',
            );
          }
        }
      },
    },
  ];
}

/**
 * The index of the first of several answers, except the last, that shows what is in the state; undefined if none does.
 */
function learntAt({ exchanges, payment }: CallVector, state: AdapterState | undefined): number | undefined {
  const known = JSON.stringify(payment);
  const learnt = textsIn(state).filter((text) => text.length > 2 && !known.includes(text));
  const step = exchanges.slice(0, -1).findIndex(({ reply }) => {
    const body = reply ? Buffer.from(toHttpReply(reply).body).toString() : '';
    return learnt.some((text) => body.includes(text));
  });
  return step < 0 ? undefined : step;
}

function textsIn(state: unknown): string[] {
  if (typeof state === 'string') return [state];
  return typeof state === 'object' && state !== null ? Object.values(state).flatMap(textsIn) : [];
}
