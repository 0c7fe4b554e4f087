import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { beforeEach, describe, it } from 'mocha';
import { Webhook } from 'standardwebhooks';
import { bodySignature, signatureHeaders } from './webhook-signature.ts';

const current = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const previous = `whsec_${Buffer.alloc(32, 9).toString('base64')}`;
const body = Buffer.from('{"type":"payment.succeeded","name":"Zoë €"}');

describe('signatureHeaders', () => {
  /** Receivers accept a timestamp that is at most five minutes old. */
  let signable: { readonly id: string; readonly body: Buffer; readonly at: Date };
  beforeEach(() => {
    signable = { id: '1700000000000001-2', body, at: new Date() };
  });

  it('signs the raw body with HMAC-SHA512 and the whole text of the secret', () => {
    const expected = createHmac('sha512', current).update(body).digest('hex');
    expect(signatureHeaders(signable, { current })['X-Webhook-Signature']).to.equal(expected);
    expect(bodySignature(current, body))
      .to.equal(expected)
      .and.to.match(/^[0-9a-f]{128}$/);
  });

  it('makes signatures that the public standardwebhooks package accepts', () => {
    const headers = signatureHeaders(signable, { current });
    expect(new Webhook(current).verify(body, headers)).to.deep.equal(JSON.parse(body.toString()));
    expect(headers['webhook-id']).to.equal(signable.id);
    expect(headers['webhook-timestamp']).to.equal(`${Math.floor(signable.at.getTime() / 1000)}`);
    expect(() => new Webhook(previous).verify(body, headers)).to.throw();
    expect(() => new Webhook(current).verify(Buffer.concat([body, Buffer.from(' ')]), headers)).to.throw();
  });

  it('signs with both secrets while the previous one is valid', () => {
    const headers = signatureHeaders(signable, { current, previous });
    expect(headers['X-Webhook-Signature']).to.equal(bodySignature(current, body));
    expect(headers['X-Webhook-Signature-Previous']).to.equal(bodySignature(previous, body));
    for (const secret of [current, previous]) new Webhook(secret).verify(body, headers);
    expect(headers['webhook-signature']?.split(' ')).to.have.length(2);
  });

  it('sends no previous signature without a previous secret', () => {
    const headers = signatureHeaders(signable, { current });
    expect(headers).to.not.have.property('X-Webhook-Signature-Previous');
    expect(headers['webhook-signature']?.split(' ')).to.have.length(1);
  });

  for (const secret of ['', 'whsec_', 'whsec_not base64', Buffer.alloc(32, 7).toString('base64')]) {
    it(`refuses the secret "${secret}" without repeating it`, () => {
      const sign = () => signatureHeaders(signable, { current: secret });
      expect(sign).to.throw(/secret/);
      if (secret.length > 6) expect(sign).to.not.throw(secret);
    });
  }
});
