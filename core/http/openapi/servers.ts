/**
 * The addresses of the service. The public address comes first, because code generators use the first server and most
 * cannot resolve a relative one. The relative address is valid under every host name.
 */
import type { OpenApiDocument } from './model.ts';

type Server = OpenApiDocument['servers'][number];

export interface Servers {
  readonly bare: Server;
  readonly versioned: Server;
  readonly relative: Server;
}

export function toServers(publicUrl: string): Servers {
  const { pathname } = new URL(publicUrl);
  return {
    bare: { url: publicUrl, description: 'Without a version in the path.' },
    versioned: { url: `${publicUrl}/v2`, description: 'The same calls, with the major version in the path.' },
    relative: { url: pathname, description: 'The host from which this document was loaded.' },
  };
}
