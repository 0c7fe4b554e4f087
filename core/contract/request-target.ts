/** What a signature over a request's address covers: path and query from the host on, with the path of the base address. */
export function requestTarget(baseUrl: string, path: string): string {
  return new URL(baseUrl).pathname.replace(/\/$/, '') + path;
}
