import { GatewayError } from '../../../base/errors.ts';

/** Creates VAL002. The message names what is wrong and never contains the value of an option. */
export function accountProblem(message: string): GatewayError {
  return new GatewayError('INVALID_FORMAT', message, { details: { field: 'account', errors: [] } });
}
