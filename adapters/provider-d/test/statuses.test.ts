import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerD from '../index.ts';

describe('the meaning of a status', () => {
  it('reports an open page in a status answer, but not in a callback', () => {
    const event = {
      kind: 'payment',
      providerStatus: '0:8000',
      reference: null,
      providerReference: null,
      amount: null,
      currency: null,
      dedupeKey: null,
    } as const;
    expect(providerD.mapStatus(event, 'fetch')).to.equal('pending');
    expect(providerD.mapStatus({ ...event }, 'callback')).to.equal('unknown');
  });
});
