/**
 * Makes text of merchants and providers safe for a terminal. Control characters can move the cursor, change colours or
 * write to the clipboard. Direction marks can show text in another order than it is stored.
 */

/** Control characters (C0, DEL, C1), line separators, marks of direction, and halves of surrogate pairs. */
const hidden = /[\p{Cc}\p{Cs}\u061C\u200E\u200F\u2028-\u202E\u2066-\u2069\uFEFF]/gu;

/** Shows each such character as its code, for example `\u001b`. The result is one line, and valid within JSON. */
export function escapeControls(line: string): string {
  return line.replaceAll(hidden, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** The same for text of several lines, whose line ends stay. */
export function escapeControlsInText(text: string): string {
  return text.split('\n').map(escapeControls).join('\n');
}
