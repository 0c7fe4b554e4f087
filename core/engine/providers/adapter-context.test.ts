import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createAdapterContext, type AdapterContextOptions } from './adapter-context.ts';
import { ProviderHttpError } from './http/provider-http.ts';
import { createProviderCaches } from './provider-cache.ts';
import { fakeActive, fakeOptions } from './testing/fake-adapter.ts';

describe('createAdapterContext', () => {
  const now = (): Date => new Date(0);
  const createOptions = (changes: Partial<AdapterContextOptions> = {}): AdapterContextOptions => ({
    sandbox: false,
    publicUrl: 'https://pay.example',
    returnUrl: (id) => `https://pay.example/pay/${id}?r=part`,
    now,
    random: (size) => new Uint8Array(size),
    cache: createProviderCaches({ now }).forCalls,
    keep: () => undefined,
    createHttp: () => ({ send: async () => ({ status: 200, headers: [], body: new Uint8Array() }) }),
    ...changes,
  });

  for (const [sandbox, baseUrl] of [
    [false, fakeOptions.baseUrl],
    [true, fakeOptions.sandboxBaseUrl],
  ] as const) {
    it(`binds to ${baseUrl} if sandbox is ${sandbox}`, () => {
      const bound: string[] = [];
      const { createHttp } = createOptions();
      const given = createOptions({ sandbox, createHttp: (url) => (bound.push(url), createHttp(url)) });
      expect(createAdapterContext(fakeActive(), given)).to.include({ sandbox, baseUrl, options: fakeOptions });
      expect(bound).to.deep.equal([baseUrl]);
    });
  }

  it('sends to another address only if an option of that name holds it', async () => {
    const sent: string[] = [];
    const createHttp: AdapterContextOptions['createHttp'] = (url) => ({
      async send({ path }) {
        sent.push(url + path);
        return { status: 200, headers: [], body: new Uint8Array() };
      },
    });
    const options = { ...fakeOptions, tokenUrl: 'https://id.acme.example/base', shop: 'http://acme.example' };
    const { http } = createAdapterContext(fakeActive({ options }), createOptions({ createHttp }));
    await http.send({ method: 'GET', path: '/state' });
    await http.send({ method: 'POST', path: '/token', to: 'tokenUrl', chargesNothing: true });
    await http.send({ method: 'GET', path: '/state', to: undefined });
    for (const to of ['shop', 'unknown', '__proto__', 'toString']) {
      expect(() => http.send({ method: 'GET', path: '/', to })).to.throw(
        ProviderHttpError,
        `the options have no address named ${to}`,
      );
    }
    expect(sent).to.deep.equal([
      `${fakeOptions.baseUrl}/state`,
      'https://id.acme.example/base/token',
      `${fakeOptions.baseUrl}/state`,
    ]);
  });

  it('returns an address of its own for each account but main', () => {
    const ctx = createAdapterContext(fakeActive({ account: 'shop-eu' }), createOptions());
    expect(ctx.callbackUrl('acme')).to.equal('https://pay.example/callbacks/acme/shop-eu');
  });

  it('returns the public addresses', () => {
    const ctx = createAdapterContext(fakeActive(), createOptions());
    expect(ctx.callbackUrl('acme')).to.equal('https://pay.example/callbacks/acme');
    expect(ctx.returnUrl('10042')).to.equal('https://pay.example/pay/10042?r=part');
    expect(ctx.cancelUrl('10042')).to.equal('https://pay.example/pay/10042?r=part&cancelled=1');
    const plain = createOptions({ returnUrl: (id) => `https://pay.example/pay/${id}` });
    expect(createAdapterContext(fakeActive(), plain).cancelUrl('1')).to.equal('https://pay.example/pay/1?cancelled=1');
  });

  it('has a 3D Secure token only if there is one', () => {
    expect(createAdapterContext(fakeActive(), createOptions())).not.to.have.property('threeDsToken');
    expect(createAdapterContext(fakeActive(), createOptions({ threeDsToken: 't' }))).to.include({ threeDsToken: 't' });
  });
});
