/**
 * `npm run release -- 1.0.0 --dry-run`: makes a release in a clone of the last commit, and tries it as its users do.
 * Without --dry-run the commit and the tag of the release come into this repository. The workflow of the tag makes the
 * same packages again with `--tagged`, and publishes them.
 */
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { gt, valid } from 'semver';
import { run } from '../clients/run-program.ts';
import { root } from '../support/start-gateway.ts';
import { closeSections, notesOf } from './changelog.ts';
import { checkPackage } from './check-packages.ts';
import { buildShops, packAll, readManifest, setVersions } from './packages.ts';
import { installPackages, payInProject, testForeignAdapter } from './try-packages.ts';

const usage = `npm run release -- <version> [--dry-run] [--image [--source <address>]] [--output <folder>]
npm run release -- --tagged [--image [--source <address>]] [--output <folder>]

Makes the packages of a release from the last commit, checks them, installs them into an empty project and uses them.
  --dry-run          change nothing in this repository
  --tagged           the last commit is the tagged commit of a release: make its packages
  --image            also make the container image, and run it (needs root, mmdebstrap and runc)
  --source <address> the address of the source code, for the label of the image
  --output <folder>  where the tarballs and the SBOM are written (default: .release/<version>)`;

interface Release {
  readonly version: string;
  readonly isDryRun: boolean;
  /** The last commit has the versions and the tag already. */
  readonly isTagged: boolean;
  readonly withImage: boolean;
  readonly source: string | undefined;
  /** The folder of the tarballs, the SBOM and the notes. */
  readonly output: string;
}

/** Thrown for a release that cannot start. The message says what to do. */
class ReleaseError extends Error {}

async function readRelease(words: string[]): Promise<Release> {
  const { values, positionals } = parseArgs({
    args: words,
    allowPositionals: true,
    options: {
      'dry-run': { type: 'boolean', default: false },
      tagged: { type: 'boolean', default: false },
      image: { type: 'boolean', default: false },
      source: { type: 'string' },
      output: { type: 'string' },
    },
  });
  const isTagged = values.tagged;
  if (isTagged ? positionals.length > 0 : positionals.length !== 1 || !valid(positionals[0])) {
    throw new ReleaseError(`Name one version, such as 1.0.0, or use --tagged alone.\n\n${usage}`);
  }
  const version = positionals[0] ?? (await readManifest(root, '.')).version;
  const output = resolve(values.output ?? join(root, '.release', version));
  return { version, isDryRun: values['dry-run'], isTagged, withImage: values.image, source: values.source, output };
}

async function checkRepository({ version, isTagged }: Release): Promise<void> {
  const changed = await run(['git', 'status', '--porcelain'], { cwd: root });
  if (changed) throw new ReleaseError(`Commit or stash your changes first, because a release is a commit:\n${changed}`);
  const tags = await run(['git', 'tag', '--list', `v${version}`, ...(isTagged ? ['--points-at', 'HEAD'] : [])], {
    cwd: root,
  });
  if (isTagged) {
    if (!tags) throw new ReleaseError(`The last commit has no tag v${version}: make the release without --tagged.`);
    return;
  }
  if (tags) throw new ReleaseError(`The tag v${version} exists: choose a later version.`);
  const { version: current } = await readManifest(root, '.');
  if (!gt(version, current)) throw new ReleaseError(`The version must be later than ${current}.`);
}

/** Prints each step before it starts, and what it found. */
async function step<T>(name: string, work: () => Promise<T>): Promise<T> {
  const begin = Date.now();
  process.stdout.write(`${name} … `);
  const result = await work();
  const found = typeof result === 'string' && result !== '' ? `${result}, ` : '';
  process.stdout.write(`${found}${Math.round((Date.now() - begin) / 1000)} s\n`);
  return result;
}

/** Sets versions and changelog in the clone, and commits and tags them. */
async function commitRelease(clone: string, { version }: Release): Promise<string> {
  const { version: contractVersion } = await readManifest(clone, 'core/contract');
  const changelog = join(clone, 'CHANGELOG.md');
  const date = new Date().toISOString().slice(0, 10);
  await writeFile(changelog, closeSections(await readFile(changelog, 'utf8'), { version, contractVersion, date }));
  await setVersions(clone, version);
  await run(['git', 'commit', '--quiet', '--all', '--message', `chore(release): ${version}`], { cwd: clone });
  await run(['git', 'tag', '--annotate', `v${version}`, '--message', `Paywright ${version}`], { cwd: clone });
  return `contract ${contractVersion}`;
}

async function makeRelease(release: Release, folder: string): Promise<void> {
  const { version, isDryRun, isTagged, withImage, source, output } = release;
  const clone = join(folder, 'repository');
  const project = join(folder, 'project');
  await step('Clone the last commit', async () => run(['git', 'clone', '--quiet', root, clone], { cwd: folder }));
  if (!isTagged) await step('Set the versions', async () => commitRelease(clone, release));
  await step(
    'Install and build',
    async () => void (await run(['npm', 'ci', '--no-audit', '--no-fund'], { cwd: clone })),
  );
  await step('Build the shop packages', async () => buildShops(clone));
  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  const packed = await step('Pack', async () => packAll(clone, output));
  const tarballs = [...packed.service, ...packed.shops];
  process.stdout.write(tarballs.map((path) => `  ${basename(path)}\n`).join(''));
  await step('Check exports and types', async () => {
    for (const tarball of tarballs) await checkPackage(tarball, folder);
    return `${tarballs.length} packages`;
  });
  await step('Write the SBOM and the notes', async () => {
    const words = ['npm', 'sbom', '--sbom-format', 'cyclonedx', '--omit', 'dev'];
    await writeFile(join(output, `paywright-${version}.cdx.json`), await run(words, { cwd: clone }));
    await writeFile(
      join(output, 'release-notes.txt'),
      notesOf(await readFile(join(clone, 'CHANGELOG.md'), 'utf8'), version),
    );
  });
  // A shop package brings its whole shop with it. `npm run test:shops` tries it there.
  await step('Install into an empty project', async () => installPackages(packed.service, project));
  await step('Start it and pay', async () => payInProject(project));
  await step('Run the conformance kit on a new adapter', async () => testForeignAdapter(project));
  if (withImage)
    await step('Make the container image and run it', async () => {
      const found = await run(
        ['node', '.build/test/release/image/run.js', output, ...(source ? ['--source', source] : [])],
        { cwd: clone },
      );
      return ['', ...found.trim().split('\n')].join('\n  ');
    });
  if (!isDryRun && !isTagged) await step('Take over commit and tag', async () => takeOver(clone, version));
}

async function takeOver(clone: string, version: string): Promise<void> {
  await run(['git', 'fetch', '--quiet', clone, `refs/tags/v${version}:refs/tags/v${version}`], { cwd: root });
  await run(['git', 'merge', '--quiet', '--ff-only', `v${version}`], { cwd: root });
}

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  if (words.includes('--help')) {
    process.stdout.write(`${usage}\n`);
    return;
  }
  const release = await readRelease(words);
  await checkRepository(release);
  const folder = await mkdtemp(join(tmpdir(), 'paywright-release-'));
  try {
    await makeRelease(release, folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
  const next =
    release.isDryRun || release.isTagged
      ? 'The repository is unchanged.'
      : 'Push it: git push --follow-tags. The workflow of the tag publishes the packages.';
  process.stdout.write(`\nRelease ${release.version} is in ${release.output}. ${next}\n`);
}

try {
  await main();
} catch (error) {
  process.stderr.write(`\n${(error as Error).message}\n`);
  process.exitCode = 1;
}
