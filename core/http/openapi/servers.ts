/** The addresses of the service, relative to the document, so that they are valid under every host name. */
import type { OpenApiDocument } from './model.ts';

type Servers = OpenApiDocument['servers'];

export function servers(publicUrl: string): readonly [bare: Servers[number], versioned: Servers[number]] {
  const { pathname } = new URL(publicUrl);
  const prefix = pathname === '/' ? '' : pathname;
  return [
    { url: prefix || '/', description: 'Without a version in the path.' },
    { url: `${prefix}/v2`, description: 'The same calls, with the major version in the path.' },
  ];
}
