/** Finds and replaces the words of messages in every form that providers use. */
import { expect } from 'chai';
import { describe, it } from 'mocha';
import { withWords, wordsIn } from '../testing/conformance/message-words.ts';

const packed = (text: string): string => Buffer.from(text).toString('base64');
const url = (text: string): string => Buffer.from(text).toString('base64url');
const said = '{"op":"sale","rc":"0000","sum":1.50,"id":"ch_12"}';

const messages: readonly (readonly [what: string, body: string, path: string, changed: string])[] = [
  ['JSON', `{"a":{"b":[${said}]}}`, 'a.b[0].rc', `{"a":{"b":[${said.replace('0000', '8888')}]}}`],
  ['a form', 'x=1&rc=0000&sum=1.50', 'rc', 'x=1&rc=8888&sum=1.50'],
  ['a form in lines', 'kind=sale\n&rc=0000\n&end=1\n', 'rc', 'kind=sale\n&rc=8888\n&end=1\n'],
  ['attributes', '<a rc="0100"/><a rc=\'0000\' sum="1.50"/>', 'rc[1]', '<a rc="0100"/><a rc=\'8888\' sum="1.50"/>'],
  ['elements', '<a><b>paid</b><c>0000</c></a>', 'text[1]', '<a><b>paid</b><c>8888</c></a>'],
  ['base64 of JSON', `{"data":"${packed(said)}"}`, 'data.rc', `{"data":"${packed(said.replace('0000', '8888'))}"}`],
  [
    'the content of a token',
    `{"token":"${url('{"alg":"HS256"}')}.${url(said)}.c2ln"}`,
    'token.rc',
    `{"token":"${url('{"alg":"HS256"}')}.${url(said.replace('0000', '8888'))}.c2ln"}`,
  ],
];

describe('wordsIn and withWords', () => {
  for (const [what, body, path, changed] of messages) {
    it(`find and replace a word in ${what}`, () => {
      expect(wordsIn(Buffer.from(body)).get(path)).to.equal('0000');
      expect(Buffer.from(withWords(Buffer.from(body), [path], () => '8888')).toString()).to.equal(changed);
    });
  }

  it('find no id, no amount and no address', () => {
    const body = `{"id":"ch_12","sum":"1.50","url":"https://x.example/paid","data":"${packed('no JSON, only text')}"}`;
    expect([...wordsIn(Buffer.from(body)).keys()]).to.deep.equal([]);
  });

  it('leave a message in another form unchanged', () => {
    for (const body of ['{"cut', 'paid', '']) {
      expect(wordsIn(Buffer.from(body)).size).to.equal(0);
      expect(Buffer.from(withWords(Buffer.from(body), ['state'], () => 'other')).toString()).to.equal(body);
    }
  });
});
