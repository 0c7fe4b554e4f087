import { access, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes a folder for this user only, with the folders above it. Not by `recursive`, which never ends where a file system such as /proc makes no folders. */
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
