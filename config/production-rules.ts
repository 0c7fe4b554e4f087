/** The rules of production, in addition to the schema. */
import { valueAt } from './settings.ts';
import type { Problem } from './settings.ts';

/** Secrets that other environments make at the first start, and the variables that production.yaml reads them from. */
const productionSecrets = {
  'security.encryptionKey': 'GATEWAY_ENCRYPTION_KEY',
  'threeDs.tokenSecrets': 'GATEWAY_3DS_TOKEN_SECRET',
};

export function productionProblems(settings: unknown): Problem[] {
  const problems: Problem[] = [];
  const url = valueAt(settings, ['server', 'publicUrl']);
  if (typeof url !== 'string' || !/^https:/i.test(url)) {
    const message = 'must be an https address in production; set PUBLIC_URL';
    problems.push({ path: ['server', 'publicUrl'], message });
  }
  for (const [path, variable] of Object.entries(productionSecrets)) {
    const message = `must be set in production; set ${variable}`;
    if (valueAt(settings, path.split('.')) === undefined) problems.push({ path: path.split('.'), message });
  }
  const uri = valueAt(settings, ['database', 'uri']);
  const allowsInsecure = String(valueAt(settings, ['database', 'allowInsecure'])) === 'true';
  const missing = typeof uri === 'string' && !allowsInsecure ? missingProtections(uri) : [];
  if (missing.length > 0) {
    const message = `has no ${missing.join(' and no ')}: anyone who reaches the database can mark payments paid; add them to MONGODB_URI, or set database.allowInsecure: true if its network is closed`;
    problems.push({ path: ['database', 'uri'], message });
  }
  return problems;
}

/** With any of these options, a server in the middle can pose as the database. */
const uncheckedTls = ['tlsInsecure', 'tlsAllowInvalidCertificates', 'tlsAllowInvalidHostnames'];

/** The protections that the database address lacks. */
export function missingProtections(uri: string): string[] {
  const queryAt = uri.indexOf('?');
  const [address, query] = queryAt < 0 ? [uri, ''] : [uri.slice(0, queryAt), uri.slice(queryAt + 1)];
  const [, scheme = '', login] = /^(mongodb(?:\+srv)?):\/\/(?:([^/]*)@)?/i.exec(address) ?? [];
  const options = new Map([...new URLSearchParams(query)].map(([name, value]) => [name.toLowerCase(), value]));
  const proves = /^(MONGODB-X509|MONGODB-AWS|MONGODB-OIDC|GSSAPI)$/i.test(options.get('authmechanism') ?? '');
  const hasPassword = login !== undefined && /^[^:]+:./.test(login);
  const tls = options.get('tls') ?? options.get('ssl') ?? String(/srv$/i.test(scheme));
  const unchecked = uncheckedTls.filter((name) => (options.get(name.toLowerCase()) ?? 'false') !== 'false');
  return [
    ...(proves || hasPassword ? [] : ['credentials']),
    ...(tls === 'true' ? [] : ['TLS (tls=true)']),
    ...unchecked.map((name) => `check of the server's identity (${name}=false)`),
  ];
}
