/**
 * Writes and checks the archive of a container image: an OCI image layout that also has the index of `docker save`, so
 * that `docker load`, `podman load` and `skopeo copy oci-archive:` accept it. It needs tar and nothing of a container
 * engine. The same folders and the same time give the same bytes.
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readFile, readdir, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { run } from '../../clients/run-program.ts';

const types = {
  index: 'application/vnd.oci.image.index.v1+json',
  manifest: 'application/vnd.oci.image.manifest.v1+json',
  config: 'application/vnd.oci.image.config.v1+json',
  layer: 'application/vnd.oci.image.layer.v1.tar+gzip',
} as const;

const second = 1_000_000_000;

/** How a container of the image runs. The names are those of the image specification and of Docker. */
export interface ContainerConfig {
  readonly User: string;
  readonly Env: readonly string[];
  readonly WorkingDir: string;
  readonly Entrypoint: readonly string[];
  readonly Cmd: readonly string[];
  readonly ExposedPorts: Readonly<Record<string, object>>;
  readonly Volumes: Readonly<Record<string, object>>;
  readonly StopSignal: string;
  readonly Labels: Readonly<Record<string, string>>;
  readonly healthCheck: { readonly command: readonly string[]; readonly seconds: HealthSeconds };
}

interface HealthSeconds {
  readonly interval: number;
  readonly timeout: number;
  readonly startPeriod: number;
}

/** Paths of a folder that become one layer. All files belong to root, except those of `ownedBy`. */
export interface Layer {
  readonly what: string;
  readonly folder: string;
  readonly ownedBy?: { readonly id: number; readonly path: string };
}

export interface Image {
  readonly name: string;
  readonly config: ContainerConfig;
  readonly layers: readonly Layer[];
  /** Seconds since 1970: the time of the image and of every file in it. */
  readonly epoch: number;
}

interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}

interface Manifest {
  readonly config: Descriptor;
  readonly layers: readonly Descriptor[];
}

/** Writes the archive, and returns the digest of its manifest. `work` is an empty folder for its parts. */
export async function writeImage(image: Image, { archive, work }: { archive: string; work: string }): Promise<string> {
  const blobs = join(work, 'blobs/sha256');
  await mkdir(blobs, { recursive: true });
  const layers = [];
  for (const layer of image.layers) layers.push(await writeLayer(layer, { blobs, epoch: image.epoch }));
  const config = await writeBlob(blobs, types.config, describeImage(image, layers));
  const manifest = await writeBlob(blobs, types.manifest, {
    schemaVersion: 2,
    mediaType: types.manifest,
    config,
    layers: layers.map(({ descriptor }) => descriptor),
  });
  const [, tag = ''] = image.name.split(':');
  const annotations = { 'io.containerd.image.name': image.name, 'org.opencontainers.image.ref.name': tag };
  const pathOf = ({ digest }: Descriptor): string => `blobs/sha256/${digest.replace('sha256:', '')}`;
  await Promise.all([
    writeJson(join(work, 'oci-layout'), { imageLayoutVersion: '1.0.0' }),
    writeJson(join(work, 'index.json'), {
      schemaVersion: 2,
      mediaType: types.index,
      manifests: [{ ...manifest, annotations }],
    }),
    writeJson(join(work, 'manifest.json'), [
      {
        Config: pathOf(config),
        RepoTags: [image.name],
        Layers: layers.map(({ descriptor }) => pathOf(descriptor)),
      },
    ]),
  ]);
  await packFolder(work, { archive, epoch: image.epoch });
  return manifest.digest;
}

function describeImage({ config, layers, epoch }: Image, written: readonly { readonly diffId: string }[]): object {
  const { healthCheck, ...rest } = config;
  const created = new Date(epoch * 1000).toISOString();
  return {
    architecture: 'amd64',
    os: 'linux',
    created,
    config: {
      ...rest,
      Healthcheck: {
        Test: ['CMD', ...healthCheck.command],
        Interval: healthCheck.seconds.interval * second,
        Timeout: healthCheck.seconds.timeout * second,
        StartPeriod: healthCheck.seconds.startPeriod * second,
        Retries: 3,
      },
    },
    rootfs: { type: 'layers', diff_ids: written.map(({ diffId }) => diffId) },
    history: layers.map(({ what }) => ({ created, created_by: what })),
  };
}

async function writeLayer(
  layer: Layer,
  { blobs, epoch }: { blobs: string; epoch: number },
): Promise<{ readonly diffId: string; readonly descriptor: Descriptor }> {
  const path = join(blobs, 'layer.tar');
  await packLayer(layer, { path, epoch });
  const zipped = `${path}.gz`;
  const [plain, packed] = [createHashing(), createHashing()];
  await pipeline(
    createReadStream(path),
    plain.stream,
    createGzip({ level: 9 }),
    packed.stream,
    createWriteStream(zipped),
  );
  await rm(path);
  return { diffId: plain.digest(), descriptor: await storeBlob(blobs, types.layer, zipped, packed.digest()) };
}

/** Sorted names, one time and numeric owners: nothing of the machine that packs is in the layer. */
const reproducible = (epoch: number): string[] => [
  '--sort=name',
  `--mtime=@${epoch}`,
  '--numeric-owner',
  '--format=gnu',
];

async function packLayer({ folder, ownedBy }: Layer, { path, epoch }: { path: string; epoch: number }): Promise<void> {
  const names = (await readdir(folder)).sort();
  const excluded = ownedBy ? [`--exclude=${ownedBy.path}`] : [];
  const words = ['tar', ...reproducible(epoch), '--directory', folder];
  await run([...words, '--owner=0', '--group=0', ...excluded, '--create', '--file', path, ...names], { cwd: folder });
  if (!ownedBy) return;
  const owner = [`--owner=${ownedBy.id}`, `--group=${ownedBy.id}`];
  await run([...words, ...owner, '--append', '--file', path, ownedBy.path], { cwd: folder });
}

async function packFolder(folder: string, { archive, epoch }: { archive: string; epoch: number }): Promise<void> {
  const words = ['tar', ...reproducible(epoch), '--owner=0', '--group=0', '--directory', folder];
  const names = ['oci-layout', 'index.json', 'manifest.json', 'blobs'];
  await run([...words, '--create', '--file', archive, ...names], { cwd: folder });
}

function createHashing(): { readonly stream: Transform; readonly digest: () => string } {
  const hash = createHash('sha256');
  const stream = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
  return { stream, digest: () => `sha256:${hash.digest('hex')}` };
}

async function storeBlob(blobs: string, mediaType: string, path: string, digest: string): Promise<Descriptor> {
  await rename(path, join(blobs, digest.replace('sha256:', '')));
  const { size } = await stat(join(blobs, digest.replace('sha256:', '')));
  return { mediaType, digest, size };
}

async function writeBlob(blobs: string, mediaType: string, content: object): Promise<Descriptor> {
  const text = Buffer.from(JSON.stringify(content));
  const digest = createHash('sha256').update(text).digest('hex');
  await writeFile(join(blobs, digest), text);
  return { mediaType, digest: `sha256:${digest}`, size: text.length };
}

async function writeJson(path: string, content: object): Promise<void> {
  await writeFile(path, JSON.stringify(content));
}

export interface UnpackedImage {
  readonly rootfs: string;
  readonly config: ImageConfig;
  /** Bytes of all layers as a registry stores them, and of their files. */
  readonly bytes: { readonly packed: number; readonly unpacked: number };
}

interface ImageConfig {
  readonly config: Omit<ContainerConfig, 'healthCheck'> & {
    readonly Healthcheck: { readonly Test: readonly string[] };
  };
  readonly rootfs: { readonly diff_ids: readonly string[] };
}

/** Thrown if an archive is damaged or contradicts itself. */
export class ImageError extends Error {}

/** Unpacks an archive into a folder as an engine does, and checks every digest and size on the way. */
export async function unpackImage(archive: string, folder: string): Promise<UnpackedImage> {
  const layout = join(folder, 'layout');
  const rootfs = join(folder, 'rootfs');
  await Promise.all([mkdir(layout, { recursive: true }), mkdir(rootfs, { recursive: true })]);
  await run(['tar', '--extract', '--file', archive, '--directory', layout], { cwd: folder });
  const index = JSON.parse(await readFile(join(layout, 'index.json'), 'utf8')) as {
    readonly manifests: readonly [Descriptor];
  };
  const manifest = await readBlob<Manifest>(layout, index.manifests[0]);
  const config = await readBlob<ImageConfig>(layout, manifest.config);
  let [packed, unpacked] = [0, 0];
  for (const [number, layer] of manifest.layers.entries()) {
    packed += layer.size;
    unpacked += await unpackLayer(layout, layer, { rootfs, diffId: config.rootfs.diff_ids[number] ?? '' });
  }
  return { rootfs, config, bytes: { packed, unpacked } };
}

const pathOf = (layout: string, digest: string): string => join(layout, 'blobs', digest.replace(':', '/'));

async function readBlob<T>(layout: string, { digest, size }: Descriptor): Promise<T> {
  const text = await readFile(pathOf(layout, digest));
  const found = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  if (found !== digest || text.length !== size) throw new ImageError(`The blob ${digest} has other content.`);
  return JSON.parse(text.toString()) as T;
}

async function unpackLayer(
  layout: string,
  { digest }: Descriptor,
  { rootfs, diffId }: { rootfs: string; diffId: string },
): Promise<number> {
  const [packed, plain] = [createHashing(), createHashing()];
  const path = join(layout, 'layer.tar');
  await pipeline(
    createReadStream(pathOf(layout, digest)),
    packed.stream,
    createGunzip(),
    plain.stream,
    createWriteStream(path),
  );
  if (packed.digest() !== digest || plain.digest() !== diffId)
    throw new ImageError(`The layer ${digest} has other content.`);
  await run(['tar', '--extract', '--preserve-permissions', '--file', path, '--directory', rootfs], { cwd: rootfs });
  const { size } = await stat(path);
  await rm(path);
  return size;
}
