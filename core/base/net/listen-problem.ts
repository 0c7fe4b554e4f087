/** An address to listen on, or the settings that name its parts. */
export interface ListenAddress<P = number> {
  readonly host: string;
  readonly port: P;
}

/** Why nobody can listen there, and the cure, in a sentence. `settings`: those of the API, unless others are named. */
export function listenProblem(
  { code = '', message }: NodeJS.ErrnoException,
  { host, port }: ListenAddress,
  settings: ListenAddress<string> = { host: 'HOST', port: 'PORT' },
): string {
  const why: Readonly<Record<string, string>> = {
    EADDRINUSE: `port ${port} of ${host} is in use: stop what listens there, or set ${settings.port} to another one`,
    EACCES: `port ${port} of ${host} needs rights that this process lacks: set ${settings.port} to one above 1023`,
    EADDRNOTAVAIL: `${host} is no address of this machine: set ${settings.host} to one that is, such as 127.0.0.1`,
    ENOTFOUND: `the host name ${host} is not known here: set ${settings.host} to an address of this machine`,
  };
  return why[code] ?? `cannot listen on port ${port} of ${host}: ${message}`;
}
