/** How many values a JSON body holds, counted without reading it: what reading it may cost, before anything is proven. */

const [quote, backslash, comma, byteOrderMark] = [0x22, 0x5c, 0x2c, 0xef];

/** Of a callback whose route takes bodies of at most `maxBodyBytes`: one value for each 10 bytes. */
export function maxJsonValues(maxBodyBytes: number): number {
  return Math.floor(maxBodyBytes / 10);
}

/** Objects, lists, and all that they hold; 0 for a body that is neither. What is no JSON is counted as if it were. */
export function countJsonValues(body: Uint8Array): number {
  let count = 1;
  let previous = 0;
  for (let at = body[0] === byteOrderMark ? 3 : 0; at < body.length; at += 1) {
    const byte = body[at]!;
    if (byte <= 0x20) continue;
    if (previous === 0 && !isOpening(byte)) return 0;
    if (byte === quote) at = endOfString(body, at);
    // Each value but the first of a list or object follows a comma; the first is counted with what holds it.
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

/** Where the string ends that begins at `at`: its closing quote, or the end of the body. */
function endOfString(body: Uint8Array, at: number): number {
  let end = at + 1;
  while (end < body.length && body[end] !== quote) end += body[end] === backslash ? 2 : 1;
  return end;
}
