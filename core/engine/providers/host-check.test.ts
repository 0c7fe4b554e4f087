import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createHostCheck, hostProblem } from './host-check.ts';
import { createRegistry } from './registry.ts';
import { fakeActive, fakeOptions } from './testing/fake-adapter.ts';

const noSuchHost = Object.assign(new Error('no such host'), { code: 'ENOTFOUND' });

describe('createHostCheck', () => {
  const create = ({
    known,
    liveKeys = true,
    takesTestPayments = true,
  }: {
    readonly known: Set<string>;
    readonly liveKeys?: boolean;
    readonly takesTestPayments?: boolean;
  }) => {
    const resolved: string[] = [];
    const clock = { now: 0 };
    const check = createHostCheck({
      registry: createRegistry([
        fakeActive({ takesTestPayments }),
        fakeActive({ manifest: { name: 'off', code: 42 }, state: 'off' }),
        {
          name: 'absent',
          account: 'main',
          ref: 'absent',
          package: 'absent',
          state: 'off',
          adapter: null,
          readManifest: async () => undefined,
        },
      ]),
      liveKeys,
      now: () => clock.now,
      async resolve(hostname) {
        resolved.push(hostname);
        if (!known.has(hostname)) throw noSuchHost;
      },
    });
    return { check, resolved, clock };
  };

  it('names the adapter and the mode, never the address, and resolves again after a minute', async () => {
    const known = new Set(['sandbox.a.example']);
    const { check, resolved, clock } = create({ known });
    expect(check.warnings()).to.deep.equal([]);
    await check.settled();
    expect(check.warnings()).to.deep.equal(['acme (live): its host does not resolve (ENOTFOUND)']);
    expect(resolved).to.deep.equal(['a.example', 'sandbox.a.example']);

    known.add('a.example');
    clock.now = 59_999;
    check.warnings();
    await check.settled();
    expect(resolved).to.have.length(2);
    clock.now = 60_000;
    check.warnings();
    await check.settled();
    expect(check.warnings()).to.deep.equal([]);
    expect(resolved).to.have.length(4);
  });

  it('resolves only the hosts of modes that are used', async () => {
    for (const [given, hosts] of [
      [{ liveKeys: false }, ['sandbox.a.example']],
      [{ takesTestPayments: false }, ['a.example']],
    ] as const) {
      const { check, resolved } = create({ known: new Set(), ...given });
      check.warnings();
      await check.settled();
      expect(resolved).to.deep.equal(hosts);
    }
  });

  it('accepts addresses that need no name server', async () => {
    for (const address of ['http://127.0.0.1:9', 'http://[::1]:9', 'http://localhost:9']) {
      expect(await hostProblem(address), address).to.equal(undefined);
    }
    expect(await hostProblem(fakeOptions.baseUrl, () => Promise.reject(noSuchHost))).to.match(/ENOTFOUND/);
  });
});
