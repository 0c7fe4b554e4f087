import { expect } from 'chai';
import { describe, it } from 'mocha';
import { showRaw } from './show-raw.ts';

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const shown = (body: string, query = '', headers: [string, string][] = []) =>
  showRaw({
    method: 'POST',
    path: '/callbacks/x',
    query,
    headers,
    body: Buffer.from(body),
    remoteAddress: '192.0.2.1',
    receivedAt: new Date(),
  });

describe('showRaw', () => {
  for (const [form, body, expected] of [
    [
      'JSON',
      '{"order":"GW-1-1","token":"tok_1","sign":"abc","card":{"pan":4111111111111111,"last":"1111"}}',
      '{"order":"GW-1-1","token":"[hidden]","sign":"[hidden]","card":{"pan":"[hidden]","last":"1111"}}',
    ],
    ['a form', 'order=GW-1-1&Signature=abc%3D&card=4111+1111', 'order=GW-1-1&Signature=[hidden]&card=4111+1111'],
    [
      'XML',
      '<r sign="x"><Order>GW-1-1</Order><a:cvv>123</a:cvv></r>',
      '<r sign="[hidden]"><Order>GW-1-1</Order><a:cvv>[hidden]</a:cvv></r>',
    ],
    ['text', 'paid with 4111111111111111', 'paid with [hidden]'],
    ['a list', '{"signatures":["abc",["def"],{"at":1}]}', '{"signatures":["[hidden]",["[hidden]"],{"at":1}]}'],
    ['a form with spaces', 'note=a+4111+1111+1111+1111&x=1', 'note=a [hidden]&x=1'],
    ['a form that is encoded', 'note=4111%201111%201111%201111&x=a%20b', 'note=[hidden]&x=a%20b'],
    ['a name of a form', '4111%201111%201111%201111=1', '[hidden]=1'],
    [
      'CDATA',
      '<r><Token><![CDATA[x]]></Token><A><![CDATA[y]]></A></r>',
      '<r><Token>[hidden]</Token><A><![CDATA[y]]></A></r>',
    ],
    ['CDATA without an end', '<r><Token><![CDATA[x', '<r><Token>[hidden]'],
    ['an attribute without an end', '<r a="1" token="abc', '<r a="1" token="[hidden]"'],
    [
      'XML with single quotes',
      "<r sign='x' a:pan = '4' b='>'><c/>d</r>",
      "<r sign='[hidden]' a:pan = '[hidden]' b='>'><c/>d</r>",
    ],
    [
      'XML around XML',
      '<r><Token><Value>x</Value></Token><sign>a<b/>c</sign></r>',
      '<r><Token><Value>[hidden]</Value></Token><sign>[hidden]<b/>[hidden]</sign></r>',
    ],
    [
      'JSON in a text',
      JSON.stringify({ data: '{"vpa":"a@b","n":"7"}' }),
      JSON.stringify({ data: '{"vpa":"[hidden]","n":"7"}' }),
    ],
    ['a form in a text', '{"data":"vpa=a@b&n=7"}', '{"data":"vpa=[hidden]&n=7"}'],
    ['base64', base64('{"vpa":"a@b","n":"7"}'), 'base64: {"vpa":"[hidden]","n":"7"}'],
    [
      'base64 in JSON',
      JSON.stringify({ blob: base64('{"vpa":"a@b","n":"7"}') }),
      JSON.stringify({ blob: 'base64: {"vpa":"[hidden]","n":"7"}' }),
    ],
    [
      'base64 in a form',
      `d_data=${encodeURIComponent(base64('order=7&token=abc'))}`,
      'd_data=base64: order=7&token=[hidden]',
    ],
    [
      'base64 in base64',
      JSON.stringify({ blob: base64(base64('{"vpa":"a@b"}')) }),
      JSON.stringify({ blob: 'base64: base64: {"vpa":"[hidden]"}' }),
    ],
    ['base64 in XML', `<r>${base64('{"vpa":"a@b"}')}</r>`, '<r>base64: {"vpa":"[hidden]"}</r>'],
    ['base64 of another text', JSON.stringify({ blob: base64('the payer is a@b, and pays') }), '{"blob":"[26 bytes]"}'],
    ['base64 of bytes', JSON.stringify({ blob: Buffer.alloc(90, 0xfe).toString('base64') }), '{"blob":"[90 bytes]"}'],
  ] as const) {
    it(`hides proofs and card data in ${form}`, () => {
      expect(shown(body).body).to.equal(expected);
    });
  }

  it('shows ids, hashes and plain texts unchanged', () => {
    const body = JSON.stringify({
      id: 'GW-1764000000123-1',
      reference: 'pay_9tYQmQxK4zLxRbVwPq',
      trace:
        '3f786850e387550fdab836ed7e6dc881de23001b3f786850e387550fdab836ed7e6dc881de23001b3f786850e387550fdab836ed7e6dc881',
      text: 'a = b',
    });
    expect(shown(body).body).to.equal(body);
  });

  it('reads deeply nested messages only to a limit', () => {
    for (const body of ['<a><![CDATA['.repeat(80_000), `<a b="'`.repeat(100_000), '<'.repeat(1_000_000)])
      expect(shown(body).body.length).to.be.at.most(20_000);
    let nested = '{"vpa":"a@b"}';
    for (let depth = 0; depth < 12; depth += 1) nested = JSON.stringify({ blob: base64(nested) });
    expect(shown(nested).body)
      .to.match(/\[\d+ bytes\]/)
      .and.not.to.contain('a@b');
  });

  it('hides proofs in headers and query, and shows the rest', () => {
    const { headers, query } = shown('', 'id=7&hmac=abc', [
      ['X-Signature', 'abc'],
      ['Authorization', 'Basic abc'],
      ['Content-Type', 'text/plain'],
    ]);
    expect(query).to.equal('id=7&hmac=[hidden]');
    expect(headers).to.deep.equal([
      ['X-Signature', '[hidden]'],
      ['Authorization', '[hidden]'],
      ['Content-Type', 'text/plain'],
    ]);
  });
});
