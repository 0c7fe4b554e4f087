import { expect } from 'chai';
import { describe, it } from 'mocha';
import { callHash, forwardHash, reverseHash } from '../signing.ts';
import { paid, previousSalt, salt, type Fields } from './messages.ts';

describe('the hashes', () => {
  const account = { salts: [salt, previousSalt] };

  it("match those of C's manual", () => {
    expect(forwardHash(account, paid)).to.match(/^bfd1926e73ed44ac.*2b66d1ef$/);
    const form = (changes: Fields): Map<string, string> => new Map(Object.entries({ ...paid, ...changes }) as never);
    expect(reverseHash(form({}), salt).toString('hex')).to.match(/^551cb084d8095c09.*f30a76c$/);
    const refund = form({ c_extra: 'RF-700315', c_total: '5.00', c_state: 'refunded' });
    expect(reverseHash(refund, salt).toString('hex')).to.match(/^378eaef46feef885.*b449b0e6b0ce5d.*aa3b509048$/);
    expect(callHash(account, 'GWDEMO01', 'find', 'GW-10042-1')).to.match(/^7dca4f79c21a012e.*eb1ea2b$/);
  });
});
