/** Errors of the gateway, as Medusa shows them to staff and storefront. */
import { CallError, GatewayError } from '@paywright/client';
import { MedusaError } from '@medusajs/framework/utils';

/** `unknown` is the text if the gateway did not answer or failed, so that it is unknown whether anything was done. */
export function toMedusaError(error: unknown, unknown = 'The payment gateway did not answer. Try again.'): unknown {
  if (error instanceof MedusaError || !(error instanceof CallError)) return error;
  const isRefused = error instanceof GatewayError && error.status !== undefined && error.status < 500;
  const type = isRefused ? MedusaError.Types.NOT_ALLOWED : MedusaError.Types.UNEXPECTED_STATE;
  const text = error instanceof GatewayError && error.code !== 'SYS001' ? error.message : unknown;
  return Object.assign(new MedusaError(type, text), { cause: error });
}

export function refuse(text: string): MedusaError {
  return new MedusaError(MedusaError.Types.NOT_ALLOWED, text);
}
