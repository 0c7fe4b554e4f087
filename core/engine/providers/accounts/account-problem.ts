import { GatewayError, type FieldError } from '../../../base/errors.ts';

/** Creates VAL002. The message names what is wrong and never contains the value of an option. */
export function accountProblem(message: string, errors: readonly FieldError[] = []): GatewayError {
  return new GatewayError('INVALID_FORMAT', message, {
    details: { field: errors[0]?.field ?? 'account', value: null, errors },
  });
}

/** Creates VAL002 about one setting, such as `fee` or `options.key`. */
export function settingProblem(field: string, message: string): GatewayError {
  return accountProblem(`${field}: ${message}`, [{ field, value: null, message }]);
}

/** Creates VAL002 about the name of a new account. */
export function nameProblem(message: string): GatewayError {
  return accountProblem(message, [{ field: 'name', value: null, message }]);
}
