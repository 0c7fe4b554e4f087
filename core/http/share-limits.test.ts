import { expect } from 'chai';
import { describe, it } from 'mocha';
import { shareLimits } from './share-limits.ts';

describe('the limits of a host', () => {
  const limits = {
    maxConnections: 5000,
    maxConnectionsPerAddress: 200,
    maxRequestsPerConnection: 1000,
    bodyBudgetBytes: 64,
  };

  it('are shared out in equal parts, rounded up; those of one connection stay', () => {
    expect(shareLimits(limits, 3)).to.deep.equal({
      maxConnections: 1667,
      maxConnectionsPerAddress: 67,
      maxRequestsPerConnection: 1000,
      bodyBudgetBytes: 22,
    });
    expect(shareLimits(limits, 1)).to.deep.equal(limits);
  });
});
