/**
 * `npm run image -- .release/1.0.0`: makes the container image of a release from its packages, and runs it. No registry
 * of images is involved: the root file system comes from Debian's packages, and Node.js from an npm package.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { run } from '../../clients/run-program.ts';
import { root } from '../../support/start-gateway.ts';
import { makeImage } from './make-image.ts';
import { checkTools, tryImage } from './try-image.ts';

const usage = `npm run image -- <folder> [--source <address>] [--build-only]

Makes the container image of the release whose packages are in the folder, as npm run release wrote them. Then runs it with
runc as its own user on a read-only root file system, pays once, kills its processes and stops it. Needs mmdebstrap and, to
run it, runc and root.
  --source <address>  the address of the source code, for the label of the image
  --build-only        do not run the image

SOURCE_DATE_EPOCH sets the time of the image and its files. The default is the time of the last commit.`;

/** Megabytes with one decimal. */
const toMegabytes = (bytes: number): string => `${(bytes / 1_000_000).toFixed(1)} MB`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      source: { type: 'string' },
      'build-only': { type: 'boolean', default: false },
      help: { type: 'boolean' },
    },
  });
  const [packages] = positionals;
  if (values.help || !packages || positionals.length > 1) {
    process[values.help ? 'stdout' : 'stderr'].write(`${usage}\n`);
    if (!values.help) process.exitCode = 2;
    return;
  }
  if (!values['build-only']) await checkTools();
  // The modes of files in the image do not depend on who makes it.
  process.umask(0o022);
  const epoch = Number(
    process.env['SOURCE_DATE_EPOCH'] ?? (await run(['git', 'log', '-1', '--format=%ct'], { cwd: root })),
  );
  const folder = await mkdtemp(join(tmpdir(), 'paywright-image-'));
  try {
    const say = (line: string): void => void process.stdout.write(`${line}\n`);
    const { archive, digest } = await makeImage({
      packages: resolve(packages),
      work: folder,
      epoch,
      source: values.source,
      say,
    });
    say(`${archive}\n${digest}`);
    if (values['build-only']) return;
    const trial = await tryImage(archive, join(folder, 'trial'));
    say(`Size: ${toMegabytes(trial.packed)} in a registry, ${toMegabytes(trial.unpacked)} unpacked`);
    say(`First payment: ${trial.firstPayment}`);
    say(
      `Ready after ${trial.startSeconds.production} s (production), ${trial.startSeconds.development} s (development)`,
    );
    say(
      `Killed processes are replaced, no zombies. Memory: ${trial.memoryMegabytes} MB. Stopped by SIGTERM in ${trial.stopSeconds} s`,
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

try {
  await main();
} catch (error) {
  process.stderr.write(`\n${(error as Error).message}\n`);
  process.exitCode = 1;
}
