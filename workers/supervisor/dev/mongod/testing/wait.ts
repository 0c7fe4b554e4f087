import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

/** Waits until the condition holds; fails after 30 s. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const limit = Date.now() + 30_000;
  while (!(await holds())) {
    if (Date.now() > limit) throw new Error(`Waited 30 s in vain until ${what}.`);
    await sleep(20);
  }
}

const folders: string[] = [];

export async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'gateway-test-'));
  folders.push(folder);
  return folder;
}

export async function removeFolders(): Promise<void> {
  await Promise.all(folders.splice(0).map(async (folder) => rm(folder, { recursive: true, force: true })));
}
