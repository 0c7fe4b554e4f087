import { expect } from 'chai';
import { describe, it } from 'mocha';
import { createTargetGuard, isPublicAddress, RefusedTarget } from './target-guard.ts';
import type { Resolve } from './target-guard.ts';

const refused = {
  unspecified: ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fdff::1'],
  'addresses of a cloud platform': ['168.63.129.16', 'fd00:ec2::254'],
  'link-local': ['169.254.169.254', 'fe80::1', 'fe80::1%eth0', 'febf::1', 'fec0::1'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1'],
  'documentation, benchmarks and reserved': [
    '192.0.0.8',
    '192.0.2.1',
    '192.175.48.1',
    '192.88.99.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '240.0.0.1',
    '255.255.255.255',
    '100::1',
    '2001:db8::1',
    '3fff::1',
    '5f00::1',
  ],
  'IPv4 inside IPv6': [
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '::8.8.8.8',
    '::ffff:0:127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '2002:7f00:1::1',
    '2002:808:808::1',
    '2001::1',
  ],
  'no address': ['', 'localhost', '1.2.3', '8.8.8.8.'],
};

const open = ['8.8.8.8', '1.1.1.1', '100.63.255.255', '100.128.0.1', '172.15.0.1', '172.32.0.1', '223.255.255.255'];
const open6 = ['2606:4700:4700::1111', '2a00:1450:4001:80b::200e', '2001:200::1', '2003::1'];

const neverResolve: Resolve = () => Promise.reject(new Error('must not be called'));

/** The addresses that the target's lookup gives to node:net. */
async function addressesOf(url: string, resolve: Resolve = neverResolve, allowedPrivateNetworks: string[] = []) {
  const { url: parsed, lookup } = await createTargetGuard({ resolve, allowedPrivateNetworks }).resolvePublic(url);
  return new Promise<string[]>((done, fail) => {
    lookup(parsed.hostname, { all: true }, (error, addresses) => {
      if (error) fail(error);
      else done([addresses].flat().map((each) => (typeof each === 'string' ? each : each.address)));
    });
  });
}

async function refusal(promise: Promise<unknown>): Promise<Error> {
  const error: unknown = await promise.then(
    () => new Error('was not refused'),
    (reason: unknown) => reason,
  );
  expect(error).to.be.instanceOf(RefusedTarget);
  return error as Error;
}

function resolving(...addresses: string[]): Resolve {
  return () => Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));
}

describe('createTargetGuard, with lists of ports', () => {
  const allowedPorts = [80, 443, '1024-65535'];
  const refusedPorts = [6379, '27017-27019'];
  const vet = async (url: string) =>
    createTargetGuard({ resolve: resolving('8.8.8.8'), allowedPorts, refusedPorts }).resolvePublic(url);

  for (const url of [
    'http://a.example/',
    'https://a.example:443/',
    'http://a.example:1024',
    'https://a.example:8443',
  ]) {
    it(`allows ${url}`, async () => {
      expect((await vet(url)).url.hostname).to.equal('a.example');
    });
  }
  for (const port of [1, 22, 25, 1023, 6379, 27018]) {
    it(`refuses port ${port}`, async () => {
      expect((await refusal(vet(`http://a.example:${port}/`))).message).to.equal(`port ${port} is not allowed`);
    });
  }
});

describe('isPublicAddress', () => {
  for (const [kind, addresses] of Object.entries(refused)) {
    it(`refuses ${kind}`, () => {
      for (const address of addresses) expect(isPublicAddress(address), address).to.equal(false);
    });
  }

  it('accepts addresses of the internet, up to the edges of the private ranges', () => {
    for (const address of [...open, ...open6]) expect(isPublicAddress(address), address).to.equal(true);
  });
});

describe('createTargetGuard', () => {
  for (const host of [
    '127.0.0.1',
    '127.1',
    '0x7f.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '0',
    '127.0.0.1.',
    '１２７.0.0.1',
    '%31%32%37.0.0.1',
    '[::1]',
    '[::]',
    '[::ffff:127.0.0.1]',
    '[::127.0.0.1]',
    '[64:ff9b::127.0.0.1]',
    '[2002:7f00:1::]',
    '[fe80::1]',
    '169.254.169.254',
  ]) {
    it(`refuses the literal ${host} without a DNS query`, async () => {
      await refusal(createTargetGuard({ resolve: neverResolve }).resolvePublic(`http://${host}/`));
    });
  }

  it('accepts public literals unchanged', async () => {
    expect(await addressesOf('https://8.8.8.8/x')).to.deep.equal(['8.8.8.8']);
    expect(await addressesOf('https://[2606:4700:4700::1111]:8443/')).to.deep.equal(['2606:4700:4700::1111']);
  });

  for (const url of [
    'ftp://8.8.8.8/',
    'file:///etc/passwd',
    'javascript:alert(1)',
    'merchant.example',
    '',
    'http://',
  ]) {
    it(`refuses "${url}", which is not http or https`, async () => {
      await refusal(createTargetGuard({ resolve: neverResolve }).resolvePublic(url));
    });
  }

  it('keeps only the public addresses of a name', async () => {
    const mixed = resolving('10.0.0.1', '8.8.8.8', '::1', '2606:4700:4700::1111');
    expect(await addressesOf('https://merchant.example/', mixed)).to.deep.equal(['8.8.8.8', '2606:4700:4700::1111']);
  });

  it('refuses a name without a public address, and does not show the addresses that it has', async () => {
    const { message } = await refusal(
      createTargetGuard({ resolve: resolving('10.1.2.3') }).resolvePublic('https://intern.example/'),
    );
    expect(message).to.equal('the host has no public address');
  });

  it('passes on the error of the resolver', async () => {
    const error = Object.assign(new Error('getaddrinfo ENOTFOUND'), { code: 'ENOTFOUND' });
    const reason: unknown = await createTargetGuard({ resolve: () => Promise.reject(error) })
      .resolvePublic('https://merchant.example/')
      .catch((caught: unknown) => caught);
    expect(reason).to.equal(error);
  });

  it('accepts private addresses of the allowed networks only', async () => {
    const allowed = ['127.0.0.0/8', 'fd00::/8'];
    expect(await addressesOf('http://127.0.0.1/', neverResolve, allowed)).to.deep.equal(['127.0.0.1']);
    const names = resolving('127.0.0.1', '10.0.0.1', 'fd00::1', 'fc00::1');
    expect(await addressesOf('http://localhost/', names, allowed)).to.deep.equal(['127.0.0.1', 'fd00::1']);
    await refusal(addressesOf('http://[::ffff:127.0.0.1]/', neverResolve, allowed));
    await refusal(addressesOf('http://[::1]/', neverResolve, allowed));
  });

  for (const network of ['10.0.0.1', '10.0.0.0/', '10.0.0.0/33', 'localhost/8', '']) {
    it(`refuses "${network}" as an allowed network`, () => {
      expect(() => createTargetGuard({ allowedPrivateNetworks: [network] })).to.throw();
    });
  }

  it('resolves a name once, so that a later change of its address has no effect', async () => {
    let resolved = 0;
    const rebinding: Resolve = () => {
      resolved += 1;
      return Promise.resolve([{ address: resolved === 1 ? '8.8.8.8' : '127.0.0.1', family: 4 }]);
    };
    const { lookup } = await createTargetGuard({ resolve: rebinding }).resolvePublic('http://merchant.example/');
    for (const family of [0, 4] as const) {
      lookup('merchant.example', { family }, (error, address) => {
        expect(error).to.equal(null);
        expect(address).to.equal('8.8.8.8');
      });
    }
    lookup('merchant.example', { family: 6 }, (error) => expect(error).to.be.instanceOf(RefusedTarget));
    expect(resolved).to.equal(1);
  });
});
