import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { notFound } from '../base/errors.ts';
import { startGateway, type TestGateway } from '../http/testing/gateway.ts';
import { pageDetails, plainPage } from '../http/testing/pay-page.ts';
import { sendRaw } from '../http/testing/raw-request.ts';

describe('visits of the payer’s page', () => {
  let gateway: TestGateway;
  beforeEach(async () => {
    gateway = await startGateway({ config: { trustedProxies: 1 } });
    gateway.answers.page = plainPage;
  });
  afterEach(() => gateway.server.close(1000));

  const send = async (path: string, method: string, from: string): Promise<number> =>
    (await gateway.send(path, { key: null, method, headers: { 'X-Forwarded-For': from } })).status;
  async function sendMany(count: number, path: string, method: string, from: string): Promise<void> {
    for (let n = 0; n < count; n += 1) expect(await send(path, method, from), `${method} ${n}`).to.be.below(400);
  }
  const scanner = '198.51.100.7';
  const payer = '198.51.100.90';

  for (const query of ['?k=key', '?r=part', '?t=token']) {
    it(`count per payment and address with ${query}, so that a mail scanner locks out no payer`, async () => {
      await sendMany(120, `/pay/10042${query}`, 'GET', scanner);
      expect(await send(`/pay/10042${query}`, 'GET', scanner)).to.equal(429);
      expect(await send(`/pay/10042${query}`, 'GET', payer)).to.equal(200);
      expect(await send(`/pay/10043${query}`, 'GET', scanner)).to.equal(200);
    });
  }

  it('count a network of IPv6 as one address, and polls of an open page as visits', async () => {
    await sendMany(60, '/pay/10042?k=key', 'GET', '2001:db8::1');
    await sendMany(60, '/pay/state/10042?r=part', 'GET', '2001:db8::2');
    expect(await send('/pay/10042?k=key', 'GET', '2001:db8::3')).to.equal(429);
    expect(await send('/pay/10042?k=key', 'GET', '2001:db8:0:1::1')).to.equal(200);
  });

  it('keep a count apart from requests of the head, which request nothing of the payment', async () => {
    await sendMany(120, '/pay/10042?k=key', 'HEAD', payer);
    expect(await send('/pay/10042?k=key', 'HEAD', payer)).to.equal(429);
    expect(await send('/pay/10042?k=key', 'GET', payer)).to.equal(200);
    const [head, ...others] = gateway.calls.filter(({ name }) => name === 'payPage').map(({ args }) => args[1]);
    expect(head).to.deep.equal({ linkKey: 'key', isQuiet: true });
    expect(others.at(-1)).to.deep.equal({ linkKey: 'key' });
  });

  it('leave forms a count of their own', async () => {
    gateway.answers.page = { ...plainPage, state: 'created', details: pageDetails };
    await sendMany(120, '/pay/10042?k=key', 'GET', payer);
    expect(await send('/pay/10042?k=key', 'GET', payer)).to.equal(429);
    const body = 'way=card&attempts=0';
    const headers = { 'X-Forwarded-For': payer, 'Content-Type': 'application/x-www-form-urlencoded' };
    const form = async () => (await gateway.send('/pay/10042?k=key', { key: null, body, headers })).status;
    for (let n = 0; n < 120; n += 1) expect(await form()).to.equal(303);
    expect(await form()).to.equal(429);
  });

  it('count for the address alone without a valid token, whatever the payment', async () => {
    gateway.answers.page = undefined;
    const wrong = ['', '?k=x', '?r=x', '?t=x'];
    for (let n = 0; n < 60; n += 1) expect(await send(`/pay/${n + 1}${wrong[n % 4]!}`, 'GET', scanner)).to.equal(200);
    for (const query of wrong)
      expect([
        await send(`/pay/1${query}`, 'GET', scanner),
        await send(`/pay/1${query}`, 'POST', scanner),
      ]).to.deep.equal([429, 429]);
    expect(await send('/pay/1', 'GET', payer)).to.equal(200);
  });

  it('get a page if they are refused', async () => {
    await sendMany(120, '/pay/10042?k=key', 'GET', payer);
    const { status, text, headers } = await gateway.send('/pay/10042?k=key', {
      key: null,
      method: 'GET',
      headers: { 'X-Forwarded-For': payer },
    });
    expect([status, headers.get('content-type')]).to.deep.equal([429, 'text/html; charset=utf-8']);
    expect(text).to.include('This page was opened too often');
  });

  describe('by POST', () => {
    const post = async (path: string): Promise<string> =>
      (
        await sendRaw(
          gateway.port,
          `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 99\r\n\r\n`,
        )
      ).head;

    for (const query of ['r=part', 't=token', 'r=part&cancelled=1', 'r=part&MD=x%0D%0A&PaRes=%22']) {
      it(`lead to the same address with ${query}, and the body is not read`, async () => {
        const head = await post(`/pay/10042?${query}`);
        expect(head).to.match(/^HTTP\/1.1 303 /);
        expect(/^location: (.*)$/im.exec(head)?.[1]).to.equal(`?${query}`);
        expect(gateway.calls.map(({ args }) => (args[1] as { isQuiet?: boolean }).isQuiet)).to.deep.equal([true]);
      });
    }

    it('get the same answer if the part is wrong, and 404 without any part', async () => {
      gateway.answers.page = undefined;
      expect(await post('/pay/10042?r=wrong')).to.match(/^HTTP\/1.1 303 /);
      expect(await post('/pay/10042')).to.match(/^HTTP\/1.1 404 /);
      expect(await post('/pay/10042?k=wrong&r=wrong')).to.match(/^HTTP\/1.1 404 /);
    });
  });

  describe('with a link that is mistyped or cut off', () => {
    const shown = async (query: string): Promise<string> =>
      (await gateway.send(`/pay/10042${query}`, { key: null, method: 'GET' })).text;

    it('say that the link is not valid, in the same words whether the payment exists or not', async () => {
      gateway.answers.page = undefined;
      const wrongKey = await shown('?k=wrong');
      expect(wrongKey).to.include('This link isn’t valid').and.include('ask the shop for a new one');
      expect(wrongKey).not.to.include('http-equiv');
      const queries = ['', '?k=wrong', '?r=wrong', '?t=wrong', '?r=wrong&cancelled=1'];
      const existing = await Promise.all(queries.map(shown));
      expect(await shown('?r=wrong'))
        .to.include('is being checked')
        .and.include('check that you copied all of it');
      gateway.answers.payments = { payPage: async () => Promise.reject(notFound('payment request 10042')) };
      expect(await Promise.all(queries.map(shown))).to.deep.equal(existing);
    });
  });
});
