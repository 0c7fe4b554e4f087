import { StartError } from '../start-error.ts';

/**
 * Imports a module that needs a package which only development needs and a production install leaves out. If the
 * package is missing, throws a StartError that names it and what to do.
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
