import { expect } from 'chai';
import { describe, it } from 'mocha';
import { shareLimits } from './share-limits.ts';

describe('shareLimits', () => {
  const limits = {
    maxConnections: 5000,
    maxConnectionsPerAddress: 200,
    maxRequestsPerConnection: 1000,
    bodyBudgetBytes: 64,
  };

  it('divides the limits of a host equally, rounded up, except those of one connection', () => {
    expect(shareLimits(limits, 3)).to.deep.equal({
      maxConnections: 1667,
      maxConnectionsPerAddress: 67,
      maxRequestsPerConnection: 1000,
      bodyBudgetBytes: 22,
    });
    expect(shareLimits(limits, 1)).to.deep.equal(limits);
  });
});
