/** The image of a release: its settings, and the packages in it. */
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { root } from '../../support/start-gateway.ts';
import { readManifest } from '../packages.ts';
import { describeContainer } from './make-image.ts';
import { findUnlocked, PackagesError, toInstalled } from './service.ts';
import { checkFiles, TrialError } from './try-image.ts';

describe('describeContainer', () => {
  it('has the settings of the Dockerfile', async () => {
    const dockerfile = await readFile(join(root, 'config/deploy/Dockerfile'), 'utf8');
    const container = describeContainer(await readManifest(root, '.'), { revision: 'f00' });
    const listAfter = (word: string): unknown =>
      JSON.parse(new RegExp(`^${word} (\\[.*\\])$`, 'm').exec(dockerfile)?.[1] ?? '');
    const [, variables = ''] = /^ENV ([^]*?[^\\])\n/m.exec(dockerfile) ?? [];
    const [, interval, timeout, startPeriod] =
      /^HEALTHCHECK --interval=(\d+)s --timeout=(\d+)s --start-period=(\d+)s/m.exec(dockerfile)!;
    expect(container.User).to.equal(/^USER (\S+)$/m.exec(dockerfile)?.[1]);
    expect(container.Env.slice(1)).to.deep.equal(variables.split(/[\s\\]+/));
    expect(container.WorkingDir).to.equal(/^WORKDIR (\S+)$/m.exec(dockerfile)?.[1]);
    expect(container.Entrypoint).to.deep.equal(listAfter('ENTRYPOINT'));
    expect(container.Cmd).to.deep.equal(listAfter('CMD'));
    expect(container.healthCheck.command).to.deep.equal(listAfter('  CMD'));
    expect(container.healthCheck.seconds).to.deep.equal({
      interval: Number(interval),
      timeout: Number(timeout),
      startPeriod: Number(startPeriod),
    });
    const ports = /^EXPOSE (.*)$/m.exec(dockerfile)?.[1]?.split(' ');
    expect(Object.keys(container.ExposedPorts)).to.deep.equal(ports?.map((port) => `${port}/tcp`));
  });

  it('is labelled with version, licence, revision and source', async () => {
    const manifest = await readManifest(root, '.');
    const { Labels } = describeContainer(manifest, { revision: 'f00', source: 'https://code.example/gateway' });
    expect(Labels).to.include({
      'org.opencontainers.image.version': manifest.version,
      'org.opencontainers.image.licenses': 'MIT',
      'org.opencontainers.image.revision': 'f00',
      'org.opencontainers.image.source': 'https://code.example/gateway',
    });
  });
});

describe('toInstalled', () => {
  const published = {
    name: 'paywright',
    version: '1.0.0',
    dependencies: { koa: '^3.3.0', '@paywright/contract': '2.1.0', '@paywright/provider-a': '1.0.0' },
    optionalDependencies: { '@opentelemetry/resources': '^2.12.1', 'mongodb-memory-server-core': '^11.3.0' },
  };
  const tarballs = ['/packages/paywright-contract-2.1.0.tgz', '/packages/paywright-provider-a-1.0.0.tgz'];

  it('takes packages of the release from their tarballs, and leaves out the embedded MongoDB', () => {
    const installed = toInstalled(published, tarballs);
    expect(installed.dependencies).to.deep.equal({
      koa: '^3.3.0',
      '@paywright/contract': 'file:/packages/paywright-contract-2.1.0.tgz',
      '@paywright/provider-a': 'file:/packages/paywright-provider-a-1.0.0.tgz',
      '@opentelemetry/resources': '^2.12.1',
    });
    expect(installed).not.to.have.property('optionalDependencies');
  });

  it('refuses a release that lacks a tarball', () => {
    expect(() => toInstalled(published, tarballs.slice(1))).to.throw(PackagesError, 'tarball of @paywright/contract');
  });
});

describe('findUnlocked', () => {
  const lock = {
    packages: {
      'node_modules/koa': { version: '3.3.0', integrity: 'sha512-a' },
      'node_modules/accepts/node_modules/ms': { version: '2.0.0', integrity: 'sha512-b' },
    },
  };

  it('accepts packages of the lock file in any folder, and those of the release', () => {
    const packages = {
      'node_modules/koa': { version: '3.3.0', integrity: 'sha512-a' },
      'node_modules/ms': { version: '2.0.0', integrity: 'sha512-b' },
      'node_modules/@paywright/stripe': { version: '1.0.0', integrity: 'sha512-c' },
    };
    expect(findUnlocked({ packages }, lock)).to.deep.equal([]);
  });

  it('names a package of another version or with other content', () => {
    const packages = {
      'node_modules/koa': { version: '3.3.1', integrity: 'sha512-d' },
      'node_modules/ms': { version: '2.0.0', integrity: 'sha512-e' },
    };
    expect(findUnlocked({ packages }, lock)).to.deep.equal(['koa@3.3.1', 'ms@2.0.0']);
  });
});

describe('checkFiles', () => {
  let rootfs: string;
  beforeEach(async () => {
    rootfs = await mkdtemp(join(tmpdir(), 'paywright-files-'));
    await mkdir(join(rootfs, 'usr/bin'), { recursive: true });
    await writeFile(join(rootfs, 'usr/bin/node'), '');
    await chmod(join(rootfs, 'usr/bin/node'), 0o755);
  });
  afterEach(() => rm(rootfs, { recursive: true, force: true }));

  const refusalOf = async (path: string, mode: number): Promise<string> => {
    await writeFile(join(rootfs, path), '');
    await chmod(join(rootfs, path), mode);
    const refusal = await checkFiles({ rootfs }).catch((error: unknown) => error);
    expect(refusal).to.be.an.instanceOf(TrialError);
    return (refusal as Error).message;
  };

  it('accepts files that everybody may read', async () => {
    expect(await checkFiles({ rootfs })).to.equal(3);
  });

  it('refuses a program that runs as another user', async () => {
    expect(await refusalOf('usr/bin/tool', 0o4755)).to.equal('/usr/bin/tool: runs with the rights of another user');
  });

  it('refuses a file that every user may write to, and one that the service cannot read', async () => {
    expect(await refusalOf('settings', 0o666)).to.contain('every user may write to it');
    expect(await refusalOf('settings', 0o600)).to.contain('the service cannot read it');
  });

  it('refuses a shell', async () => {
    expect(await refusalOf('usr/bin/sh', 0o755)).to.contain('the service does not need this program');
  });
});
