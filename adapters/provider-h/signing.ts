/** H's digest: HMAC-SHA512 over a message's canonical text, in which every number keeps its spelling. */
import { hmac, JsonError, readJsonText, toPlain, utf8, writeJson, type JsonValue } from '@paywright/contract';

const limits = { maxDepth: 16 } as const;

export interface Message {
  readonly text: string;
  /** As it was read, every number as spelled: what the canonical text is made of. */
  readonly value: JsonValue;
  /** The same for a schema. */
  readonly message: unknown;
}

/** A message of H's with its text; undefined where it is not strict JSON in UTF-8, or nests deeper than 16. */
export function readMessage(body: Uint8Array): Message | undefined {
  const text = utf8(body);
  if (text === undefined) return undefined;
  try {
    const value = readJsonText(text, limits);
    return { text, value, message: toPlain(value) };
  } catch (error) {
    if (error instanceof JsonError) return undefined;
    throw error;
  }
}

/** Members sorted at every depth, no space outside strings. */
export function canonicalOf(value: JsonValue): string {
  return writeJson(value, { sorted: true });
}

/** As `canonicalOf`. Throws a `JsonError` where the text is not strict JSON. */
export function canonicalText(text: string): string {
  return canonicalOf(readJsonText(text, limits));
}

/** `signed` is a canonical text, or the target of a request without body. */
export function digestOf(secret: string, signed: string): Buffer {
  return hmac('sha512', secret, signed);
}
