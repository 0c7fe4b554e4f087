/** The context that core passes to an adapter for one call. */
import {
  baseUrl as address,
  v,
  type HttpRequest,
  type AdapterContext,
  type AdapterState,
  type ProviderCache,
  type ProviderHttp,
} from '@paywright/contract';
import { callbackPath } from './account-ref.ts';
import { ProviderHttpError } from './http/provider-http.ts';
import type { ActiveAdapter, AdapterOptions } from './load/load-adapters.ts';

export interface AdapterContextOptions {
  readonly sandbox: boolean;
  /** Without a slash at the end. */
  readonly publicUrl: string;
  /** The address that the payer returns to. */
  readonly returnUrl: (paymentRequestId: string) => string;
  readonly now: () => Date;
  readonly random: (size: number) => Uint8Array;
  readonly cache: ProviderCache;
  readonly createHttp: (baseUrl: string) => ProviderHttp;
  readonly keep: (state: AdapterState) => void;
  readonly threeDsToken?: string | undefined;
}

/** The address of a call. */
export function baseUrlOf({ options, sandboxOptions }: ActiveAdapter, sandbox: boolean): string {
  return sandbox ? sandboxOptions.sandboxBaseUrl : options.baseUrl;
}

/** Returns the sides that payments of this environment use. True is the sandbox. */
export function sidesOf({ takesTestPayments }: ActiveAdapter, { liveKeys }: { readonly liveKeys: boolean }): boolean[] {
  return [...(liveKeys ? [false] : []), ...(takesTestPayments ? [true] : [])];
}

/** The options of one side. */
export function optionsOf({ options, sandboxOptions }: ActiveAdapter, sandbox: boolean): AdapterOptions {
  return sandbox ? sandboxOptions : options;
}

export function createAdapterContext(
  active: ActiveAdapter,
  setup: AdapterContextOptions,
): AdapterContext<AdapterOptions> {
  const { sandbox, publicUrl, returnUrl, now, random, cache, createHttp, keep, threeDsToken } = setup;
  const baseUrl = baseUrlOf(active, sandbox);
  const options = optionsOf(active, sandbox);
  return {
    options,
    sandbox,
    baseUrl,
    http: toAddresses(options, baseUrl, createHttp),
    cache,
    now,
    random,
    keep,
    publicUrl,
    callbackUrl: (route) => `${publicUrl}/callbacks/${callbackPath(route, active.account)}`,
    returnUrl,
    cancelUrl: (paymentRequestId) => cancelAddress(returnUrl(paymentRequestId)),
    ...(threeDsToken === undefined
      ? {}
      : { threeDsToken, threeDsReturnUrl: `${publicUrl}/callbacks/3ds?t=${threeDsToken}` }),
  };
}

/** The return address with the mark of a payer who gave up. */
function cancelAddress(returnAddress: string): string {
  return `${returnAddress}${returnAddress.includes('?') ? '&' : '?'}cancelled=1`;
}

/** Sends only to the base address, or to an address in the options. */
function toAddresses(
  options: AdapterOptions,
  baseUrl: string,
  createHttp: AdapterContextOptions['createHttp'],
): ProviderHttp {
  const main = createHttp(baseUrl);
  const others = options as unknown as Readonly<Record<string, unknown>>;
  return {
    send(request: HttpRequest) {
      const { to } = request;
      if (to === undefined) return main.send(request);
      const other = Object.hasOwn(others, to) ? others[to] : undefined;
      if (!v.is(address, other)) throw new ProviderHttpError('not_sent', `the options have no address named ${to}`);
      return createHttp(other).send(request);
    },
  };
}
