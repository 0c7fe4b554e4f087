/** Telling F that what a fetch showed is stored: until then it repeats its ping. */
import type { HttpReply, HttpRequest } from '@gateway/contract';
import { dealPath, post, readFault } from './wire.ts';
import type { Options } from './options.ts';

/** `mark` is the deal's, in digits, as the fetch noted it. */
export function seenRequest(options: Options, id: string, mark: string): HttpRequest {
  return post(options, dealPath(id, '/seen'), { mark: Number(mark) });
}

export function seenResult(reply: HttpReply): 'done' | 'changed' | 'later' {
  switch (reply.status) {
    case 204:
    // Nothing to see any more.
    case 404:
    case 410:
      return 'done';
    case 409:
      return readFault(reply)?.code === 'mark_moved' ? 'changed' : 'later';
    default:
      return 'later';
  }
}
