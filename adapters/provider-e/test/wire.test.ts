import type { AdapterContext, StoredPayment } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerE from '../index.ts';
import type { Options } from '../options.ts';
import { harness, h2hStored, sent, xmlStored, xmlSubmission } from './messages.ts';

const { recordCall, unanswered } = harness;

describe('the interface of a payment', () => {
  for (const [flow, isH2h, path] of [
    ['auto', true, '/h2h/payments'],
    ['auto', false, '/orders'],
    ['xml', true, '/orders'],
    ['xml', false, '/orders'],
    ['jws', true, '/h2h/payments'],
    ['jws', false, '/h2h/payments'],
  ] as const) {
    it(`is ${path} with flow ${flow} if isH2h is ${isH2h}`, async () => {
      expect((await sent({ ...xmlSubmission, isH2h }, { flow })).request?.path).to.equal(path);
    });
  }

  it('is the one that the payment used, even if flow was changed since', async () => {
    const asked = async (payment: StoredPayment, flow: Options['flow']): Promise<string | undefined> => {
      const call = (ctx: AdapterContext<Options>) => providerE.fetchStatus!(payment, ctx);
      const { requests } = await recordCall(reply(500), call, { options: { flow } });
      return requests[0]?.path.split('?')[0];
    };
    const action = { type: 'confirm', paymentId: '7' } as const;
    expect(await asked(h2hStored, 'auto')).to.equal('/h2h/status');
    expect(await asked(unanswered, 'auto')).to.equal('/h2h/status');
    expect(await asked(unanswered, 'xml')).to.equal('/orders/GW-10042-1');
    expect(await asked({ ...unanswered, isH2h: false }, 'jws')).to.equal('/h2h/status');
    expect(await asked(xmlStored, 'jws')).to.equal('/orders/GW-10042-1');
    expect(await asked({ ...xmlStored, providerReference: '0123' }, 'jws')).to.equal('/orders/GW-10042-1');
    expect(await asked({ ...unanswered, isH2h: false, action }, 'xml')).to.equal('/h2h/status');
  });
});
