/** The routes that a sender without a key, or the holder of a payment link, can reach, each with a usual request. */
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { call } from '../faults/load.ts';
import type { Service } from '../faults/service.ts';
import { root } from '../support/start-gateway.ts';

export interface Target {
  /** `<method> <path>`, without the values of this run. */
  readonly route: string;
  readonly method: string;
  readonly path: string;
  readonly query: string;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  /** Longest body that the route may read. */
  readonly bodyBytes: number;
}

/** What the payer's link leads to: its address, and the fields of the page's forms. */
interface Link {
  readonly url: URL;
  readonly fields: Readonly<Record<string, string>>;
}

const documents = ['/', '/docs', '/docs/errors', '/docs/postman.json', '/openapi.json', '/health', '/ready'];
const others = ['/pay/assets/pay.js', '/pay/logos/shop', '/portal', '/portal/open', '/ops', '/there-is-no-such-route'];
const form: readonly (readonly [string, string])[] = [['Content-Type', 'application/x-www-form-urlencoded']];
const json: readonly (readonly [string, string])[] = [['Content-Type', 'application/json']];
/** Limits of the bodies: of a page's form and of a merchant's request, of callbacks, and of the smaller routes. */
const bodyBytes = { usual: 100_000, callback: 65_536, test: 8192, portal: 4096 } as const;

/** All targets of a running service. The link is a new one. */
export async function readTargets(service: Pick<Service, 'url' | 'key'>): Promise<readonly Target[]> {
  const link = await makeLink(service);
  const openapi = (await (await fetch(`${service.url}/openapi.json?all`)).json()) as OpenApi;
  const base = { query: '', headers: [], body: '', bodyBytes: bodyBytes.usual };
  const get = (path: string): Target => ({ ...base, route: `GET ${path}`, method: 'GET', path });
  const post = (path: string, headers: Target['headers'], body: string, limit: number = bodyBytes.callback): Target => {
    return { ...base, route: `POST ${path}`, method: 'POST', path, headers, body, bodyBytes: limit };
  };
  const targets = [
    ...[...documents, ...others].map(get),
    post('/portal/leave', form, 'csrf=a', bodyBytes.portal),
    post('/callbacks/test/form', form, 'transactionId=1&status=paid', bodyBytes.test),
    post('/callbacks/test/json', json, '{"paymentRequest":{"id":1,"status":"paid"}}', bodyBytes.test),
    { ...get('/callbacks/test/text'), query: 'transactionId=1' },
    post('/callbacks/3ds', form, 'MD=a&PaRes=YQ%3D%3D'),
    { ...post('/callbacks/3ds', form, 'cres=YQ'), route: 'POST /callbacks/3ds?t', query: 't=a.b' },
    { ...get('/callbacks/3ds'), query: 't=a.b' },
    ...(await readAdapterTargets()),
    ...payerTargets(link),
    ...merchantTargets(openapi, link.url),
  ];
  // The OpenAPI document names some of the others, too. The first of a route counts.
  return [...new Map(targets.toReversed().map((target) => [target.route, target])).values()].toReversed();
}

/** A payment request with a link that has not been opened yet. */
async function makeLink(service: Pick<Service, 'url' | 'key'>): Promise<Link> {
  const { json } = await call(service, '/payment-requests', JSON.stringify({ amount: 10, unit: 'EUR' }));
  const url = new URL((json as { readonly paymentRequest: { readonly link: string } }).paymentRequest.link);
  const page = await (await fetch(url)).text();
  const fields: Record<string, string> = {};
  for (const [tag] of page.matchAll(/<(?:input|select|textarea|button)\b[^>]*>/g)) {
    const [name, value] = ['name', 'value'].map((one) => new RegExp(`\\b${one}="([^"]*)"`).exec(tag)?.[1]);
    if (name !== undefined) fields[name] ??= value ?? '';
  }
  // Without its CVV the form is refused, so the link can be used again.
  return { url, fields: { ...fields, ...typed } };
}

const typed = { cardNumber: '4111111111111111', expiration: '12/39', cardholderName: 'A B' };

function payerTargets({ url, fields }: Link): Target[] {
  const { pathname: path, search } = url;
  const base = { path, query: search.slice(1), headers: [], body: '', bodyBytes: bodyBytes.usual };
  const body = new URLSearchParams(fields).toString();
  return [
    { ...base, route: 'GET /pay/{id}', method: 'GET' },
    { ...base, route: 'GET /pay/state/{id}', method: 'GET', path: path.replace('/pay/', '/pay/state/') },
    { ...base, route: 'POST /pay/{id}', method: 'POST', headers: form, body },
  ];
}

interface OpenApi {
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The merchants' routes, as a sender without a key can reach them. */
function merchantTargets({ paths }: OpenApi, link: URL): Target[] {
  const id = link.pathname.split('/').at(-1) ?? '1';
  const isMerchants = (path: string): boolean => !/^\/(callbacks|health|pay|ready)/.test(path);
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).flatMap((name): Target[] => {
      const method = name.toUpperCase();
      if (!isMerchants(path) || !['GET', 'POST'].includes(method)) return [];
      const body = method === 'POST' ? '{"amount":10,"unit":"EUR"}' : '';
      const real = path.replaceAll(/\{\w+\}/g, id);
      const headers = [...(body ? json : []), ['X-API-Key', 'gk_test_a'] as const];
      return [{ route: `${method} ${path}`, method, path: real, query: '', headers, body, bodyBytes: bodyBytes.usual }];
    }),
  );
}

interface Callback {
  readonly request: {
    readonly method: string;
    readonly path: string;
    readonly query?: string;
    readonly headers?: readonly (readonly [string, string])[];
    readonly body?: unknown;
  };
}

interface Receiving {
  readonly callbacks: readonly { readonly path: string; readonly maxBodyBytes?: number }[];
}

/** The first callback of each route that an adapter's fixtures have. */
async function readAdapterTargets(): Promise<Target[]> {
  const found = new Map<string, Target>();
  for (const name of await readdir(join(root, 'adapters'))) {
    const file = join(root, 'adapters', name, 'fixtures', 'vectors.json');
    const text = await readFile(file, 'utf8').catch(() => undefined);
    if (text === undefined) continue;
    const { default: adapter } = (await import(`@paywright/${name}`)) as { readonly default: Receiving };
    const limits = new Map(adapter.callbacks.map((route) => [`/callbacks/${route.path}`, route.maxBodyBytes]));
    const { callbacks = [] } = JSON.parse(text) as { readonly callbacks?: Callback[] };
    for (const { request } of callbacks) {
      const { method, path, query = '', headers = [], body = '' } = request;
      const route = `${method} ${path}`;
      if (found.has(route) || typeof body !== 'string') continue;
      found.set(route, {
        route,
        method,
        path,
        query,
        headers,
        body,
        bodyBytes: limits.get(path) ?? bodyBytes.callback,
      });
    }
  }
  return [...found.values()];
}
