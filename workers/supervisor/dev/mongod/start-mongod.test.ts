import { spawn } from 'node:child_process';
import type { ChildProcess } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { expect } from 'chai';
import { after, afterEach, before, describe, it } from 'mocha';
import mongoose from 'mongoose';
import { until } from '../../../../core/base/testing/until.ts';
import { chooseFreePort } from './choose-port.ts';
import { findHolder, isRunning } from './data-folder.ts';
import { findMongod } from './find-mongod.ts';
import { MongodError } from './mongod-error.ts';
import { startMongod } from './start-mongod.ts';
import type { RunningMongod, StartOptions } from './start-mongod.ts';
import { makeFolder, removeFolders } from './testing/folders.ts';

const owner = fileURLToPath(new URL('testing/owner.js', import.meta.url));

type Options = Partial<StartOptions> & { dbPath: string; ephemeral?: false };

describe('startMongod', () => {
  let binary: string;
  const running: RunningMongod[] = [];
  const owners: ChildProcess[] = [];
  const report = (): void => {};

  before(async function () {
    this.timeout(300_000); // The first run fetches it.
    ({ path: binary } = await findMongod({ env: process.env, report: console.log }));
  });
  afterEach(async () => {
    for (const child of owners.splice(0)) child.kill('SIGKILL');
    await Promise.all(running.splice(0).map(async (mongod) => mongod.stop()));
  });
  after(removeFolders);

  const start = async (options: Options): Promise<RunningMongod> => {
    const mongod = await startMongod({ binary, report, ...options });
    running.push(mongod);
    return mongod;
  };
  const refusal = async (options: Options): Promise<string> => {
    try {
      await start(options);
    } catch (error) {
      if (!(error instanceof MongodError)) throw error;
      expect(error.message).to.match(/^[^\n]+\.$/);
      return error.message;
    }
    return 'started';
  };
  /** Starts a process in its own group that owns a mongod. */
  const startOwner = async (dbPath: string, port: number) => {
    const child = spawn(process.execPath, [owner, binary, dbPath, `${port}`], {
      detached: true,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    owners.push(child);
    const lines: string[] = [];
    createInterface(child.stdout).on('line', (line) => lines.push(line));
    await until('the owner has its mongod', () => lines.some((line) => line.startsWith('mongod ')));
    const [, pid, uri = ''] = lines[0]?.split(' ') ?? [];
    return { child, pid: Number(pid), lines, uri };
  };

  it('keeps majority writes after a restart on the same port and a move to another port', async () => {
    const dbPath = join(await makeFolder(), 'made', 'when-missing');
    const port = await chooseFreePort();
    const first = await start({ dbPath, port });
    expect(first.port).to.equal(port);
    expect(first.uri).to.match(new RegExp(`^mongodb://gateway:[0-9a-f]{48}@127.0.0.1:${port}/\\?replicaSet=gateway$`));
    await write(first.uri, 'first');
    await first.stop();
    expect(await isRunning(first.pid)).to.equal(false);

    const second = await start({ dbPath, port });
    await write(second.uri, 'second');
    await second.stop();
    const moved = await start({ dbPath });
    expect(moved.port).to.not.equal(port);
    expect(await read(moved.uri)).to.deep.equal(['first', 'second']);
  });

  it('uses a temporary folder, which stop removes, and removes the folders of killed owners', async () => {
    const folder = await makeFolder();
    const abandoned = join(folder, 'gateway-mongod-abandoned');
    await mkdir(abandoned);
    await writeFile(join(abandoned, 'gateway.pid'), '4194304\n'); // above every process id
    const usual = process.env['TMPDIR'];
    process.env['TMPDIR'] = folder;
    try {
      const mongod = await startMongod({ binary, report, ephemeral: true });
      await write(mongod.uri, 'first');
      expect(await readdir(folder))
        .to.have.lengthOf(1)
        .and.not.include('gateway-mongod-abandoned');
      await Promise.all([mongod.stop(), mongod.stop()]);
      expect(await readdir(folder)).to.deep.equal([]);
    } finally {
      if (usual === undefined) delete process.env['TMPDIR'];
      else process.env['TMPDIR'] = usual;
    }
  });

  it('bounds the cache, which would otherwise keep up to half of the memory of the machine', async () => {
    for (const [cacheGb, megabytes] of [
      [undefined, 256],
      [0.5, 512],
    ] as const) {
      const { uri } = await start({ dbPath: await makeFolder(), cacheGb });
      const client = await mongoose.mongo.MongoClient.connect(uri);
      const status = await client.db('admin').command({ serverStatus: 1 });
      await client.close();
      expect(status['wiredTiger'].cache['maximum bytes configured']).to.equal(megabytes * 2 ** 20);
    }
  });

  it('wakes twice per second for the journal when it is idle', async () => {
    const { uri } = await start({ dbPath: await makeFolder() });
    const client = await mongoose.mongo.MongoClient.connect(uri);
    const { parsed } = await client.db('admin').command({ getCmdLineOpts: 1 });
    await client.close();
    expect(parsed.storage.journal).to.deep.equal({ commitIntervalMs: 500 });
  });

  it("survives a Ctrl-C in its owner's terminal, but stops with its owner", async () => {
    const [dbPath, port] = [await makeFolder(), await chooseFreePort()];
    const { child, pid, lines, uri } = await startOwner(dbPath, port);
    process.kill(-(child.pid ?? 0), 'SIGINT');
    await until('the owner is interrupted', () => lines.includes('interrupted'));
    await write(uri, 'after the interrupt');

    child.kill('SIGKILL');
    await until('mongod is gone', async () => !(await isRunning(pid)));
    const next = await start({ dbPath, port });
    expect(await read(next.uri)).to.deep.equal(['after the interrupt']);
  });

  it('stops the mongod of a killed owner before it starts on the same folder and port', async () => {
    const [dbPath, port] = [await makeFolder(), await chooseFreePort()];
    const { child, pid, uri } = await startOwner(dbPath, port);
    await write(uri, 'before the kill');
    child.kill('SIGKILL');
    await until('the owner is gone', () => child.signalCode !== null);
    expect(await isRunning(pid)).to.equal(true);
    const next = await start({ dbPath, port });
    expect(await isRunning(pid)).to.equal(false);
    expect(await read(next.uri)).to.deep.equal(['before the kill']);
  });

  it('refuses a folder on which another mongod runs', async () => {
    const [dbPath, port] = [await makeFolder(), await chooseFreePort()];
    const { pid } = await startOwner(dbPath, port);
    for (const other of [port, 0]) {
      expect(await refusal({ dbPath, port: other })).to.contain(
        `${dbPath} is in use by another running MongoDB (process ${pid})`,
      );
    }
    // If the other process is not visible by its id, for example from another container, mongod itself reports it.
    await writeFile(join(dbPath, 'mongod.lock'), '');
    expect(await refusal({ dbPath })).to.contain(`${dbPath} is in use by another running MongoDB:`);
  });

  it('reports that mongod exited unexpectedly, and recovers', async () => {
    const [dbPath, port] = [await makeFolder(), await chooseFreePort()];
    let exits = 0;
    const onExit = (): void => void (exits += 1);
    const first = await start({ dbPath, port, onExit });
    await write(first.uri, 'before the kill');
    process.kill(first.pid, 'SIGKILL');
    await until('the exit is reported', () => exits === 1);
    await first.stop();

    const second = await start({ dbPath, port, onExit });
    expect(await read(second.uri)).to.deep.equal(['before the kill']);
    await second.stop();
    expect(exits).to.equal(1);
  });

  it('stops at any moment of its start', async () => {
    const dbPath = await makeFolder();
    for (const delayMs of [0, 20, 80, 250]) {
      const signal = AbortSignal.timeout(delayMs);
      expect(await refusal({ dbPath, signal })).to.be.oneOf(['MongoDB was stopped while it was starting.', 'started']);
      await Promise.all(running.splice(0).map(async (mongod) => mongod.stop()));
      expect(await findHolder(dbPath)).to.equal(undefined);
    }
  });

  it('kills a mongod that is neither ready in time nor stops on SIGTERM', async () => {
    const folder = await makeFolder();
    const deaf = join(folder, 'mongod');
    const script = `#!${process.execPath}
      process.on('SIGTERM', () => {});
      require('node:fs').writeFileSync(${JSON.stringify(join(folder, 'pid'))}, String(process.pid));
      setInterval(() => {}, 1000);`;
    await writeFile(deaf, script, { mode: 0o755 });
    const stop = new AbortController();
    const refused = refusal({ dbPath: join(folder, 'data'), binary: deaf, signal: stop.signal });
    const readPid = async (): Promise<number> => Number(await readFile(join(folder, 'pid'), 'utf8').catch(() => ''));
    await until('mongod is starting', async () => (await readPid()) > 0);
    stop.abort();
    expect(await refused).to.equal('MongoDB was stopped while it was starting.');
    expect(await isRunning(await readPid())).to.equal(false);
  });

  /** A program that runs as mongod: `script` may start the real one with `startReal()`. */
  const wrap = async (script: string): Promise<string> => {
    const file = join(await makeFolder(), 'mongod');
    const text = `#!${process.execPath}
      const { createServer } = require('node:net');
      const { spawn } = require('node:child_process');
      const args = process.argv.slice(2);
      const port = Number(args[args.indexOf('--port') + 1]);
      let real;
      let stopping = () => {};
      const startReal = () => {
        real = spawn(${JSON.stringify(binary)}, args, { stdio: 'inherit' });
        real.on('exit', (code) => process.exit(code ?? 1));
      };
      process.on('SIGTERM', () => {
        stopping();
        if (real) real.kill('SIGTERM');
        else process.exit(0);
      });
      ${script}`;
    await writeFile(file, text, { mode: 0o755 });
    return file;
  };

  it('waits for a mongod that is up but does not answer yet, as on a busy machine', async () => {
    const busy = await wrap(`
      const sockets = new Set();
      const server = createServer((socket) => {
        sockets.add(socket.resume().on('error', () => {}));
        socket.once('close', () => {
          if (real || !server.listening) return;
          // The first client gave up.
          server.close(startReal);
          for (const other of sockets) other.destroy();
        });
      });
      server.listen(port, '127.0.0.1', () => console.log('{"msg":"Waiting for connections"}'));`);
    const mongod = await start({ dbPath: await makeFolder(), port: await chooseFreePort(), binary: busy });
    await write(mongod.uri, 'after the wait');
    expect(await read(mongod.uri)).to.deep.equal(['after the wait']);
  });

  it('names the reason why it is not ready, and no error of the stop that follows', async () => {
    const dbPath = await makeFolder();
    const first = await start({ dbPath });
    await first.stop();
    const user = join(dbPath, 'gateway-user.json');
    const kept = JSON.parse(await readFile(user, 'utf8')) as { readonly password: string };
    await writeFile(user, JSON.stringify({ ...kept, password: '0'.repeat(48) }));
    const noisy = await wrap(`
      stopping = () => console.log(JSON.stringify({
        msg: 'Failed to get last stable recovery timestamp',
        attr: { error: 'LockTimeout: lock acquire timeout' },
      }));
      startReal();`);
    expect(await refusal({ dbPath, binary: noisy })).to.contain('(Authentication failed.)');
  });

  it('names a busy port', async () => {
    const port = await chooseFreePort();
    const other = createServer().listen(port, '127.0.0.1');
    await until('the other program listens', () => other.listening);
    expect(await refusal({ dbPath: await makeFolder(), port })).to.contain(`Port ${port} of 127.0.0.1`);
    await new Promise((resolve) => other.close(resolve));
  });

  it('names a folder that cannot be written', async () => {
    const file = join(await makeFolder(), 'file');
    await writeFile(file, '');
    expect(await refusal({ dbPath: join(file, 'data') })).to.contain(`data folder ${file}/data cannot be written`);
  });

  it('requires its password, which is kept with the data and readable only by this user', async () => {
    const dbPath = await makeFolder();
    const first = await start({ dbPath });
    const stranger = first.uri.replace(/\/\/.*@/, '//');
    const refused = await write(stranger, 'paid').catch((error: unknown) => error);
    expect(String(refused)).to.contain('requires authentication');
    const setUp = await withAdmin(stranger, async (admin) =>
      admin.command({ createUser: 'stranger', pwd: 'x', roles: ['root'] }),
    ).catch((error: unknown) => error);
    expect(String(setUp)).to.match(/requires authentication|not authorized/);
    for (const name of ['gateway-user.json', 'gateway.key']) {
      expect((await stat(join(dbPath, name))).mode & 0o777, name).to.equal(0o600);
    }
    await first.stop();
    // A folder that was copied may have other modes.
    await chmod(join(dbPath, 'gateway.key'), 0o644);
    const second = await start({ dbPath });
    await write(second.uri, 'again');
    expect(await read(second.uri)).to.deep.equal(['again']);
  });

  it("passes on mongod's own reason for data that it cannot read", async () => {
    const dbPath = await makeFolder();
    await writeFile(join(dbPath, 'storage.bson'), 'junk');
    expect(await refusal({ dbPath })).to.contain('Unable to read the storage engine metadata file: BSON data');
  });
});

async function withAdmin<T>(uri: string, use: (admin: mongoose.mongo.Db) => Promise<T>): Promise<T> {
  const client = await mongoose.mongo.MongoClient.connect(uri);
  try {
    return await use(client.db('admin'));
  } finally {
    await client.close();
  }
}

async function write(uri: string, text: string): Promise<void> {
  await withTexts(uri, async (texts) => texts.insertOne({ text }, { writeConcern: { w: 'majority' } }));
}

async function read(uri: string): Promise<string[]> {
  return withTexts(uri, async (texts) =>
    texts
      .find()
      .map(({ text }) => text)
      .toArray(),
  );
}

async function withTexts<T>(
  uri: string,
  use: (texts: mongoose.mongo.Collection<{ text: string }>) => Promise<T>,
): Promise<T> {
  const client = await mongoose.mongo.MongoClient.connect(uri);
  try {
    return await use(client.db('test').collection<{ text: string }>('texts'));
  } finally {
    await client.close();
  }
}
