import { mkdir, mkdtemp, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { run } from '../../clients/run-program.ts';
import { ImageError, unpackImage, writeImage, type Image } from './oci.ts';

const epoch = 1_700_000_000;

describe('a container image', () => {
  let folder: string;
  let image: Image;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'paywright-oci-'));
    const [base, service] = [join(folder, 'base'), join(folder, 'service')];
    await mkdir(join(base, 'usr/bin'), { recursive: true });
    await writeFile(join(base, 'usr/bin/program'), 'a program', { mode: 0o755 });
    await mkdir(join(service, 'data'), { recursive: true, mode: 0o700 });
    await writeFile(join(service, 'settings.yaml'), 'a: b');
    image = {
      name: 'paywright:1.2.3',
      epoch,
      layers: [
        { what: 'base', folder: base },
        { what: 'service', folder: service, ownedBy: { id: 10001, path: 'data' } },
      ],
      config: {
        User: '10001:10001',
        Env: ['HOST=0.0.0.0'],
        WorkingDir: '/',
        Entrypoint: ['program'],
        Cmd: ['start'],
        ExposedPorts: { '8080/tcp': {} },
        Volumes: { '/data': {} },
        StopSignal: 'SIGTERM',
        Labels: { 'org.opencontainers.image.version': '1.2.3' },
        healthCheck: { command: ['program', 'health'], seconds: { interval: 10, timeout: 5, startPeriod: 60 } },
      },
    };
  });
  afterEach(() => rm(folder, { recursive: true, force: true }));

  const write = async (name: string): Promise<{ readonly archive: string; readonly digest: string }> => {
    const [archive, work] = [join(folder, `${name}.tar`), join(folder, name)];
    await mkdir(work);
    return { archive, digest: await writeImage(image, { archive, work }) };
  };

  it('unpacks with the files, owners and settings that were written', async () => {
    const { archive } = await write('one');
    const { rootfs, config, bytes } = await unpackImage(archive, join(folder, 'unpacked'));
    expect(await readFile(join(rootfs, 'usr/bin/program'), 'utf8')).to.equal('a program');
    expect((await stat(join(rootfs, 'usr/bin/program'))).mode & 0o777).to.equal(0o755);
    expect((await stat(join(rootfs, 'settings.yaml'))).mtimeMs).to.equal(epoch * 1000);
    expect(config).to.have.nested.property('config.User', '10001:10001');
    expect(config.config.Healthcheck).to.deep.include({ Test: ['CMD', 'program', 'health'], Interval: 10_000_000_000 });
    expect(bytes.packed).to.be.above(0).and.below(bytes.unpacked);
  });

  it('gives one folder to the user of the service, and everything else to root', async () => {
    await write('one');
    const owners = await listOwners(join(folder, 'one'));
    expect(owners).to.include('10001/10001 data/').and.include('0/0 settings.yaml').and.include('0/0 usr/bin/program');
  });

  it('has the same bytes when it is made again later', async () => {
    const first = await write('one');
    const later = new Date();
    await utimes(join(folder, 'base/usr/bin/program'), later, later);
    const second = await write('two');
    expect(second.digest).to.equal(first.digest);
    expect(await readFile(second.archive)).to.deep.equal(await readFile(first.archive));
  });

  it('is also an archive of docker save', async () => {
    const { archive } = await write('one');
    await unpackImage(archive, join(folder, 'unpacked'));
    const layout = join(folder, 'unpacked/layout');
    const [saved] = JSON.parse(await readFile(join(layout, 'manifest.json'), 'utf8')) as [
      { readonly Config: string; readonly RepoTags: string[]; readonly Layers: string[] },
    ];
    expect(saved.RepoTags).to.deep.equal(['paywright:1.2.3']);
    expect(saved.Layers).to.have.length(2);
    for (const path of [saved.Config, ...saved.Layers])
      expect((await stat(join(layout, path))).isFile()).to.equal(true);
  });

  it('is refused if a layer was changed', async () => {
    const { archive } = await write('one');
    const layout = join(folder, 'one');
    const [layer = ''] = await layersOf(layout);
    await writeFile(layer, gzipSync('another layer'));
    await run(['tar', '--create', '--file', archive, '.'], { cwd: layout });
    let refused: unknown;
    await unpackImage(archive, join(folder, 'unpacked')).catch((error: unknown) => (refused = error));
    expect(refused).to.be.an.instanceOf(ImageError);
  });
});

async function layersOf(layout: string): Promise<string[]> {
  const [{ Layers }] = JSON.parse(await readFile(join(layout, 'manifest.json'), 'utf8')) as [{ Layers: string[] }];
  return Layers.map((path) => join(layout, path));
}

/** The numeric owners and names of the files in all layers. */
async function listOwners(layout: string): Promise<string[]> {
  const lines: string[] = [];
  for (const layer of await layersOf(layout)) {
    const listed = await run(['tar', '--list', '--verbose', '--numeric-owner', '--gzip', '--file', layer], {
      cwd: layout,
    });
    lines.push(...listed.trim().split('\n'));
  }
  return lines.map((line) => line.replace(/^\S+\s+(\S+)\s+.*\s(\S+)$/, '$1 $2'));
}
