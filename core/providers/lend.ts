/** What core lends an adapter for one call. */
import type { Provider, ProviderCache, ProviderHttp } from '@gateway/contract';
import type { ActiveAdapter, AdapterOptions } from './load-adapters.ts';

export interface Loan {
  readonly sandbox: boolean;
  /** Without a slash at its end. */
  readonly publicUrl: string;
  readonly now: () => Date;
  readonly random: (size: number) => Uint8Array;
  readonly cache: ProviderCache;
  readonly createHttp: (baseUrl: string) => ProviderHttp;
  readonly threeDsToken?: string | undefined;
}

/** The address that a call goes to. */
export function baseUrlOf({ options }: ActiveAdapter, sandbox: boolean): string {
  return sandbox ? options.sandboxBaseUrl : options.baseUrl;
}

export function lendProvider(active: ActiveAdapter, loan: Loan): Provider<AdapterOptions> {
  const { sandbox, publicUrl, now, random, cache, createHttp, threeDsToken } = loan;
  const baseUrl = baseUrlOf(active, sandbox);
  return {
    options: active.options,
    sandbox,
    baseUrl,
    http: createHttp(baseUrl),
    cache,
    now,
    random,
    publicUrl,
    callbackUrl: (route) => `${publicUrl}/callbacks/${route}`,
    returnUrl: (paymentRequestId) => `${publicUrl}/pay/${paymentRequestId}`,
    ...(threeDsToken === undefined ? {} : { threeDsToken }),
  };
}
