/** What core lends an adapter for one call. */
import {
  baseUrl as address,
  v,
  type HttpRequest,
  type Provider,
  type ProviderCache,
  type ProviderHttp,
} from '@gateway/contract';
import { LentHttpError } from './http/provider-http.ts';
import type { ActiveAdapter, AdapterOptions } from './load/load-adapters.ts';

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
    http: toAddresses(active, baseUrl, createHttp),
    cache,
    now,
    random,
    publicUrl,
    callbackUrl: (route) => `${publicUrl}/callbacks/${route}`,
    returnUrl: (paymentRequestId) => `${publicUrl}/pay/${paymentRequestId}`,
    ...(threeDsToken === undefined ? {} : { threeDsToken }),
  };
}

/** Sends to the base address, or to another that the options hold; to none else. */
function toAddresses({ options }: ActiveAdapter, baseUrl: string, createHttp: Loan['createHttp']): ProviderHttp {
  const main = createHttp(baseUrl);
  const others = options as unknown as Readonly<Record<string, unknown>>;
  return {
    send(request: HttpRequest) {
      const { to } = request;
      if (to === undefined) return main.send(request);
      const other = Object.hasOwn(others, to) ? others[to] : undefined;
      if (!v.is(address, other)) throw new LentHttpError('not_sent', `no option ${to} holds an address`);
      return createHttp(other).send(request);
    },
  };
}
