/** Country codes as merchants send them. */

/** `UK` is reserved for the United Kingdom in ISO 3166-1, and the European Union writes `EL` for Greece. */
const corrections: Readonly<Record<string, string>> = { UK: 'GB', EL: 'GR' };

/**
 * The code in capital letters, with the two well-known wrong codes corrected. `XK` (Kosovo) is user-assigned and stays;
 * an adapter maps it if its provider expects another code.
 */
export function toCountry(text: string): string {
  const code = text.trim().toUpperCase();
  return corrections[code] ?? code;
}
