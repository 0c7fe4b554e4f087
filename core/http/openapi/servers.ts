/** Where the service is reached, relative to the document: so it holds under every host name. */
import type { OpenApiDocument } from './model.ts';

type Servers = OpenApiDocument['servers'];

export function servers(publicUrl: string): readonly [bare: Servers[number], versioned: Servers[number]] {
  const { pathname } = new URL(publicUrl);
  const prefix = pathname === '/' ? '' : pathname;
  return [
    { url: prefix || '/', description: 'Without a version.' },
    { url: `${prefix}/v2`, description: 'The same, by major version.' },
  ];
}
