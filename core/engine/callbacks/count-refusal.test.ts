import { expect } from 'chai';
import { describe, it } from 'mocha';
import { lackOf, refusalLine, refusalText } from './count-refusal.ts';

describe('refusalText', () => {
  it('names the kind of the refusal in words, and keeps what the adapter adds', () => {
    expect(refusalText(lackOf('invalid_signature', 'no entry has a correct MAC and our account'))).to.deep.equal({
      text: 'Signature, password or account is wrong or missing',
      detail: 'no entry has a correct MAC and our account',
    });
    expect(refusalLine(lackOf('stale', 'ts'))).to.equal('Its time is too far from now: ts');
    expect(refusalLine(lackOf('malformed', 'not a form'))).to.equal('It cannot be read: not a form');
    expect(refusalLine('the proof of each entry')).to.equal('None of its entries has a right signature');
    expect(refusalLine('other')).to.equal('Other reasons');
  });

  it('keeps a reason that was cut off, and one that this version does not know', () => {
    expect(refusalText('proof (a very long rea').detail).to.equal('a very long rea');
    expect(refusalText('something new (x)')).to.deep.equal({ text: 'something new (x)', detail: null });
  });
});
