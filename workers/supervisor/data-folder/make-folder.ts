import { access, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/**
 * Makes a folder that only this user can read, and its parent folders. It does not use `recursive`, which never returns
 * on file systems that make no folders, such as /proc.
 */
export async function makeFolder(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') return;
    const isAboveMissing =
      code === 'ENOENT' &&
      (await access(dirname(folder)).then(
        () => false,
        () => true,
      ));
    if (!isAboveMissing || dirname(folder) === folder) throw error;
    await makeFolder(dirname(folder));
    await mkdir(folder, { mode: 0o700 });
  }
}
