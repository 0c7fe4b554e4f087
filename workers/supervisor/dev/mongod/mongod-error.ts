/** What keeps MongoDB from running, as one sentence with its cure: to be printed without a stack. */
export class MongodError extends Error {
  override readonly name = 'MongodError';
}
