/** An address to listen on, or the names of the settings for its parts. */
export interface ListenAddress<P = number> {
  readonly host: string;
  readonly port: P;
}

/**
 * Explains in one sentence why the process cannot listen on the address, and what to do. `settings` are the names of
 * the settings to change, by default those of the API.
 */
export function listenProblem(
  { code = '', message }: NodeJS.ErrnoException,
  { host, port }: ListenAddress,
  settings: ListenAddress<string> = { host: 'HOST', port: 'PORT' },
): string {
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} of ${host} is in use: stop the program that uses it, or set ${settings.port} to another port`,
    EACCES: `port ${port} of ${host} needs permissions that this process does not have: set ${settings.port} to a port above 1023`,
    EADDRNOTAVAIL: `${host} is not an address of this machine: set ${settings.host} to an address of this machine, for example 127.0.0.1`,
    ENOTFOUND: `the host name ${host} is unknown: set ${settings.host} to an address of this machine`,
  };
  return why[code] ?? `cannot listen on port ${port} of ${host}: ${message}`;
}
