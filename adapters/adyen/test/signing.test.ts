import { hmacValidator as HmacValidator } from '@adyen/api-library';
import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { isAmbiguous, itemSignature, verifyItem, type SignedMembers } from '../signing.ts';
import { harness } from './messages.ts';

const { options } = harness;

const validator = new HmacValidator();
const [key = '', previous = ''] = options.hmacKeys;

/** The item as Adyen's library signs it, with the value as a number. */
function theirs(item: SignedMembers, hmacKey: string): string {
  const amount = { ...item.amount, value: Number(item.amount.value) };
  const signed = { ...item, amount, eventDate: '', originalReference: item.originalReference ?? undefined };
  return validator.calculateHmac(signed as unknown as Parameters<typeof validator.calculateHmac>[0], hmacKey);
}

const item: SignedMembers = {
  pspReference: 'QFQTPCQ8HXSKGK82',
  merchantAccountCode: 'GatewayDemoECOM',
  merchantReference: 'GW-10042-1',
  amount: { value: '2590', currency: 'EUR' },
  eventCode: 'AUTHORISATION',
  success: 'true',
};

describe('the signature of an item', () => {
  it('equals the signature of Adyen’s library for arbitrary members', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'Z', '9', ':', '\\', ' ', 'é', '€'), maxLength: 8 });
    const items = fc.record({
      pspReference: text,
      originalReference: fc.option(text, { nil: undefined }),
      merchantAccountCode: text,
      merchantReference: text,
      amount: fc.record({ value: fc.nat().map(String), currency: text }),
      eventCode: text,
      success: fc.constantFrom('true', 'false'),
    });
    fc.assert(
      fc.property(items, (given) => itemSignature(key, given).toString('base64') === theirs(given, key)),
      { numRuns: 100 },
    );
  });

  it('is accepted from Adyen’s library, under the current and the previous key', () => {
    expect([key, previous].map((one) => verifyItem(options.hmacKeys, item, theirs(item, one)))).to.deep.equal([0, 1]);
    expect(verifyItem(options.hmacKeys, item, theirs(item, 'cc'.repeat(32)))).to.equal(undefined);
  });

  it('is accepted with and without escaping, because Adyen’s libraries disagree', () => {
    const odd = { ...item, merchantReference: 'till:4711\\a' };
    const escaped = { ...item, merchantReference: 'till\\:4711\\\\a' };
    expect([isAmbiguous(item), isAmbiguous(odd)]).to.deep.equal([false, true]);
    expect(verifyItem(options.hmacKeys, odd, theirs(odd, key))).to.equal(0);
    expect(verifyItem(options.hmacKeys, odd, theirs(escaped, key))).to.equal(0);
  });

  it('is refused for a member of more than 1,000 characters, before anything is hashed', () => {
    const [longest, longer] = [1000, 1001].map((count) => ({ ...item, merchantReference: ':'.repeat(count) }));
    expect(verifyItem(options.hmacKeys, longest!, theirs(longest!, key))).to.equal(0);
    expect(verifyItem(options.hmacKeys, longer!, theirs(longer!, key))).to.equal(undefined);
  });

  it('is refused if it is not a signature', () => {
    for (const given of ['', 'no base64', theirs(item, key).slice(0, -4)]) {
      expect(verifyItem(options.hmacKeys, item, given)).to.equal(undefined);
    }
  });
});
