/** The server's code of it. */
export const duplicateKey = 11000;

/** True for the database's refusal of a second document with the same unique key. */
export function isDuplicateKey(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && error.code === duplicateKey;
}
