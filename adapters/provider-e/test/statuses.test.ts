import type { DeclineCode } from '@paywright/contract';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import providerE from '../index.ts';

describe('the list of decline codes', () => {
  it('includes those of both interfaces', () => {
    const declines = {
      GENERAL: '05',
      FUNDS: '51',
      CARD_EXPIRED: '54',
      NOT_PERMITTED: '57',
      LIMIT: '61',
      WRONG_CODE: '05',
      '4005': '05',
      '4051': '51',
      '4054': '54',
      '4057': '57',
      '4061': '61',
      '4055': '05',
    } satisfies Record<string, DeclineCode>;
    expect(providerE.manifest.declines).to.deep.equal(declines);
  });
});

describe('a status of E', () => {
  const status = (kind: 'payment' | 'refund' | 'chargeback', providerStatus: string, from?: string): string =>
    providerE.mapStatus(
      {
        kind,
        providerStatus,
        reference: null,
        providerReference: null,
        amount: null,
        currency: null,
        dedupeKey: null,
        ...(from ? { facts: { from } } : {}),
      },
      'callback',
    );

  it('counts only for its subject, and in its own interface', () => {
    expect([status('payment', 'CAPTURED'), status('refund', 'CAPTURED')]).to.deep.equal(['succeeded', 'unknown']);
    expect([status('payment', 'REFUNDED'), status('chargeback', 'refund/0000')]).to.deep.equal(['unknown', 'unknown']);
    expect([status('payment', 'sale/2999'), status('refund', 'sale/2999')]).to.deep.equal(['pending', 'unknown']);
    expect([status('payment', 'sale/0000'), status('payment', 'sale/0000', 'xml')]).to.deep.equal([
      'succeeded',
      'unknown',
    ]);
  });
});
