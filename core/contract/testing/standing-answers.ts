/** Answers what an adapter asks for on its way to a call: an access token, a key set. */
import type { ProviderHttp } from '../provider.ts';
import { basePath, toHttpReply } from './compare-request.ts';
import type { VectorStanding } from './vector-file.ts';

/** A request of this method and path gets its standing answer; every other goes on to `http`. */
export function withStanding(http: ProviderHttp, standing: readonly VectorStanding[], base: string): ProviderHttp {
  return {
    async send(sent) {
      const path = sent.to === undefined ? basePath(base) + sent.path : sent.path;
      const found = standing.find(({ request }) => request.method === sent.method && request.path === path);
      return found ? toHttpReply(found.reply) : http.send(sent);
    },
  };
}
