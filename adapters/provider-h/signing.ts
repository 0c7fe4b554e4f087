/** H's digest: HMAC-SHA512 over a message's canonical text, in which every number keeps its spelling. */
import { hmac, JsonError, readJsonText, toPlain, utf8, writeJson, type JsonValue } from '@paywright/contract';

const limits = { maxDepth: 16 } as const;

export interface Message {
  readonly text: string;
  /** The parsed message with every number in its original spelling: the source of the canonical text. */
  readonly value: JsonValue;
  /** The same message for a schema. */
  readonly message: unknown;
}

/** Parses a message of H with its text. Undefined if it is not strict JSON in UTF-8, or nests deeper than 16. */
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

/** Like `canonicalOf`. Throws a `JsonError` if the text is not strict JSON. */
export function canonicalText(text: string): string {
  return canonicalOf(readJsonText(text, limits));
}

/** `signed` is a canonical text, or the target of a request without a body. */
export function digestOf(secret: string, signed: string): Buffer {
  return hmac('sha512', secret, signed);
}
