// cspell:ignore bpayment referenceid
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { fillAddress } from './shop-address.ts';

const filled = (address: string | null, referenceId: string | null = 'order-1'): string | null =>
  fillAddress(address, { _id: 10042, referenceId });

describe('fillAddress', () => {
  it('fills in the payment request and the merchant’s reference, in path, query and fragment', () => {
    expect(
      filled('https://shop.example/{referenceId}/done?p={paymentRequestId}&again={referenceId}#{paymentRequestId}'),
    ).to.equal('https://shop.example/order-1/done?p=10042&again=order-1#10042');
  });

  it('reads the spelling that libraries write for braces', () => {
    expect(filled('https://shop.example/?p=%7BpaymentRequestId%7d&r=%7breferenceId%7D')).to.equal(
      'https://shop.example/?p=10042&r=order-1',
    );
  });

  for (const [reference, written] of [
    ['Nº 7 & co', 'N%C2%BA%207%20%26%20co'],
    ['a/b#c?d=e', 'a%2Fb%23c%3Fd%3De'],
    ['50% {off}', '50%25%20%7Boff%7D'],
    ['{paymentRequestId}', '%7BpaymentRequestId%7D'],
    ['$& $1', '%24%26%20%241'],
    ['注文', '%E6%B3%A8%E6%96%87'],
    ['half \ud800 of a pair', 'half%20%EF%BF%BD%20of%20a%20pair'],
    [null, ''],
  ] as const) {
    it(`encodes ${JSON.stringify(reference)}`, () => {
      expect(filled('https://shop.example/{referenceId}?r={referenceId}', reference)).to.equal(
        `https://shop.example/${written}?r=${written}`,
      );
    });
  }

  it('leaves every other brace, and the host, as the merchant sent them', () => {
    for (const address of [
      'https://shop.example/?x={other}&y={ referenceId }&z={referenceid}',
      'https://{referenceId}.example/done',
      'https://{referenceId}@shop.example',
      'https://shop.example',
    ])
      expect(filled(address), address).to.equal(address);
    expect(filled(null)).to.equal(null);
  });
});
