/**
 * Counts the values of a JSON body without reading it, to know what reading it may cost before anything is verified.
 */

const [quote, backslash, comma, byteOrderMark] = [0x22, 0x5c, 0x2c, 0xef];

/**
 * The most JSON values in a callback whose route accepts bodies of at most `maxBodyBytes`: one value for each 10 bytes.
 */
export function maxJsonValues(maxBodyBytes: number): number {
  return Math.floor(maxBodyBytes / 10);
}

/**
 * The number of objects and lists and all values in them; 0 for a body that is neither. Text that is not JSON is
 * counted as if it were.
 */
export function countJsonValues(body: Uint8Array): number {
  let count = 1;
  let previous = 0;
  for (let at = body[0] === byteOrderMark ? 3 : 0; at < body.length; at += 1) {
    const byte = body[at]!;
    if (byte <= 0x20) continue;
    if (previous === 0 && !isOpening(byte)) return 0;
    if (byte === quote) at = endOfString(body, at);
    // Each value of a list or object except the first follows a comma. The first is counted with its list or object.
    else if (byte === comma || isOpening(byte)) count += 1;
    else if (isClosing(byte) && isOpening(previous)) count -= 1;
    previous = byte;
  }
  return previous === 0 ? 0 : count;
}

function isOpening(byte: number): boolean {
  return byte === 0x5b || byte === 0x7b;
}

function isClosing(byte: number): boolean {
  return byte === 0x5d || byte === 0x7d;
}

/** The end of the string that begins at `at`: its closing quote, or the end of the body. */
function endOfString(body: Uint8Array, at: number): number {
  let end = at + 1;
  while (end < body.length && body[end] !== quote) end += body[end] === backslash ? 2 : 1;
  return end;
}
