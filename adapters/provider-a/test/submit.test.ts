import type { DeclineCode } from '@paywright/contract';
import { reply } from '@paywright/contract/testing';
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { harness, charge, error } from './messages.ts';

const { submit } = harness;

describe('submit at A', () => {
  for (const [why, decline] of Object.entries({
    REFUSED: '05',
    FUNDS: '51',
    EXPIRED_CARD: '54',
    NOT_PERMITTED: '57',
    LIMIT: '61',
    BAD_CVC: '05',
    AUTH3DS: '05',
    ABANDONED: '05',
  } satisfies Record<string, DeclineCode>)) {
    it(`reads NO for ${why} as decline ${decline}`, async () => {
      const outcome = await submit(reply(200, charge('NO', { why, whyText: 'for people' })));
      expect(outcome).to.deep.equal({
        outcome: 'failed',
        providerReference: 'A-7H2K9Q',
        decline,
        declineText: 'for people',
        ...(why === 'AUTH3DS' ? { threeDsResult: 'N' } : {}),
      });
    });
  }

  it('keeps an unknown decline reason and counts it', async () => {
    const outcome = await submit(reply(200, charge('NO', { why: 'MOON' })));
    expect(outcome).to.include({ decline: '05', declineText: 'MOON', unknownStatus: 'MOON' });
    expect(await submit(reply(200, charge('NO')))).to.include({ outcome: 'failed', decline: '05' });
  });

  it('reads HOLD as authorised and an unknown state as unknown', async () => {
    expect(await submit(reply(200, charge('HOLD')))).to.include({ outcome: 'pending', authorised: true });
    expect(await submit(reply(200, charge('MAYBE')))).to.include({ outcome: 'unknown', unknownStatus: 'MAYBE' });
  });

  for (const [name, answer] of [
    ['a body that is not JSON', reply(200, '<html>')],
    ['an empty body', reply(200, '')],
    ['no txn', reply(200, charge('OK', { txn: undefined }))],
    ['an empty txn', reply(200, charge('OK', { txn: '' }))],
    ['no state', reply(200, charge('OK', { state: undefined }))],
    ['another ref', reply(200, charge('OK', { ref: 'GW-10042-2' }))],
    ['another amount', reply(200, charge('OK', { sum: { minor: 2591, cur: 'EUR' } }))],
    ['another currency', reply(200, charge('OK', { sum: { minor: 2590, cur: 'USD' } }))],
    ['an amount that is text', reply(200, charge('OK', { sum: { minor: '2590', cur: 'EUR' } }))],
    ['a challenge without an address', reply(200, charge('STEP_UP'))],
    ['a challenge without a web address', reply(200, charge('STEP_UP', { stepUp: { url: 'javascript:1' } }))],
    ['409 IN_PROGRESS', error(409, 'IN_PROGRESS')],
    ['409 REF_REUSED', error(409, 'REF_REUSED')],
    ['500 without a reason', error(500, 'INTERNAL')],
    ['500 that says charged', error(500, 'INTERNAL', { charged: 'yes' })],
    ['500 with charged as a boolean', error(500, 'INTERNAL', { charged: false })],
    ['400 of another server', reply(400, '<html>')],
    ['401 of another server', reply(401, '')],
    ['403', error(403, 'NO_KEY')],
    ['a redirect', reply(302, '', [['Location', 'https://elsewhere.example']])],
  ] as const) {
    it(`treats ${name} as unknown, without a decline`, async () => {
      const outcome = await submit(answer);
      expect(outcome.outcome).to.equal('unknown');
      expect(outcome).not.to.have.any.keys('decline', 'nothingCharged', 'action');
    });
  }

  for (const [name, answer] of [
    ['400 UNREADABLE', error(400, 'UNREADABLE')],
    ['401 NO_KEY', error(401, 'NO_KEY')],
    ['422 INVALID', error(422, 'INVALID', { field: 'card.cvc' })],
    ['429', reply(429, '')],
    ['500 that says nothing was charged', error(500, 'INTERNAL', { charged: 'no' })],
    ['503 that says nothing was charged', error(503, 'BUSY', { charged: 'no' })],
  ] as const) {
    it(`treats ${name} as failed, nothing charged, without a decline`, async () => {
      const outcome = await submit(answer);
      expect(outcome).to.include({ outcome: 'failed', nothingCharged: true }).and.not.to.have.property('decline');
      expect('misconfigured' in outcome).to.equal(name === '401 NO_KEY');
    });
  }
});

describe('a refusal of a field', () => {
  for (const [name, field] of [
    ['payer.mail', 'email'],
    ['card.pan', 'number'],
    ['card.expYear', 'expiration'],
    ['payer.zip', 'postalCode'],
    ['backUrl', 'body'],
  ] as const) {
    it(`names ${field} for ${name}`, async () => {
      const refusal = reply(422, { error: { code: 'INVALID', field: name } });
      expect(await harness.submit(refusal)).to.include({ nothingCharged: true, refusedField: field });
    });
  }
});
