import type { HttpRequest } from '@paywright/contract';
import { sendRequest } from '@paywright/contract/sandbox';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import providerG from '../../index.ts';
import createSandbox from '../../sandbox/index.ts';
import { signedRequest } from '../../signing.ts';
import { harness, learned, providerSide } from '../messages.ts';
import { payment, startVisit, type Visit } from './visit.ts';

const { options } = harness;

describe('a key of the sandbox', () => {
  let visit: Visit;
  beforeEach(async () => {
    visit = await startVisit();
  });
  afterEach(() => visit.trip.close());

  it('is fetched by serial: for a reply, and once for all later callbacks', async () => {
    await visit.trip.close();
    const sent: HttpRequest[] = [];
    visit = await startVisit(8, { ...providerSide, keys: [learned] });
    const watched = visit.watching(sent);
    expect((await providerG.submit(payment(), watched)).outcome).to.equal('succeeded');
    expect((await providerG.submit(payment(), watched)).outcome).to.equal('succeeded');
    const asked = sent.map(({ path }) => path).filter((path) => path.startsWith('/v1/keys/'));
    expect(asked).to.deep.equal([`/v1/keys/${learned.serial}`]);
    await visit.hears('PAID succeeded', 'PAID succeeded');
  });

  it('is shown only to us, and only if it exists', async () => {
    const unsigned = await sendRequest(
      { method: 'GET', url: `${visit.trip.sandboxUrl}/v1/keys/${learned.serial}` },
      2000,
    );
    expect([unsigned.status, unsigned.body.toString()]).to.deep.equal([
      401,
      '{"code":"FAIL","reason":"SIGNATURE","begun":false}',
    ]);
    const none = await visit.ctx.http.send(signedRequest('/v1/keys/00C0FFEE00C0FFEE', visit.ctx));
    expect([none.status, none.body.toString()]).to.deep.equal([404, '{"code":"FAIL","reason":"NO_KEY","begun":false}']);
  });

  it('is a required setting of the sandbox', () => {
    const setup = { options, baseUrl: 'http://127.0.0.1:9', publicUrl: 'http://127.0.0.1:9', delayMs: 1 };
    for (const side of [{}, { ...providerSide, keys: [] }, { keys: providerSide.keys }]) {
      expect(() => createSandbox({ ...setup, providerSide: side })).to.throw(TypeError, 'sandbox.options.keys');
    }
  });
});
