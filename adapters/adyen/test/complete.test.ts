import { Types } from '@adyen/api-library';
import type { CompletionStep } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { complete } from '../complete.ts';
import { harness, answered, authorised, psp } from './messages.ts';

const { unanswered } = harness;

const action = { type: 'redirect', method: 'GET', url: 'https://a.example/3d', transactionId: 'GW-10042-1' } as const;
const payment = { ...unanswered, action };
const completed = (step: CompletionStep) => answered(authorised(), (ctx) => complete(payment, step, ctx));

describe('complete', () => {
  it('sends the decoded data from the browser and uses the answer', async () => {
    const { outcome, request, body } = await completed({ kind: 'return', query: 'redirectResult=X6Xtf%21Y%3D&x=1' });
    expect(outcome).to.deep.equal({ outcome: 'succeeded', providerReference: psp });
    expect(request?.path).to.equal('/payments/details');
    const details = new Types.checkout.PaymentDetailsRequest();
    details.details = { redirectResult: 'X6Xtf!Y=' };
    expect(body).to.deep.equal(JSON.parse(JSON.stringify(details)));
  });

  it('repeats one result under the same key, and uses another key for another result', async () => {
    const keyOf = async (result: string) =>
      (await completed({ kind: 'return', query: `redirectResult=${result}` })).request?.headers?.['Idempotency-Key'] ??
      '';
    expect(await keyOf('a'))
      .to.equal(await keyOf('a'))
      .and.not.to.equal(await keyOf('b'));
    expect((await keyOf('a')).length).to.be.at.most(64);
  });

  for (const step of [
    { kind: 'return' },
    { kind: 'return', query: 'x=1' },
    { kind: 'return', query: 'redirectResult=a&redirectResult=b' },
    { kind: 'code', code: '123456' },
  ] as const) {
    it(`sends no request and stays pending with ${JSON.stringify(step)}`, async () => {
      const { outcome, request } = await completed(step);
      expect([outcome, request]).to.deep.equal([{ outcome: 'pending', action }, undefined]);
    });
  }
});
