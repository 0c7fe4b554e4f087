import { expect } from 'chai';
import { describe, it } from 'mocha';
import { formPost, JsonNumber, jsonPost, urlPath } from '../../index.ts';

describe('urlPath', () => {
  it('keeps each value in its segment, whatever it contains', () => {
    expect(urlPath`/charges/${'../a b?c#d&é'}/refunds/${'R-1'}`).to.equal(
      '/charges/..%2Fa%20b%3Fc%23d%26%C3%A9/refunds/R-1',
    );
    expect(urlPath`/charges?ref=${'GW-1&ref=2'}`).to.equal('/charges?ref=GW-1%26ref%3D2');
  });

  it('does not change the fixed parts', () => {
    expect(urlPath`/a%20b/?c=d&e`).to.equal('/a%20b/?c=d&e');
  });
});

describe('jsonPost', () => {
  it('sends the message as its body, with numbers as spelled', () => {
    const message = { minor: new JsonNumber('9007199254740993001'), cur: 'EUR', note: undefined };
    expect(jsonPost('/charges', message)).to.deep.equal({
      method: 'POST',
      path: '/charges',
      headers: { 'Content-Type': 'application/json' },
      body: '{"minor":9007199254740993001,"cur":"EUR"}',
    });
  });

  it('leaves out a header that is undefined', () => {
    const { headers } = jsonPost('/charges', {}, { Authorization: 'Bearer k', 'Idempotency-Key': undefined });
    expect(headers).to.deep.equal({ 'Content-Type': 'application/json', Authorization: 'Bearer k' });
  });
});

describe('formPost', () => {
  it('writes the fields in their order, without those that are undefined', () => {
    expect(formPost('/sale', { total: '25.90', ip: undefined, name: 'Zoë & Co', note: '' })).to.deep.equal({
      method: 'POST',
      path: '/sale',
      headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
      body: 'total=25.90&name=Zo%C3%AB+%26+Co&note=',
    });
  });
});
