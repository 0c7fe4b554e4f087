/**
 * The beginning of a receiver's answer, as text that may be stored with the attempt and shown to operators and to the
 * merchant. It tells the merchant what its receiver says; only the status decides what the attempt means.
 */
import { maskText } from '../../base/log/log-masks.ts';

/** The most characters that are kept. Enough for an error page's title or the message of a JSON error. */
export const keptCharacters = 500;
/** Bytes of an answer that are read. More than is kept, so that a card number at the cut is masked as a whole. */
export const readBytes = 2048;

/** Text, JSON, XML and HTML. An answer without a type may be text, too. */
const textTypes = /^\s*(?:$|text\/|application\/(?:[\w.+-]+\+)?(?:json|xml)\b)/i;
/** Bytes that are not text: control characters other than white space, or not valid UTF-8. */
const notText = /[^\P{Cc}\t\n\r\f]|\uFFFD/u;
/** The first half of a character that the cut has divided. */
const cutCharacter = /[\uD800-\uDBFF]$/;

/** `bytes`: the first `readBytes` of the body. Undefined if there is no text that may be kept. */
export function toAnswerExcerpt(contentType: string | undefined, bytes: Uint8Array): string | undefined {
  if (bytes.length === 0 || !textTypes.test(contentType ?? '')) return undefined;
  // In a stream, the decoder keeps back a character that is cut at the end.
  const text = new TextDecoder().decode(bytes, { stream: true });
  if (notText.test(text)) return undefined;
  const kept = maskText(text).trim().slice(0, keptCharacters).replace(cutCharacter, '');
  return kept === '' ? undefined : kept;
}
