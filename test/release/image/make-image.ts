/** Makes the image of a release: three layers, of which a new release usually changes only the last. */
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { run } from '../../clients/run-program.ts';
import { root } from '../../support/start-gateway.ts';
import type { Manifest } from '../packages.ts';
import { addNode, dataFolder, makeDebianRoot, serviceUser } from './debian-root.ts';
import { writeImage, type ContainerConfig } from './oci.ts';
import { addService, serviceFolder } from './service.ts';

export interface ImageOptions {
  /** The folder of the tarballs. The archive is written into it. */
  readonly packages: string;
  /** An empty folder. */
  readonly work: string;
  readonly epoch: number;
  readonly source?: string | undefined;
  readonly say: (line: string) => void;
}

export async function makeImage({
  packages,
  work,
  epoch,
  source,
  say,
}: ImageOptions): Promise<{ archive: string; digest: string }> {
  const [debian, node, service, layout] = ['debian', 'node', 'service', 'layout'].map((name) => join(work, name)) as [
    string,
    string,
    string,
    string,
  ];
  await mkdir(layout);
  say(await makeDebianRoot(debian, { work, epoch }));
  say(await addNode(node, work));
  say(await addService(service, packages));
  const manifest = JSON.parse(await readFile(join(service, serviceFolder, 'package.json'), 'utf8')) as Manifest;
  const revision = (await run(['git', 'rev-parse', 'HEAD'], { cwd: root })).trim();
  const archive = join(packages, `paywright-${manifest.version}-image.tar`);
  const layers = [
    { what: 'Debian packages', folder: debian },
    { what: 'Node.js', folder: node },
    { what: 'the service', folder: service, ownedBy: { id: serviceUser, path: dataFolder.slice(1) } },
  ];
  const config = describeContainer(manifest, { revision, source });
  const digest = await writeImage(
    { name: `paywright:${manifest.version}`, config, layers, epoch },
    { archive, work: layout },
  );
  await writeFile(`${archive}.digest`, `${digest}\n`);
  return { archive, digest };
}

/** The same settings as those of config/deploy/Dockerfile, with labels. */
export function describeContainer(
  { version, license, description }: Manifest,
  { revision, source }: { readonly revision: string; readonly source?: string | undefined },
): ContainerConfig {
  const labels = {
    title: 'Paywright',
    description: description as string,
    version,
    licenses: license as string,
    revision,
    ...(source && { source }),
  };
  return {
    User: `${serviceUser}:${serviceUser}`,
    Env: [
      'PATH=/usr/local/bin:/usr/bin',
      'NODE_ENV=production',
      'GATEWAY_ENV=production',
      `GATEWAY_DATA_DIR=${dataFolder}`,
      'LOG_FILE=false',
      'HOST=0.0.0.0',
    ],
    WorkingDir: serviceFolder,
    Entrypoint: ['node', 'core/cli/bin/paywright.mjs'],
    Cmd: ['start'],
    ExposedPorts: { '8080/tcp': {}, '9464/tcp': {} },
    Volumes: { [dataFolder]: {} },
    StopSignal: 'SIGTERM',
    Labels: Object.fromEntries(
      Object.entries(labels).map(([name, value]) => [`org.opencontainers.image.${name}`, value]),
    ),
    healthCheck: {
      command: ['node', 'config/deploy/health-check.mjs'],
      seconds: { interval: 10, timeout: 5, startPeriod: 60 },
    },
  };
}
