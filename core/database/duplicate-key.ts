/** The server's error code for a duplicate key. */
export const duplicateKey = 11000;

/** True if the database refused a second document with the same unique key. */
export function isDuplicateKey(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === duplicateKey;
}
