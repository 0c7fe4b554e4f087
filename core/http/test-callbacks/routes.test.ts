import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { startGateway, webhookSecrets } from '../testing/gateway.ts';
import type { TestGateway } from '../testing/gateway.ts';

describe('the test callbacks API', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  beforeEach(() => {
    gateway.reset();
  });
  after(() => gateway.server.close(1000));

  const sign = (secret: string, body: string) => createHmac('sha512', secret).update(body).digest('hex');
  const body =
    '{"order":"a","amount":25.90,"cvv":"737","card":{"number":"4111111111111111"},"list":["4111111111111111"]}';

  it('repeats the received JSON, with hidden secrets and unchanged numbers', async () => {
    for (const type of ['application/json', 'text/plain', null]) {
      const reply = await gateway.send('/callbacks/test/json', {
        key: null,
        body,
        headers: { 'Content-Type': type },
      });
      expect(reply.status).to.equal(200);
      expect(reply.text).to.equal(
        '{"received":{"order":"a","amount":25.90,"cvv":"[hidden]","card":{"number":"[hidden]"},"list":["[hidden]"]}}',
      );
    }
    expect(gateway.callbacks).to.deep.equal([]);
  });

  it('accepts 8 kB and 819 JSON values', async () => {
    const post = async (text: string) => gateway.send('/callbacks/test/json', { key: null, body: text });
    expect((await post(`"${'a'.repeat(8190)}"`)).status).to.equal(200);
    expect((await post(`"${'a'.repeat(8191)}"`)).problem.code).to.equal('REQ001');
    expect((await post(`[${'1,'.repeat(817)}1]`)).status).to.equal(200);
    expect((await post(`[${'1,'.repeat(818)}1]`)).problem.code).to.equal('VAL002');
  });

  it('repeats the received form, including repeated names', async () => {
    const reply = await gateway.send('/callbacks/test/form', {
      key: null,
      body: 'a=1&b=%C3%A9+x&a=&token=t&__proto__=p',
    });
    expect(reply.text).to.equal('{"received":{"a":["1",""],"b":"é x","token":"[hidden]","__proto__":"p"}}');
  });

  it('repeats a form of one name 4,096 times', async () => {
    const body = 'a&'.repeat(4096).slice(0, -1);
    const { json } = await gateway.send('/callbacks/test/form', { key: null, body });
    expect(json).to.deep.equal({ received: { a: Array(4096).fill('') } });
  });

  it('answers OK as text', async () => {
    const reply = await gateway.send('/callbacks/test/text', { method: 'GET', key: null });
    expect([reply.text, reply.headers.get('content-type'), reply.headers.get('x-signature-valid')]).to.deep.equal([
      'OK',
      'text/plain; charset=utf-8',
      null,
    ]);
  });

  for (const [what, given] of [
    ['json', '{'],
    ['json', ''],
    ['form', 'a=%zz'],
  ] as const) {
    it(`answers VAL002 body for ${JSON.stringify(given)} as ${what}`, async () => {
      const { problem } = await gateway.send(`/callbacks/test/${what}`, { key: null, body: given });
      expect([problem.code, problem.details['field']]).to.deep.equal(['VAL002', 'body']);
    });
  }

  it('checks a signature with the secrets of the owner of the key', async () => {
    const { current, previous } = webhookSecrets;
    for (const [signature, key, valid] of [
      [sign(current, body), 'full', true],
      [sign(previous, body).toUpperCase(), 'full', true],
      [sign('whsec_other', body), 'full', false],
      [sign(current, `${body} `), 'full', false],
      ['', 'full', undefined],
      ['abc', 'full', false],
      [sign(current, body), 'wrong', undefined],
      [sign(current, body), null, undefined],
    ] as const) {
      const headers = { 'X-Webhook-Signature': signature };
      const { json, status } = await gateway.send('/callbacks/test/json', { body, key, headers });
      expect([status, json['signatureValid']], `${signature.slice(0, 8)} ${key}`).to.deep.equal([200, valid]);
    }
    const headers = { 'X-Webhook-Signature': sign(current, '') };
    const text = await gateway.send('/callbacks/test/text', { method: 'GET', headers });
    expect(text.headers.get('x-signature-valid')).to.equal('true');
  });
});
