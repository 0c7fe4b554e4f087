import { expect } from 'chai';
import { describe, it } from 'mocha';
import { showRaw } from './show-raw.ts';

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

describe('a message as an operator sees it', () => {
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
  ] as const) {
    it(`hides what proves something or is a card, in ${form}`, () => {
      expect(shown(body).body).to.equal(expected);
    });
  }

  it('hides it in headers and query, and leaves the rest', () => {
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
