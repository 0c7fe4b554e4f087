/** The address without its query, which may hold a token: `https://shop.example/hook?…`. */
export function withoutQuery(url: string): string {
  return url.replace(/\?.*$/s, '?…');
}
