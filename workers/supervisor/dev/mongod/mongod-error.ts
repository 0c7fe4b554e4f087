/** Says in one sentence why MongoDB does not run and what to do. To be printed without a stack. */
export class MongodError extends Error {
  override readonly name = 'MongodError';
}
