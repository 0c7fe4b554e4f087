/** Acme as a provider that gives a session with each charge. Its adapter keeps the session and asks with it. */
import { isObject } from '../../testing/difference.ts';
import {
  noInformation,
  type AdapterState,
  type Outcome,
  type ProviderAdapter,
  type StatusReport,
} from '../../index.ts';
import { createAcme } from './adapter.ts';
import type { Broken } from './broken.ts';
import type { Options } from './protocol.ts';
import { createVectors } from './vectors.ts';

const acme = createAcme();

interface StatefulOptions {
  /** The state that is kept of a charge. */
  readonly stateOf?: (outcome: Outcome, number: string) => unknown;
  /** Reads the session from the state. */
  readonly sessionOf?: (state: AdapterState | undefined) => string | undefined;
  readonly withoutSession?: StatusReport;
}

const sessionOf = (state: AdapterState | undefined): string | undefined => {
  const session = isObject(state) ? state['session'] : undefined;
  return typeof session === 'string' ? session : undefined;
};

export function createStatefulAcme({
  stateOf = ({ providerReference = '' }) => ({ session: providerReference }),
  sessionOf: read = sessionOf,
  withoutSession = noInformation('the session is not known'),
}: StatefulOptions = {}): ProviderAdapter<Options> {
  return createAcme({
    adapter: {
      async submit(payment, ctx) {
        const outcome = await acme.submit(payment, ctx);
        if (outcome.outcome !== 'succeeded') return outcome;
        return { ...outcome, adapterState: stateOf(outcome, payment.card?.number ?? '') as AdapterState };
      },
      fetchStatus: async (payment, ctx) =>
        read(payment.adapterState) === undefined ? withoutSession : acme.fetchStatus!(payment, ctx),
    },
  });
}

const plain = createVectors();

/** Acme's vectors; its fetch gets the state back. */
export const statefulVectors = {
  ...plain,
  submissions: plain.submissions.map((vector) =>
    'call' in vector && vector.call === 'fetchStatus'
      ? { ...vector, payment: { ...vector.payment, adapterState: { session: 'ac_1' } } }
      : vector,
  ),
};

const kit = { vectors: statefulVectors };

/** Faults of the kept state. */
export const brokenStates: readonly Broken[] = [
  {
    fault: 'keeps a state that JSON would change',
    rule: 'adapterState',
    says: 'that JSON would change',
    adapter: createStatefulAcme({ stateOf: () => ({ at: new Date(0) }) }),
    kit,
  },
  {
    fault: 'keeps more than the contract allows',
    rule: 'adapterState',
    says: 'bytes of state',
    adapter: createStatefulAcme({ stateOf: () => 'x'.repeat(4095) }),
    kit,
  },
  {
    fault: 'keeps a card number',
    rule: 'adapterState',
    says: 'leaves a card number',
    adapter: createStatefulAcme({ stateOf: (_, number) => ({ card: Buffer.from(number).toString('base64') }) }),
    kit,
  },
  {
    fault: 'cannot work without its state',
    rule: 'adapterState',
    says: 'fetchStatus did not end well',
    adapter: createStatefulAcme({ sessionOf: (state) => (state as { readonly session: string }).session }),
    kit,
  },
  {
    fault: 'treats a lost state as proof that nothing was charged',
    rule: 'adapterState',
    says: 'says that nothing was charged if the state is lost',
    adapter: createStatefulAcme({ withoutSession: { result: 'nothing_charged' } }),
    kit,
  },
];
