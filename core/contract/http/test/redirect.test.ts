import { expect } from 'chai';
import { describe, it } from 'mocha';
import { redirectTo, referenceOrAction } from '../../index.ts';
import { sampleStored } from '../../testing/index.ts';

describe('redirectTo', () => {
  const url = 'https://bank.example/acs?id=1';

  it('leads to a web address, with the id of its challenge if it has one', () => {
    expect(redirectTo(url)).to.deep.equal({ type: 'redirect', method: 'GET', url });
    expect(redirectTo(url, 'ch_1')).to.deep.equal({ type: 'redirect', method: 'GET', url, transactionId: 'ch_1' });
    expect(redirectTo(url, undefined)).to.deep.equal({ type: 'redirect', method: 'GET', url });
    const members = { completesOnReturn: true, referrer: 'origin' } as const;
    expect(redirectTo(url, members)).to.deep.equal({ type: 'redirect', method: 'GET', url, ...members });
  });

  for (const other of ['javascript:alert(1)', '/acs', '', null, undefined]) {
    it(`returns no action for ${other}`, () => expect(redirectTo(other, 'ch_1')).to.equal(undefined));
  }
});

describe('referenceOrAction', () => {
  const { providerReference: _id, ...nameless } = sampleStored('P-1', new Date(0));
  const url = 'https://bank.example';

  for (const [name, payment, expected] of [
    ['its reference', sampleStored('P-1', new Date(0)), 'P-1'],
    ['nothing if neither is known', nameless, undefined],
    ['the id of its challenge', { ...nameless, action: redirectTo(url, 'ch_1')! }, 'ch_1'],
    ['nothing if its challenge has no id', { ...nameless, action: redirectTo(url)! }, undefined],
    ['the id that waits for a code', { ...nameless, action: { type: 'confirm', paymentId: 'T-1' } }, 'T-1'],
    [
      'its reference rather than the id of an action',
      { ...nameless, providerReference: 'P-1', action: redirectTo(url, 'x')! },
      'P-1',
    ],
  ] as const) {
    it(`returns ${name}`, () => expect(referenceOrAction(payment)).to.equal(expected));
  }
});
