import { access, constants } from 'node:fs/promises';
import { StartError } from '../start-error.ts';
import { makeFolder } from './make-folder.ts';

/** Makes the data folder if it does not exist, for this user only. Throws a StartError if it cannot be written. */
export async function openFolder(folder: string): Promise<void> {
  try {
    await makeFolder(folder);
    await access(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    throw new StartError(
      [
        `The data folder ${folder} cannot be written: give this user the right to write there, or set GATEWAY_DATA_DIR to another folder.`,
      ],
      { cause: error },
    );
  }
}
