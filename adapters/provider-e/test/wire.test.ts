import type { StoredPayment } from '@paywright/contract';
import { scriptedHttp, scriptedProvider } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerE from '../index.ts';
import type { Options } from '../options.ts';
import { h2hStored, now, options, reply, sent, xmlStored, xmlSubmission } from './helpers.ts';

describe('the interface that a payment takes', () => {
  for (const [flow, isH2h, path] of [
    ['auto', true, '/h2h/payments'],
    ['auto', false, '/orders'],
    ['xml', true, '/orders'],
    ['xml', false, '/orders'],
    ['jws', true, '/h2h/payments'],
    ['jws', false, '/h2h/payments'],
  ] as const) {
    it(`goes to ${path} with flow ${flow} where isH2h is ${isH2h}`, async () => {
      expect((await sent({ ...xmlSubmission, isH2h }, { flow })).request?.path).to.equal(path);
    });
  }

  it('asks by the interface that the payment went through, also where flow was changed since', async () => {
    const asked = async (payment: StoredPayment, flow: Options['flow']): Promise<string | undefined> => {
      const http = scriptedHttp([reply(500)]);
      await providerE.fetchStatus!(payment, scriptedProvider({ options: { ...options, flow }, now, http }));
      return http.requests[0]?.path.split('?')[0];
    };
    const { providerReference: _, ...bare } = h2hStored;
    const action = { type: 'confirm', paymentId: '7' } as const;
    expect(await asked(h2hStored, 'auto')).to.equal('/h2h/status');
    expect(await asked(bare, 'auto')).to.equal('/h2h/status');
    expect(await asked(bare, 'xml')).to.equal('/orders/GW-10042-1');
    expect(await asked({ ...bare, isH2h: false }, 'jws')).to.equal('/h2h/status');
    expect(await asked(xmlStored, 'jws')).to.equal('/orders/GW-10042-1');
    expect(await asked({ ...xmlStored, providerReference: '0123' }, 'jws')).to.equal('/orders/GW-10042-1');
    expect(await asked({ ...bare, isH2h: false, action }, 'xml')).to.equal('/h2h/status');
  });
});
