import { expect } from 'chai';
import { describe, it } from 'mocha';
import {
  defineAdapter,
  defined,
  statusTable,
  unknown,
  v,
  type Ability,
  type AdapterState,
  type InputKind,
  type PayerField,
  type Submission,
} from '../index.ts';

/** The type of a payment in `submit`, by the manifest. The compiler checks it. */
function submitOf<const I extends InputKind, const F extends PayerField>(
  inputs: readonly I[],
  payerFields: readonly F[],
  submit: (payment: Submission<I, F>, baseUrl: string) => string,
) {
  return defineAdapter({
    manifest: {
      name: 'acme',
      title: 'Acme',
      code: 59,
      contract: '^2.0',
      inputs,
      ways: [{ method: 'card', title: 'Card', threeDs: 'unsupported', payerFields }],
      currencies: ({ currency }) => [currency],
      options: v.object({ baseUrl: v.string(), currency: v.string() }),
      declines: {},
      idempotency: 'the reference',
    },
    submit: async (payment, { options }) => unknown(submit(payment, options.baseUrl)),
    callbacks: [],
    mapStatus: statusTable({}),
  });
}

describe('the types of an adapter', () => {
  it('follow from its inputs and its payer fields', () => {
    const card = submitOf(['card'], ['name'], ({ card: { number }, payer }, baseUrl) => {
      const name: string = payer.name;
      // @ts-expect-error a field that no way lists may be missing
      const email: string = payer.email;
      return [number, name, email, baseUrl].join();
    });
    expect(card.manifest.inputs).to.deep.equal(['card']);
    submitOf(['upi'], [], ({ upiId }) => upiId);
    submitOf(['token'], [], ({ token }) => token);
    submitOf(['upi', 'card'], [], (payment) => (payment.input === 'upi' ? payment.upiId : payment.card.cvv));
    // @ts-expect-error one of two inputs alone is not certain
    submitOf(['upi', 'card'], [], ({ upiId }) => upiId);
    // @ts-expect-error an input that is not listed brings nothing
    submitOf(['billing'], [], ({ card: { number } }) => number);
  });

  it('follow from the payer fields in a file of its own, too', async () => {
    const payerFields = ['name'] as const;
    const submit: Ability<'submit', object, 'billing', (typeof payerFields)[number]> = async ({ payer }) => {
      const name: string = payer.name;
      // @ts-expect-error a field that no way lists may be missing
      const phone: string = payer.phoneNumber;
      return unknown([name, phone].join());
    };
    const nothing: Ability<'submit', object, 'billing', never> = async ({ payer }) =>
      // @ts-expect-error without payer fields, no field is certain
      unknown(payer.name.trim());
    const methodOf: Ability<'methodOf', object, 'billing', never> = ({ payer }) =>
      // @ts-expect-error neither for the method of the payment
      payer.country.startsWith('I') ? 'upi_qr' : 'hosted_page';
    expect([submit, nothing, methodOf]).to.have.length(3);
  });

  it('accept a state whose optional members are absent, and none that is undefined', () => {
    const State = v.object({ order: v.string(), capture: v.exactOptional(v.string()) });
    const Loose = v.object({ order: v.string(), capture: v.optional(v.string()) });
    const kept: AdapterState = v.parse(State, { order: 'o-1' });
    const state: v.InferOutput<typeof Loose> = { order: 'o-1', capture: undefined };
    // @ts-expect-error JSON drops an undefined member: use `v.exactOptional`
    const wrong: AdapterState = state;
    const cleaned: AdapterState = defined(state);
    expect([kept, wrong, cleaned]).to.deep.equal([{ order: 'o-1' }, state, { order: 'o-1' }]);
  });
});
