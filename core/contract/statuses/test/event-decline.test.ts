import { expect } from 'chai';
import { describe, it } from 'mocha';
import { eventDeclineOf, toEventDecline } from '../../index.ts';

describe('eventDeclineOf', () => {
  for (const [word, text, expected] of [
    ['poor', undefined, { decline: '51' }],
    ['poor', 'no money', { decline: '51', declineText: 'no money' }],
    ['odd', undefined, { decline: '05', declineText: 'odd' }],
    ['odd', 'for people', { decline: '05', declineText: 'for people' }],
    [null, null, { decline: '05' }],
    ['toString', undefined, { decline: '05', declineText: 'toString' }],
  ] as const) {
    it(`returns ${JSON.stringify(expected)} for ${word} with ${text}`, () => {
      expect(eventDeclineOf({ poor: '51' }, word, text)).to.deep.equal(expected);
    });
  }
});

describe('toEventDecline', () => {
  it('leaves out what no event carries', () => {
    const refusal = {
      decline: '05',
      declineText: 'odd',
      unknownStatus: 'odd',
      threeDsResult: 'N',
      acsResponse: 'no',
    } as const;
    expect(toEventDecline(refusal)).to.deep.equal({ decline: '05', declineText: 'odd', threeDsResult: 'N' });
  });
});
