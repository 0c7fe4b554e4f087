/** Answers the requests that an adapter may make before its actual call: for an access token, or a key set. */
import type { ProviderHttp } from '../provider.ts';
import { basePath, toHttpReply } from './compare-request.ts';
import { noAnswer } from './scripted-provider.ts';
import type { CallbackVector, CallVector, VectorFile, VectorStanding } from './vector-file.ts';

/** The standing answers of one vector: its own come before those of the file. */
export function standingOf(
  file: Pick<VectorFile, 'standing'>,
  vector: Pick<CallbackVector | CallVector, 'standing'>,
): VectorStanding[] {
  return [...vector.standing, ...file.standing];
}

/** Answers a request with the first standing answer whose method and path match; any other request goes to `http`. */
export function withStanding(http: ProviderHttp, standing: readonly VectorStanding[], base: string): ProviderHttp {
  return {
    async send(sent) {
      const path = sent.to === undefined ? basePath(base) + sent.path : sent.path;
      const found = standing.find(({ request }) => request.method === sent.method && request.path === path);
      if (!found) return http.send(sent);
      return found.reply ? toHttpReply(found.reply) : noAnswer();
    },
  };
}
