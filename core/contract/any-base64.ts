/** Base64 as senders mix it up: of the standard or the URL alphabet, padded or not; undefined for any other text. */
export function readAnyBase64(given: string): Buffer | undefined {
  const bare = given.replace(/={1,2}$/, '');
  const isWhole = bare.length === given.length || given.length % 4 === 0;
  if (!isWhole || !/^[A-Za-z0-9+/_-]+$/.test(bare)) return undefined;
  const url = bare.replaceAll('+', '-').replaceAll('/', '_');
  const bytes = Buffer.from(url, 'base64url');
  // Bits left over in the last character would let two texts mean the same bytes.
  return bytes.toString('base64url') === url ? bytes : undefined;
}
