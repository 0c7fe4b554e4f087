import { expect } from 'chai';
import { describe, it } from 'mocha';
import { readTriple, writeTriple } from '../signing.ts';
import { harness, current, pack, paid, previous, signed, triple } from './messages.ts';

const { options } = harness;

const worked = {
  d_ver: 'H1',
  d_data:
    'eyJEX1Nob3AiOiIwMDQyMTczOTAiLCJEX1Rlcm0iOiIxIiwiRF9PcmRlciI6IkdXLTEwMDQyLTEiLCJEX09wIjoiMCIsIkRfSWQiOiI5MDA3MTk5MjU0NzQwOTkzMTAwMSIsIkRfU3VtIjoiMjU5MCIsIkRfQ3VyIjoiOTc4IiwiRF9Db2RlIjoiMDAwMCIsIkRfQXV0aCI6IkExJTIwNyIsIkRfU2VjdXJlIjoiMSIsIkRfVGV4dCI6IkRhbmtlJTJDJTIwWm8lQzMlQUIlMjEifQ==',
  d_sig: 'PWQyngx_TIChzUWZ_Jd-SGTRc2JICQXFOqR77PeAMbg=',
};
const read = (changes: Partial<typeof worked>) => readTriple({ ...worked, ...changes }, options);

describe('a triple', () => {
  it('matches D’s worked example', () => {
    const members = { ...(paid as { D_Order: string }), D_Auth: 'A1 7', D_Secure: '1', D_Text: 'Danke, Zoë!' };
    expect(writeTriple(current, members)).to.deep.equal(worked);
  });

  it('escapes all but letters, digits and - . _ ~, and leaves out undefined members', () => {
    const { d_data } = writeTriple(current, {
      D_Order: 'A',
      D_Name: "Az09-._~ +/=!'()*%é😀\u0000",
      D_Mail: '',
      D_Ip: undefined,
      D_Zip: '\ud800',
    });
    expect(JSON.parse(Buffer.from(d_data, 'base64').toString())).to.deep.equal({
      D_Order: 'A',
      D_Name: 'Az09-._~%20%2B%2F%3D%21%27%28%29%2A%25%C3%A9%F0%9F%98%80%00',
      D_Mail: '',
      D_Zip: '%EF%BF%BD',
    });
  });

  it('accepts each key, either alphabet, and optional padding', () => {
    expect(read({})).to.include({ order: 'GW-10042-1' });
    const [bare, standard] = [worked.d_sig.replace('=', ''), worked.d_sig.replaceAll('-', '+').replaceAll('_', '/')];
    for (const d_sig of [bare, standard]) expect(read({ d_sig })).to.include({ order: 'GW-10042-1' });
    const old = signed(pack(paid), 'GW-10042-1', previous) as typeof worked;
    expect(read(old)).to.include({ order: 'GW-10042-1' });
    expect(readTriple(old, { ...options, keys: [current] })).to.equal('signature');
  });

  it('verifies the received characters of the data', () => {
    // The data holds the characters for 62 and 63 of the alphabet.
    const data = pack({ ...paid, D_Text: '%3F%3F%3E~?>?>~~' });
    expect(data).to.match(/[+/]/);
    for (const d_data of [data, data.replace(/=+$/, ''), data.replaceAll('+', '-').replaceAll('/', '_')]) {
      expect(read(signed(d_data))).to.have.property('order', 'GW-10042-1');
    }
    expect(read({ d_data: worked.d_data.replace(/=+$/, '') })).to.equal('signature');
  });

  it('proves nothing about another order', () => {
    const other = signed(pack({ ...paid, D_Order: 'GW-10043-1' }), 'GW-10042-1');
    expect(read(other)).to.equal('signature');
  });

  it('names an order that is itself percent-encoded', () => {
    expect(read(signed(pack({ ...paid, D_Order: 'GW%2D10042%2D1' })))).to.include({ order: 'GW-10042-1' });
  });

  for (const [what, refusal, changes] of [
    ['another version', 'version', { d_ver: 'H2' }],
    ['a version in small letters', 'version', { d_ver: 'h1' }],
    ['no version, no signature, no data', 'version', { d_ver: '', d_sig: '', d_data: '' }],
    ['no signature and no data', 'signature missing', { d_sig: '', d_data: '' }],
    ['no data', 'data', { d_data: '' }],
    ['data that is no base64, and a wrong signature', 'data', { d_data: 'e30*', d_sig: 'AAAA' }],
    ['data that is no JSON', 'data', signed(Buffer.from('{').toString('base64'))],
    ['data that is not UTF-8', 'data', signed(Buffer.from('{"D_Order":"\xff"}', 'latin1').toString('base64'))],
    ['data that is a list', 'data', signed(pack([paid]))],
    ['data that is null', 'data', signed(pack(null))],
    ['a member twice', 'data', signed(Buffer.from('{"D_Order":"A","D_Order":"A"}').toString('base64'), 'A')],
    ['no order', 'data', signed(pack({ ...paid, D_Order: undefined }))],
    ['an order that is a number', 'data', signed(pack({ ...paid, D_Order: 7 }), '7')],
    ['an empty order', 'data', signed(pack({ ...paid, D_Order: '' }))],
    ['an order of 25 characters', 'data', signed(pack({ ...paid, D_Order: 'A'.repeat(25) }), 'A'.repeat(25))],
    ['an order in small letters', 'data', signed(pack({ ...paid, D_Order: 'gw-1' }), 'gw-1')],
    ['an order with a broken escape', 'data', signed(pack({ ...paid, D_Order: 'A%4' }), 'A%4')],
    ['a signature of other bytes', 'signature', { d_sig: `A${worked.d_sig.slice(1)}` }],
    ['half a signature', 'signature', { d_sig: worked.d_sig.slice(0, 20) }],
    ['a signature that is no base64', 'signature', { d_sig: '?' }],
    ['a wrong signature and another shop', 'signature', { ...triple({ D_Shop: '004217391' }), d_sig: worked.d_sig }],
    ['another shop', 'account', triple({ D_Shop: '004217391' })],
    ['our shop without its zeros', 'account', triple({ D_Shop: '4217390' })],
    ['another terminal', 'account', triple({ D_Term: '2' })],
    ['our terminal with a zero', 'account', triple({ D_Term: '01' })],
    ['no shop', 'account', triple({ D_Shop: undefined })],
    ['a shop that is a number', 'account', triple({ D_Shop: 4217390 })],
  ] as const) {
    it(`is refused with ${what}: ${refusal}`, () => {
      expect(read(changes)).to.equal(refusal);
    });
  }
});
