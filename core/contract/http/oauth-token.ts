/**
 * Access tokens of OAuth 2.0 (RFC 6749), for providers that demand one with each request. A token is kept in
 * `ctx.cache` until shortly before it expires. Concurrent calls load it once. A token that the provider refuses (401)
 * is replaced once, and the request is repeated: the 401 proves that the request was not carried out.
 */
import * as v from 'valibot';
import { hash } from '../proof/signatures.ts';
import { basicAuthorization } from '../proof/basic-auth.ts';
import { filled } from '../proof/options.ts';
import { jsonInteger, lenient, readJsonBody } from '../read/json-schemas.ts';
import {
  MisconfiguredError,
  ProviderCallError,
  type AdapterContext,
  type HttpReply,
  type HttpRequest,
  type Remembered,
} from '../provider.ts';
import { formPost } from './http-request.ts';

/** The members of the context that a token needs. */
export type TokenContext<Options> = Pick<
  AdapterContext<Options>,
  'options' | 'sandbox' | 'baseUrl' | 'http' | 'cache' | 'now'
>;

/** A token as the provider gives it. */
export interface GrantedToken {
  readonly token: string;
  /** The time until it expires, in seconds; undefined if the provider does not say. */
  readonly expiresInSeconds: number | undefined;
}

export interface OauthTokenSetup<Options> {
  /** The name of the provider in reasons. */
  readonly provider: string;
  /**
   * The account that a token belongs to, such as the client id. A token is never used for another account, and never
   * for the other side (test or live).
   */
  readonly account: (options: Options) => string;
  /** The request for a token. `clientCredentials` makes the usual one. It is sent with `chargesNothing`. */
  readonly request: (ctx: TokenContext<Options>) => HttpRequest;
  /** What to check if the provider refuses to give a token: `clientId and clientSecret`. */
  readonly credentials: string;
  /** Reads the token from an answer; undefined if it has none. Default: `access_token` and `expires_in` of a 200. */
  readonly readToken?: (reply: HttpReply) => GrantedToken | undefined;
  /**
   * True if the answer to the request for a token refuses our credentials. Default: any 401, and a 400 or 403 with one
   * of the `error` codes of RFC 6749.
   */
  readonly refusesCredentials?: (reply: HttpReply) => boolean;
  /** Adds the token to a request. Default: `Authorization: Bearer`. */
  readonly authorize?: (request: HttpRequest, token: string) => HttpRequest;
  /**
   * True if the answer says that the token is refused, and that the request was therefore not carried out. Default:
   * 401.
   */
  readonly refusesToken?: (reply: HttpReply) => boolean;
}

export interface OauthToken<Options> {
  /**
   * Sends a request with the token. Throws a `MisconfiguredError` if the provider refuses our credentials, and a
   * `ProviderCallError` with `not_sent` if it gives no token for another reason: nothing was charged. If a new token is
   * refused too, the answer is that refusal.
   */
  send(ctx: TokenContext<Options>, request: HttpRequest): Promise<HttpReply>;
}

/** A token is replaced this many seconds before it expires, or after half of its life if that is later. */
const MARGIN_SECONDS = 60;
/** How long a token is kept if the provider does not say when it expires. */
const UNSTATED_SECONDS = 300;
const LONGEST_SECONDS = 86_400;

/** The provider gave no token, for a reason that is not our configuration. Logs show the name of the error. */
class NoAccessTokenError extends ProviderCallError {
  constructor(message: string) {
    super('not_sent', message);
    this.name = 'NoAccessTokenError';
  }
}

/** How many kinds of tokens this process uses. An adapter may need several for one account, each of another scope. */
let kinds = 0;

/** Makes the sender of requests with an access token. Make one for each kind of token, outside the calls. */
export function oauthToken<Options>(setup: OauthTokenSetup<Options>): OauthToken<Options> {
  const { provider, credentials, readToken = readGrant, authorize = withBearer } = setup;
  const { refusesCredentials = refusesClient, refusesToken = (reply) => reply.status === 401 } = setup;
  const kind = (kinds += 1);

  async function load(ctx: TokenContext<Options>): Promise<Remembered<GrantedToken>> {
    const askedAt = ctx.now().getTime();
    const reply = await ctx.http.send({ ...setup.request(ctx), chargesNothing: true });
    const granted = readToken(reply);
    if (granted) return { value: granted, until: new Date(askedAt + 1000 * keptSeconds(granted)) };
    const answered = `${provider} gave no access token (${describe(reply)})`;
    if (refusesCredentials(reply)) throw new MisconfiguredError(`${answered}: check ${credentials}`);
    throw new NoAccessTokenError(answered);
  }

  return {
    async send(ctx, request) {
      const { sandbox, baseUrl, options, cache, http } = ctx;
      // An account may be a secret, so the key holds only its hash.
      const account = hash('sha256', setup.account(options)).toString('hex');
      const key = `access token ${kind} ${sandbox ? 'test' : 'live'} ${baseUrl} ${account}`;
      const first = await cache.remember(key, () => load(ctx));
      const reply = await http.send(authorize(request, first.token));
      if (!refusesToken(reply)) return reply;
      cache.forget(key, first);
      const second = await cache.remember(key, () => load(ctx));
      return second.token === first.token ? reply : http.send(authorize(request, second.token));
    },
  };
}

/**
 * The request of the grant `client_credentials`: the client authenticates with basic authentication. `members` are
 * further members of the form, such as `scope`.
 */
export function clientCredentials(
  path: string,
  client: { readonly id: string; readonly secret: string },
  members: Readonly<Record<string, string | undefined>> = {},
): HttpRequest {
  const { headers, ...request } = formPost(path, { grant_type: 'client_credentials', ...members });
  return { ...request, headers: { ...headers, Authorization: basicAuthorization(client.id, client.secret) } };
}

function withBearer(request: HttpRequest, token: string): HttpRequest {
  return { ...request, headers: { ...request.headers, Authorization: `Bearer ${token}` } };
}

function keptSeconds({ expiresInSeconds = UNSTATED_SECONDS }: GrantedToken): number {
  return Math.min(Math.max(expiresInSeconds - MARGIN_SECONDS, expiresInSeconds / 2, 0), LONGEST_SECONDS);
}

/** Some servers write the seconds as text. */
const seconds = v.union([jsonInteger(), v.pipe(v.string(), v.regex(/^\d{1,9}$/), v.transform(Number))]);
const Grant = v.object({
  // A token that HTTP does not allow in a header could never be sent.
  access_token: v.pipe(filled, v.regex(/^[\x21-\x7e]+$/)),
  expires_in: lenient(seconds),
});

function readGrant(reply: HttpReply): GrantedToken | undefined {
  const grant = reply.status === 200 ? readJsonBody(Grant, reply) : undefined;
  return grant && { token: grant.access_token, expiresInSeconds: grant.expires_in };
}

/** The codes with which a token endpoint refuses the client (RFC 6749, section 5.2). */
const refusals = ['invalid_client', 'invalid_grant', 'unauthorized_client', 'unsupported_grant_type', 'invalid_scope'];
const Refusal = v.object({ error: v.picklist(refusals) });

function refusesClient(reply: HttpReply): boolean {
  return reply.status === 401 || ([400, 403].includes(reply.status) && readJsonBody(Refusal, reply) !== undefined);
}

/** Names the status, and only an error code that is known: any other text could repeat what was sent. */
function describe(reply: HttpReply): string {
  return [reply.status, readJsonBody(Refusal, reply)?.error].filter(Boolean).join(' ');
}
