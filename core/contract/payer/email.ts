/** E-mail addresses, also with letters that are not ASCII (RFC 6531) and internationalised domains (IDNA 2008). */

/** True for text with one `@`, something before it, and a host name after it. */
export function isEmail(text: string): boolean {
  return /^[^\s@\p{Cc}]+@[^@]+$/u.test(text) && domainOf(text).split('.').every(isLabel);
}

/**
 * A label holds letters, digits, hyphens and, behind them, the marks that many scripts write vowels with (RFC 5892).
 * Zero-width joiners are valid only between certain letters.
 */
function isLabel(label: string): boolean {
  if (!/^[\p{L}\p{N}-][\p{L}\p{N}\p{Mn}\p{Mc}\u200c-\u200d-]*$/u.test(label)) return false;
  return !/[\u200c-\u200d]/.test(label) || toAsciiHost(label) !== undefined;
}

/** Matches text without characters beyond ASCII. */
const ascii = /^[\x20-\x7e]*$/;

/**
 * The address with its domain in ASCII (`xn--…`), for a provider that accepts nothing else. The domain of an address in
 * ASCII stays as typed. Undefined if the part before the `@` is not ASCII: such an address has no other spelling.
 */
export function toAsciiEmail(text: string): string | undefined {
  if (ascii.test(text)) return text;
  const local = text.slice(0, text.lastIndexOf('@'));
  const host = toAsciiHost(domainOf(text));
  return ascii.test(local) && host !== undefined ? `${local}@${host}` : undefined;
}

function domainOf(text: string): string {
  return text.slice(text.lastIndexOf('@') + 1);
}

/** The URL parser converts host names by UTS #46, which keeps `ß` and checks where joiners may be. */
function toAsciiHost(domain: string): string | undefined {
  try {
    return new URL(`http://${domain}`).hostname;
  } catch {
    return undefined;
  }
}
