/** The user and the key file of our own mongod: made once, kept with its data, and readable only by this user. */
import { randomBytes } from 'node:crypto';
import { chmod, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as v from 'valibot';
import { MongodError } from './mongod-error.ts';

export interface Credentials {
  readonly user: string;
  readonly password: string;
  /** The key that members of a replica set authenticate with. mongod requires it when it requires a password. */
  readonly keyFile: string;
}

const names = { user: 'gateway-user.json', key: 'gateway.key' };
const KeptUser = v.pipe(v.string(), v.parseJson(), v.object({ user: v.string(), password: v.string() }));

export async function keepCredentials(dbPath: string): Promise<Credentials> {
  const keyFile = join(dbPath, names.key);
  const [kept, key] = await Promise.all([read(join(dbPath, names.user)), read(keyFile)]);
  if (key === undefined) await write(keyFile, randomBytes(96).toString('base64'));
  // mongod refuses a key file that others can read, which may happen after a copy.
  await chmod(keyFile, 0o600);
  if (kept !== undefined) {
    const { success, output } = v.safeParse(KeptUser, kept);
    if (!success) throw new MongodError(`${join(dbPath, names.user)} is damaged: restore it from a copy.`);
    return { ...output, keyFile };
  }
  const made = { user: 'gateway', password: randomBytes(24).toString('hex') };
  await write(join(dbPath, names.user), `${JSON.stringify(made)}\n`);
  return { ...made, keyFile };
}

async function read(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined;
    throw error;
  });
}

async function write(path: string, text: string): Promise<void> {
  await writeFile(`${path}.draft`, text, { mode: 0o600, flush: true });
  await rename(`${path}.draft`, path);
}
