/**
 * The signers of a provider, which an adapter's package exports from `<package>/sandbox`. The kit and `paywright
 * vectors --sign` use them.
 */
import type { RawCallback } from '../callback.ts';
import type { HttpReply, HttpRequest } from '../provider.ts';
import type { ProviderSide } from '../sandbox/sandbox-contract.ts';

/**
 * Signs a callback as the provider does: with the current secret of the options, or with the private key of
 * `providerSide`, and with the time and the id that the callback came with. Exported as `signCallback`.
 */
export type SignCallback<Options> = {
  // The syntax of a method: a signer may require `providerSide`, and code of contract 2.0 still calls it without.
  sign(raw: RawCallback, options: Options, providerSide?: ProviderSide): RawCallback;
}['sign'];

/**
 * Signs an answer as the provider does, with the time and the nonce that the answer came with. An answer that the
 * protocol does not sign (an error, for example) is returned unchanged. Exported as `signAnswer`.
 */
export type SignAnswer<Options> = (
  reply: HttpReply,
  options: Options,
  providerSide: ProviderSide,
  request: HttpRequest,
) => HttpReply;

export interface Signers<Options> {
  readonly signCallback?: SignCallback<Options>;
  readonly signAnswer?: SignAnswer<Options>;
}
