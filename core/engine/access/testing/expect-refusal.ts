import { expect } from 'chai';
import { GatewayError } from '../../../base/errors.ts';
import type { ErrorKind } from '../../../base/errors.ts';

/** The error of the kind that the call ends with. */
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
