/** A sandbox's answers as data: complete, cut in the middle, or none at all. */
import type { ServerResponse } from 'node:http';
import { sandboxRuleHeader } from '../sandbox-rule.ts';
import { stringifyExact } from '../read/json.ts';
import type { AmountRule, CardBehaviour } from './test-cards.ts';

export interface Reply {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array;
  /** `cut`: the connection ends in the middle of the body. `close`: it ends without any answer. */
  readonly fault?: 'cut' | 'close';
}

type Headers = Readonly<Record<string, string>>;

/** A JSON answer; each `JsonNumber` is written digit for digit. */
export function jsonReply(status: number, value: unknown, headers: Headers = {}): Reply {
  return { status, headers: { 'Content-Type': 'application/json', ...headers }, body: stringifyExact(value) };
}

/** An answer in plain text. */
export function textReply(status: number, body: string, headers: Headers = {}): Reply {
  return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers }, body };
}

/** An answer that is an HTML page. */
export function htmlReply(status: number, body: string, headers: Headers = {}): Reply {
  return { status, headers: { 'Content-Type': 'text/html; charset=utf-8', ...headers }, body };
}

/** Redirects a browser by GET. */
export function redirectReply(location: string): Reply {
  return { status: 303, headers: { Location: location } };
}

/** The page that a proxy in front of the provider shows (rule `.52`). */
export const html502: Reply = htmlReply(502, '<html><body><h1>Bad Gateway</h1></body></html>');

/** The connection is closed without an answer. */
export const noAnswer: Reply = { status: 0, fault: 'close' };

/** The same answer, cut in the middle (rule `.53`). */
export function cut(reply: Reply): Reply {
  return { ...reply, fault: 'cut' };
}

/**
 * Applies a submission's rules to its answer after the charge: `.53` cuts the answer, a silent card closes the
 * connection.
 */
export function faulty(reply: Reply, rule: AmountRule | undefined, card?: CardBehaviour): Reply {
  if (card?.kind === 'silent') return { ...reply, fault: 'close' };
  return rule === '.53' ? cut(reply) : reply;
}

/**
 * The answer that an amount's rule gives before anything is charged; undefined: continue and charge. `first` says
 * whether this is the first request under the submission's key (`.51` refuses only the first).
 */
export function troubleBefore(
  rule: AmountRule | undefined,
  first: () => boolean,
  answers: {
    /** The answer to `.50`, in the provider's own format. */
    readonly error: Reply;
    /** The answer to `.51`; the header `Retry-After: 1` is added. */
    readonly tooMany: Reply;
  },
): Reply | undefined {
  if (rule === '.50') return withRule(answers.error, rule);
  if (rule === '.51' && first()) {
    return { ...answers.tooMany, status: 429, headers: { ...answers.tooMany.headers, 'Retry-After': '1' } };
  }
  return rule === '.52' ? withRule(html502, rule) : undefined;
}

/** Says in a header which rule caused the answer, so that the gateway can tell the merchant's developer. */
function withRule(reply: Reply, rule: AmountRule): Reply {
  return { ...reply, headers: { ...reply.headers, [sandboxRuleHeader]: rule } };
}

/** Writes the answer, with its fault. */
export function writeReply(response: ServerResponse, { status, headers = {}, body = '', fault }: Reply): void {
  if (fault === 'close') {
    response.destroy();
    return;
  }
  const bytes = Buffer.from(body);
  const said = fault === 'cut' ? { ...headers, [sandboxRuleHeader]: '.53' } : headers;
  response.writeHead(status, { ...said, ...(status === 204 ? {} : { 'Content-Length': String(bytes.length) }) });
  if (fault !== 'cut') {
    response.end(bytes);
    return;
  }
  // Destroy only after the first half was handed to the system: earlier, the headers would be lost too.
  response.write(bytes.subarray(0, Math.max(1, Math.floor(bytes.length / 2))), () => response.destroy());
}
