import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { afterEach, beforeEach, describe, it } from 'mocha';
import { StartError } from '../start-error.ts';
import { processStartTime, findHolder, keepSecrets, lockFolder, openFolder, readState, writeState } from './index.ts';

describe('the data folder', () => {
  let folder: string;
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  });
  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const refusal = async (act: () => Promise<unknown>): Promise<string> => {
    const error: unknown = await act().catch((problem: unknown) => problem);
    if (!(error instanceof StartError)) throw new Error('the call was not refused');
    return error.message.replaceAll(folder, '<folder>');
  };

  /** Creates the lock file that a killed service leaves behind. */
  const leaveLock = async (holder: { pid: number; startTime: string }): Promise<void> => {
    const numbers = (await readdir(folder)).map((name) => Number(name.split('.')[1]));
    const path = join(folder, `lock.${Math.max(0, ...numbers) + 1}`);
    await writeFile(path, JSON.stringify({ ...holder, kind: 'service' }));
  };

  it('keeps state and secrets readable only by this user, and makes the secrets once', async () => {
    const state = { ports: { mongod: 20_001, sandboxes: { 'provider-x': 20_002 } }, hasFirstKey: true };
    await writeState(folder, state);
    expect(await readState(folder)).to.deep.equal(state);
    const secrets = await keepSecrets(folder);
    expect(Buffer.from(secrets.encryptionKey, 'base64')).to.have.length(32);
    expect(await keepSecrets(folder)).to.deep.equal(secrets);
    for (const name of await readdir(folder)) {
      expect((await stat(join(folder, name))).mode & 0o077, name).to.equal(0);
    }
  });

  it('starts with no state, and refuses a damaged file instead of replacing it', async () => {
    expect(await readState(folder)).to.deep.equal({ ports: { sandboxes: {} }, hasFirstKey: false });
    await writeFile(join(folder, 'secrets.json'), '{"encryptionKey":');
    expect(await refusal(async () => keepSecrets(folder))).to.match(/^<folder>\/secrets\.json is damaged: [^\n]+\.$/);
    expect(await readFile(join(folder, 'secrets.json'), 'utf8')).to.equal('{"encryptionKey":');
  });

  it('refuses a folder of another version, and says what to do', async () => {
    for (const [state, has] of [
      [{ ports: { sandboxes: {} } }, 'no schema version'],
      [{ schemaVersion: 2, somethingNew: true }, 'schema version 2'],
    ] as const) {
      await writeFile(join(folder, 'state.json'), JSON.stringify(state));
      expect(await refusal(async () => readState(folder))).to.equal(
        `The data folder <folder> was made by another version of the gateway (it has ${has}, this one needs 1): run that version on it, or remove the folder to start from scratch, or set GATEWAY_DATA_DIR to another folder.`,
      );
    }
  });

  it('names a folder that cannot be made', async () => {
    await writeFile(join(folder, 'file'), '');
    expect(await refusal(async () => openFolder(join(folder, 'file', 'data')))).to.equal(
      'The data folder <folder>/file/data cannot be written: give this user the right to write there, or set GATEWAY_DATA_DIR to another folder.',
    );
  });

  it('names a folder on a file system that makes no folders, and does not retry forever', async () => {
    expect(await refusal(async () => openFolder('/proc/x/data'))).to.match(
      /^The data folder \/proc\/x\/data cannot be written: /,
    );
  });

  it('makes the folder with its parent folders', async () => {
    const deep = join(folder, 'a', 'b', 'c');
    await openFolder(deep);
    await openFolder(deep);
    expect((await stat(deep)).mode & 0o777).to.equal(0o700);
  });

  it('locks the folder for one service at a time, and names that service', async () => {
    const unlock = await lockFolder(folder, 'service');
    expect(await findHolder(folder)).to.include({ pid: process.pid, kind: 'service' });
    expect(await refusal(async () => lockFolder(folder, 'service'))).to.equal(
      `The data folder <folder> is in use by a running gateway (process ${process.pid}): stop it first, or set GATEWAY_DATA_DIR to another folder.`,
    );
    expect(await lockFolder(folder, 'command')).to.equal(undefined);
    await unlock?.();
    expect(await findHolder(folder)).to.equal(undefined);
    await (
      await lockFolder(folder, 'service')
    )?.();
    expect(await readdir(folder)).to.have.length(1);
  });

  it('waits while a command holds the folder', async () => {
    const order: string[] = [];
    const unlock = await lockFolder(folder, 'command');
    const takeNext = async (): Promise<void> => {
      const unlockNext = await lockFolder(folder, 'service');
      order.push('service');
      await unlockNext?.();
    };
    const next = takeNext();
    order.push('command ends');
    await unlock?.();
    await next;
    expect(order).to.deep.equal(['command ends', 'service']);
  });

  it('gives the folder of a dead process to exactly one of several that try at the same time', async () => {
    const child = spawn(process.execPath, ['-e', '']);
    const pid = child.pid ?? 0;
    const startTime = (await processStartTime(pid)) ?? '';
    await once(child, 'exit');
    for (let round = 0; round < 20; round += 1) {
      await leaveLock({ pid, startTime });
      const tries = await Promise.allSettled(Array.from({ length: 8 }, async () => lockFolder(folder, 'service')));
      const won = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
      expect(won).to.have.length(1);
      await won[0]?.();
    }
  });

  it('identifies a process by its id and start time, because ids are used again', async () => {
    expect(await processStartTime(process.pid)).to.be.a('string');
    await leaveLock({ pid: process.pid, startTime: 'long ago' });
    expect(await findHolder(folder)).to.equal(undefined);
    await (
      await lockFolder(folder, 'service')
    )?.();
  });
});
