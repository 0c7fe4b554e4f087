import { expect } from 'chai';
import { describe, it } from 'mocha';
import { inputKindOf } from '../payment.ts';

describe('inputKindOf', () => {
  const all = ['card', 'token', 'upi', 'billing'] as const;

  it('finds the input whose own member the body has', () => {
    expect(inputKindOf(all, { number: '4111111111111111' })).to.equal('card');
    expect(inputKindOf(all, { token: 'tok_1' })).to.equal('token');
    expect(inputKindOf(all, { upiId: 'ines@bank' })).to.equal('upi');
    expect(inputKindOf(all, { name: 'Ines Duarte' })).to.equal('billing');
  });

  it('uses the order of the manifest if a body has several', () => {
    expect(inputKindOf(['token', 'card'], { number: '4111111111111111', token: 'tok_1' })).to.equal('token');
  });

  it('counts a member that is present but wrong, so that its form is checked', () => {
    for (const number of ['', null, 7]) expect(inputKindOf(all, { number })).to.equal('card');
    expect(inputKindOf(all, { number: undefined })).to.equal('billing');
    expect(inputKindOf(all, Object.create({ number: '4111111111111111' }) as Record<string, unknown>)).to.equal(
      'billing',
    );
  });

  it('assigns every body to the only input of a provider, and to the first input if none matches', () => {
    expect(inputKindOf(['card'], { token: 'tok_1' })).to.equal('card');
    expect(inputKindOf(['upi', 'card'], { name: 'Ines Duarte' })).to.equal('upi');
  });
});
