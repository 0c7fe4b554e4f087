import { expect } from 'chai';
import { describe, it } from 'mocha';
import { pageBrands } from '../brands.ts';
import stripe from '../index.ts';
import { harness } from './messages.ts';

describe('pageBrands', () => {
  it('names what the option says, in the order of the table', () => {
    const names = pageBrands({ pageShows: ['google_pay', 'ideal', 'apple_pay'] }).map(({ name }) => name);
    expect(names).to.deep.equal(['Apple Pay', 'Google Pay', 'iDEAL']);
  });

  it('promises only cards unless the operator says more', () => {
    const { brands } = stripe.manifest;
    const shown = typeof brands === 'function' ? brands(harness.createContext().options) : brands;
    expect(shown?.hosted_page?.map(({ name }) => name)).to.deep.equal(['Visa', 'Mastercard', 'American Express']);
  });
});
