/** Decides whether the text of a QR code also works as a link on the payer's own device. */

/** Schemes that browsers handle themselves. Their links run or show what the text says instead of opening an app. */
const ofBrowsers: ReadonlySet<string> = new Set([
  'about',
  'blob',
  'data',
  'file',
  'filesystem',
  'javascript',
  'vbscript',
  'view-source',
]);

/** The text if it is a web address or a link into an app, such as `acme-wallet://pay?code=1`. */
export function appLink(text: string): string | undefined {
  const [, scheme] = /^([a-z][a-z0-9+.-]*):\/\/[^\s\p{Cc}\p{Cf}]+$/iu.exec(text) ?? [];
  if (scheme === undefined || ofBrowsers.has(scheme.toLowerCase())) return undefined;
  return URL.canParse(text) ? text : undefined;
}
