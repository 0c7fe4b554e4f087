import { expect } from 'chai';
import { describe, it } from 'mocha';
import type { Attempt } from '../../../database/collections/attempt.ts';
import { failureOf, presentFailure, reasonText } from './failure.ts';

const failed = {
  outcome: 'failed',
  nothingCharged: false,
  cancelled: false,
  threeDsResult: null,
  decline: null,
  declineText: null,
} as Attempt;
const declined = { ...failed, decline: '51', declineText: 'no money' } as Attempt;

describe('failureOf', () => {
  it('names what ended the attempt before what the provider also reports', () => {
    const kinds: readonly (readonly [Partial<Attempt>, string])[] = [
      [{}, 'declined'],
      [{ threeDsResult: 'N' }, 'three_ds'],
      [{ threeDsResult: 'N', nothingCharged: true }, 'nothing_charged'],
      [{ threeDsResult: 'N', nothingCharged: true, refusedField: 'postalCode' }, 'field_refused'],
      [{ threeDsResult: 'N', nothingCharged: true, refusedField: 'postalCode', cancelled: true }, 'cancelled'],
      [{ decline: null, replacedAt: new Date() }, 'given_up'],
      [{ decline: null }, 'no_reason'],
    ];
    for (const [members, kind] of kinds) expect(failureOf({ ...declined, ...members })?.kind).to.equal(kind);
    for (const outcome of ['open', 'succeeded', 'expired'] as const)
      expect(failureOf({ ...declined, outcome }), outcome).to.equal(null);
  });
});

describe('presentFailure', () => {
  it('adds the words of the provider to a decline only if they say more', () => {
    const told = (attempt: Attempt): string | null => reasonText(presentFailure(attempt));
    expect(told(declined)).to.equal('Insufficient funds (code 51): no money');
    expect(told({ ...declined, declineText: 'INSUFFICIENT FUNDS' })).to.equal('Insufficient funds (code 51)');
    expect(told({ ...declined, declineText: null })).to.equal('Insufficient funds (code 51)');
    expect(told({ ...declined, threeDsResult: 'N' })).to.equal('3D Secure failed: the payer was not authenticated.');
    expect(told({ ...failed, outcome: 'open' })).to.equal(null);
  });

  it('names the field or the rule of a sandbox for which nothing was charged', () => {
    const refused = { ...failed, nothingCharged: true };
    expect(presentFailure({ ...refused, refusedField: 'postalCode' }).failure).to.equal(
      'The provider refused the field postalCode; nothing was charged.',
    );
    expect(presentFailure({ ...refused, sandboxRule: '.50' }).failure).to.equal(
      'Sandbox error on purpose: the amount ends in .50.',
    );
    expect(presentFailure({ ...refused, sandboxRule: 'unknown' }).failure).to.equal(
      'The provider could not process it; nothing was charged.',
    );
  });
});
