import { expect } from 'chai';
import { describe, it } from 'mocha';
import { defineAdapter, statusTable, unknown, v, type InputKind, type PayerField, type Submission } from '../index.ts';

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
});
