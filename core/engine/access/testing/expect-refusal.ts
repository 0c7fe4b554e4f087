import { expect } from 'chai';
import { GatewayError } from '../../../base/errors.ts';
import type { ErrorKind } from '../../../base/errors.ts';

/** Expects the call to fail with an error of this kind, and returns the error. */
export async function expectRefusal(kind: ErrorKind, call: () => unknown): Promise<GatewayError> {
  try {
    await call();
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(error.kind).to.equal(kind);
    return error;
  }
  throw new Error(`expected ${kind}, but the call succeeded`);
}
