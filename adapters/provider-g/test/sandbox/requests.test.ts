import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { HttpRequest } from '@paywright/contract';
import { sendRequest } from '@paywright/contract/sandbox';
import { realHttp } from '@paywright/contract/testing';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import providerG from '../../index.ts';
import createSandbox from '../../sandbox/index.ts';
import { post } from '../../wire.ts';
import { harness, plaintextOf, providerSide } from '../messages.ts';
import { payment, startVisit, type Visit } from './visit.ts';

const { options } = harness;

describe('a request to the sandbox', () => {
  let visit: Visit;
  beforeEach(async () => {
    visit = await startVisit();
  });
  afterEach(() => visit.trip.close());

  const path = '/v1/charges';
  const charge = async (): Promise<HttpRequest> => {
    const sent: HttpRequest[] = [];
    await providerG.submit(payment(), visit.watching(sent));
    return sent[0]!;
  };

  it('is signed by us, currently, over every byte, with each header once', async () => {
    const good = await charge();
    const headers = good.headers!;
    const { 'G-Sign': sign } = headers;
    const far = { ...visit.ctx, now: () => new Date(Date.now() - 302_000) };
    for (const [what, request] of [
      ['another body', { ...good, body: `${String(good.body)} ` }],
      ['another path', { ...good, path: `${path}?a=1` }],
      ['another mid', { ...good, headers: { ...headers, 'G-Mid': 'M1000428' } }],
      ['another serial', { ...good, headers: { ...headers, 'G-Serial': '6D1F00A10B2C3D4F' } }],
      ['another time', { ...good, headers: { ...headers, 'G-Time': String(Number(headers['G-Time']) + 1) } }],
      ['a short nonce', { ...good, headers: { ...headers, 'G-Nonce': 'abc' } }],
      ['no nonce', { ...good, headers: { ...headers, 'G-Nonce': '' } }],
      [
        'another signature',
        { ...good, headers: { ...headers, 'G-Sign': `${sign!.startsWith('A') ? 'B' : 'A'}${sign!.slice(1)}` } },
      ],
      ['an old time', post(path, 'GW-1-1', plaintextOf(good.body), far)],
    ] as const) {
      const { status, body } = await visit.ctx.http.send(request);
      const seen = [what, status, body.toString()];
      expect(seen).to.deep.equal([what, 401, '{"code":"FAIL","reason":"SIGNATURE","begun":false}']);
    }
  });

  it('is a charge in a box that is bound to us and to its reference', async () => {
    const said = plaintextOf((await charge()).body);
    const reference = String(said['gw_ref']);
    const text = (changes: object): object => ({ ...said, ...changes });
    const stranger = { ...visit.ctx, options: { ...options, boxKeys: [Buffer.alloc(32, 9).toString('base64')] } };
    for (const [what, request] of [
      ['another reference', post(path, 'GW-9-1', text({}), visit.ctx)],
      ['another mid', post(path, reference, text({ mid: 'M1000428' }), visit.ctx)],
      ['no card', post(path, reference, text({ card: null }), visit.ctx)],
      ['an invalid address', post(path, reference, text({ termUrl: 'javascript:1' }), visit.ctx)],
      ['a list', post(path, reference, [], visit.ctx)],
      ['a box key that G does not have', post(path, reference, text({}), stranger)],
    ] as const) {
      const { status, body } = await visit.ctx.http.send(request);
      const seen = [what, status, body.toString()];
      expect(seen).to.deep.equal([what, 400, '{"code":"FAIL","reason":"BAD_REQUEST","begun":false}']);
    }
  });

  it('is accepted below a path', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const baseUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/gate`;
    const sandbox = createSandbox({
      options,
      providerSide: { ...providerSide },
      baseUrl,
      publicUrl: visit.ctx.publicUrl,
      delayMs: 1,
    });
    server.on('request', (request, response) => void sandbox.handle(request, response));
    try {
      const below = { ...visit.ctx, baseUrl, http: realHttp(baseUrl) };
      const given = payment('4000000000003220');
      const outcome = await providerG.submit(given, below);
      const action = outcome.outcome === 'pending' ? outcome.action : undefined;
      expect(action).to.have.property('url').that.contains(`${baseUrl}/acs/`);
      const page = await sendRequest({ method: 'GET', url: (action as { url: string }).url }, 2000);
      expect(page.body.toString()).to.contain('action="/gate/acs/');
      expect((await providerG.fetchStatus!(visit.trip.toStored(given, outcome), below)).result).to.equal('waiting');
    } finally {
      await sandbox.close();
      server.closeAllConnections();
      server.close();
    }
  });
});
