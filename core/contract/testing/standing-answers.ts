/** Answers the requests that an adapter may make before its actual call: for an access token, or a key set. */
import type { ProviderHttp } from '../provider.ts';
import { basePath, toHttpReply } from './compare-request.ts';
import type { VectorStanding } from './vector-file.ts';

/** Answers a request with its standing answer if method and path match; every other request goes to `http`. */
export function withStanding(http: ProviderHttp, standing: readonly VectorStanding[], base: string): ProviderHttp {
  return {
    async send(sent) {
      const path = sent.to === undefined ? basePath(base) + sent.path : sent.path;
      const found = standing.find(({ request }) => request.method === sent.method && request.path === path);
      return found ? toHttpReply(found.reply) : http.send(sent);
    },
  };
}
