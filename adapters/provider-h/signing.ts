/** H's digest: HMAC-SHA512 over a message's canonical text, in which every number keeps its spelling. */
import { hmac, readJson, readJsonText, utf8, writeJson } from '@gateway/contract';

const limits = { maxDepth: 16 } as const;

/** A message of H's with its text; undefined where it is not strict JSON in UTF-8, or nests deeper than 16. */
export function readMessage(body: Uint8Array): { readonly text: string; readonly message: unknown } | undefined {
  const text = utf8(body);
  const message = readJson(text, limits);
  return text === undefined || message === undefined ? undefined : { text, message };
}

/** Members sorted at every depth, no space outside strings. Throws a `JsonError` where the text is not strict JSON. */
export function canonicalText(text: string): string {
  return writeJson(readJsonText(text, limits), { sorted: true });
}

/** `signed` is a canonical text, or the target of a request without body. */
export function digestOf(secret: string, signed: string): Buffer {
  return hmac('sha512', secret, signed);
}
