import { expect } from 'chai';
import fc from 'fast-check';
import { describe, it } from 'mocha';
import { readExact, writeExact } from '../exact-json.ts';

describe('amounts in JSON', () => {
  it('are written as numbers with the same digits', () => {
    expect(writeExact({ amount: '25.90', unit: 'EUR' })).to.equal('{"amount":25.90,"unit":"EUR"}');
    expect(writeExact({ paymentRequests: [{ amount: '0.000000000000000001' }] })).to.equal(
      '{"paymentRequests":[{"amount":0.000000000000000001}]}',
    );
  });

  it('stay text if they are not plain decimals, for the gateway to refuse', () => {
    for (const amount of ['', '25,90', '-1', '1e3', '.5', '5.', '007', ' 1', '1"', 'NaN'])
      expect(JSON.parse(writeExact({ amount }))).to.deep.equal({ amount });
  });

  it('are read with all their digits', () => {
    const text = '{ "amount" : 0.123456789012345678, "client": {"totalDeposits":900719925474099.31}, "id": 10042 }';
    expect(readExact(text)).to.deep.equal({
      amount: '0.123456789012345678',
      client: { totalDeposits: '900719925474099.31' },
      id: 10042,
    });
    expect(readExact('{"feeAmount":null,"amount":"0.5"}')).to.deep.equal({ feeAmount: null, amount: '0.5' });
  });

  it('are not found inside text', () => {
    const notes = ['"amount":5', '\\"amount\\":5,', 'amount', '{"amount":"5"}', '\\', '"'];
    const sent = { notes, amount: '1.0' };
    expect(JSON.parse(writeExact(sent))).to.deep.equal({ notes, amount: 1 });
    expect(readExact(JSON.stringify({ notes, amount: 1.5 }))).to.deep.equal({ notes, amount: '1.5' });
  });

  it('are read back as they were sent, and so is everything else', () => {
    const amount = fc.tuple(fc.nat(), fc.nat()).map(([whole, part]) => `${whole}.${part}`);
    fc.assert(
      fc.property(amount, fc.jsonValue({ maxDepth: 2 }), fc.string(), (amount, other, text) => {
        const value = { before: text, amount, after: [text, { amount, text }], other: JSON.stringify(other) };
        expect(readExact(writeExact(value))).to.deep.equal(value);
      }),
    );
  });
});
