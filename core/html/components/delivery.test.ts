import { expect } from 'chai';
import { describe, it } from 'mocha';
import { attemptResult, deliveryBadge, deliveryStateText, eventWords, retrying } from './delivery.ts';

describe('attemptResult', () => {
  for (const [error, words] of [
    ['the connection failed (ECONNREFUSED)', 'Connection refused'],
    ['no complete answer within 30 s', 'Timed out'],
    ['the host name could not be resolved (ENOTFOUND)', 'Host not found'],
    ['TLS failed (CERT_HAS_EXPIRED)', 'TLS failed'],
    ['port 9 is not allowed', 'Not sent: address refused'],
    [null, 'No answer'],
  ] as const)
    it(`says “${words}” if there was no answer: ${error}`, () => {
      expect(String(attemptResult({ status: null, error })))
        .to.contain('badge bad')
        .and.to.contain(words);
    });

  it('says the status of an answer, and whether it is a delivery', () => {
    expect(String(attemptResult({ status: 204, error: null }))).to.contain('badge good">HTTP 204');
    expect(String(attemptResult({ status: 500, error: 'answered 500' }))).to.contain('badge bad">HTTP 500');
  });
});

describe('eventWords', () => {
  it('names types of events for people', () => {
    expect(eventWords('payment.refund_failed')).to.equal('Payment refund failed');
    expect(eventWords('api.version.deprecated')).to.equal('API version deprecated');
  });
});

describe('deliveryStateText', () => {
  it('says failed and rejected instead of the words of the API', () => {
    expect(['exhausted', 'gone', 'waiting', retrying].map(deliveryStateText)).to.deep.equal([
      'failed',
      'rejected (410)',
      'waiting',
      'retrying',
    ]);
  });
});

describe('deliveryBadge', () => {
  const badgeOf = (state: string, ...statuses: (number | null)[]): string =>
    String(deliveryBadge({ state, attempts: statuses.map((status) => ({ status })) }));

  it('says that a notification is sent again after a failed attempt', () => {
    for (const status of [null, 301, 500]) expect(badgeOf('waiting', 200, status)).to.contain('badge warn">retrying');
    for (const statuses of [[], [500, 204]]) expect(badgeOf('waiting', ...statuses)).to.contain('badge calm">waiting');
    expect(badgeOf('exhausted', 500)).to.contain('badge bad">failed');
    expect(badgeOf('delivered', 500, 200)).to.contain('badge good">delivered');
  });
});
