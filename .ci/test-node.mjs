/**
 * Runs the tests on another version of Node.js, which it fetches once as an npm package: npm run test:node -- 24 [test files].
 * Without test files it runs the whole suite. `npm run build` must have run.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [wanted, ...files] = process.argv.slice(2);
if (!/^\d+(\.\d+){0,2}$/.test(wanted ?? '')) {
  console.error('Usage: npm run test:node -- <version> [test files]. <version> is 24, 24.1 or 24.1.0.');
  process.exit(2);
}

const packageName = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`;

function newestVersion() {
  const answer = execFileSync('npm', ['view', `${packageName}@${wanted}`, 'version', '--json'], { encoding: 'utf8' });
  const numbers = (version) => version.split('.').map(Number);
  const newestLast = (one, other) => {
    const [a, b] = [numbers(one), numbers(other)];
    return a[0] - b[0] || a[1] - b[1] || a[2] - b[2];
  };
  const newest = [JSON.parse(answer || '[]')].flat().sort(newestLast).at(-1);
  if (newest) return newest;
  console.error(`The npm package ${packageName} has no version ${wanted}.`);
  return process.exit(2);
}

/** The folder of the `node` program, fetched on first use. */
function fetchNode(version) {
  const cache = join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'payment-gateway', 'node');
  const home = join(cache, version);
  if (!existsSync(join(home, 'bin'))) {
    console.error(`Fetching Node.js ${version} from the npm package ${packageName} …`);
    const work = mkdtempSync(join(tmpdir(), 'test-node-'));
    const words = ['pack', '--silent', `${packageName}@${version}`, '--pack-destination', work];
    const file = execFileSync('npm', words, { encoding: 'utf8' }).trim().split('\n').at(-1);
    execFileSync('tar', ['-xzf', join(work, file), '-C', work]);
    mkdirSync(cache, { recursive: true });
    rmSync(home, { recursive: true, force: true });
    // One step, so that a killed download leaves no half of a version in the cache.
    renameSync(join(work, 'package'), home);
    rmSync(work, { recursive: true });
  }
  return join(home, 'bin');
}

const folder = fetchNode(newestVersion());
const env = {
  ...process.env,
  PATH: `${folder}${delimiter}${dirname(process.execPath)}${delimiter}${process.env.PATH}`,
};
const version = execFileSync(join(folder, 'node'), ['--version'], { encoding: 'utf8' }).trim();
console.error(`Testing on Node.js ${version}.`);
const mocha = [join(root, 'node_modules/mocha/bin/mocha.js'), ...files];
const { status } =
  files.length > 0
    ? spawnSync(join(folder, 'node'), mocha, { cwd: root, env, stdio: 'inherit' })
    : spawnSync('npm', ['run', '--silent', 'mocha'], { cwd: root, env, stdio: 'inherit' });
process.exit(status ?? 1);
