import { StartError } from '../start-error.ts';

/**
 * Imports what needs a package that only development needs, and that a production install leaves out. Throws a
 * StartError that names the package and the cure where it is not there.
 */
export async function importOptional<T>(
  load: () => Promise<T>,
  { name, neededFor, instead }: { readonly name: string; readonly neededFor: string; readonly instead: string },
): Promise<T> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    const isMissing = (code === 'ERR_MODULE_NOT_FOUND' || code === 'MODULE_NOT_FOUND') && message.includes(`'${name}'`);
    if (!isMissing) throw error;
    throw new StartError(
      [
        `${neededFor} needs the package ${name}, which is not installed: run npm install --include=optional, or ${instead}.`,
      ],
      { cause: error },
    );
  }
}
