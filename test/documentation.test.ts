/** The documentation that a gateway serves: pages, links, search, and the links in responses that lead to it. */
import { expect } from 'chai';
import { after, before, describe, it } from 'mocha';
import { declineReasons } from '@paywright/contract';
import { errorKinds } from '../core/base/errors.ts';
import { readGuide } from '../core/docs/site/guide.ts';
import { merchantCalls } from '../core/docs/reference/operations.ts';
import type { OpenApiDocument } from '../core/http/index.ts';
import { publicUrl, startGateway } from '../core/http/testing/gateway.ts';
import type { Reply, TestGateway } from '../core/http/testing/gateway.ts';

const guide = readGuide();
const markdownOf = (slug: string): string => `/docs/${slug}.md`;

describe('the documentation', () => {
  let gateway: TestGateway;
  before(async () => {
    gateway = await startGateway();
  });
  after(() => gateway.server.close(1000));

  const get = async (path: string, headers: Readonly<Record<string, string>> = {}): Promise<Reply> =>
    gateway.send(path, { method: 'GET', key: null, headers });
  /** The page of an address, and whether the page has the anchor. */
  const visit = async (address: string): Promise<{ page: Reply; hasAnchor: boolean }> => {
    const { pathname, hash } = new URL(address);
    const page = await get(pathname);
    return { page, hasAnchor: hash === '' || page.text.includes(` id="${decodeURIComponent(hash.slice(1))}"`) };
  };
  const documentOf = async (query = ''): Promise<OpenApiDocument> =>
    (await get(`/openapi.json${query}`)).json as unknown as OpenApiDocument;

  it('is served without a key, and the document is OpenAPI 3.1', async () => {
    const { json, headers } = await get('/openapi.json');
    expect(json).to.include({ openapi: '3.1.0' });
    expect(headers.get('content-type')).to.equal('application/json; charset=utf-8');
  });

  it('is the redirect target of the bare address, also below a path prefix', async () => {
    for (const [path, target] of [
      ['/', 'docs'],
      ['/docs/', '../docs'],
      ['/docs/errors/', '../errors'],
    ] as const) {
      // The document has no addresses with a slash at their end.
      const { status, headers } = await gateway.send(path, { method: 'GET', key: null, isJudged: path === '/' });
      expect([status, headers.get('location')], path).to.deep.equal([302, target]);
    }
  });

  it('serves every page of the guide in its frame', async () => {
    expect(guide.pages.length).to.be.above(20);
    for (const { slug, title } of guide.pages) {
      const { status, text, headers } = await get(`/docs/${slug}`);
      expect([status, headers.get('content-type')], slug).to.deep.equal([200, 'text/html; charset=utf-8']);
      expect(text, slug).to.include(`aria-current="page">${title}</a>`).and.include('role="search"');
      expect(text.match(/<h1/g), slug).to.have.length(1);
      expect(text, slug).to.not.match(/&lt;!--|<!--|\[!\w+\]/);
    }
  });

  it('links each page to the previous and the next one', async () => {
    const [first, second, third] = guide.pages;
    const { text } = await get(`/docs/${second!.slug}`);
    expect(text).to.include(`<a rel="prev" href="../docs/${first!.slug}">`);
    expect(text).to.include(`<a rel="next" href="../docs/${third!.slug}">`);
  });

  it('has no link to a page or an anchor that does not exist', async function () {
    this.timeout(60_000);
    const pages = new Map<string, string>();
    const open = [`${publicUrl}/docs`, `${publicUrl}/docs/search?q=refund`, `${publicUrl}/docs/nothing-like-this`];
    const links: { readonly from: string; readonly to: URL }[] = [];
    while (open.length > 0) {
      const address = open.pop()!;
      const { pathname, search } = new URL(address);
      if (pages.has(pathname)) continue;
      const { text } = await get(pathname + search);
      pages.set(pathname, text);
      for (const [, target = ''] of text.matchAll(/<(?:a|link)[^>]*? href="([^"]*)"/g)) {
        const to = new URL(target.replaceAll('&amp;', '&'), address);
        expect(to.origin, `${target} on ${pathname}`).to.equal(publicUrl);
        links.push({ from: pathname, to });
        if (to.pathname.startsWith('/docs') && !/\.\w+$/.test(to.pathname)) open.push(to.href);
      }
    }
    expect(pages.size).to.be.above(40);
    const broken = links.filter(({ to }) => {
      const text = pages.get(to.pathname);
      const id = decodeURIComponent(to.hash.slice(1));
      return text !== undefined && id !== '' && !text.includes(` id="${id}"`);
    });
    expect(broken.map(({ from, to }) => `${from} → ${to.pathname}${to.hash}`)).to.deep.equal([]);
    const others = new Set(links.filter(({ to }) => !pages.has(to.pathname)).map(({ to }) => to.pathname));
    for (const path of others) expect((await get(path)).status, path).to.equal(200);
  });

  it('loads nothing from other sites, and its content security policy allows nothing else', async () => {
    for (const path of ['/docs', '/docs/errors', '/docs/api/createPaymentRequest', '/docs/search?q=a']) {
      const { text, headers } = await get(path);
      const addresses = [...text.matchAll(/(?:src|href)="([^"#]*)/g)].map(([, address = '']) => address);
      expect(addresses.filter((address) => /^(\w+:)?\/\//.test(address))).to.deep.equal([]);
      const policy = headers.get('content-security-policy') ?? '';
      expect(policy)
        .to.include("default-src 'none'")
        .and.not.match(/unsafe|https?:|\*|data:/);
      expect(text).not.to.match(/<style|<script(?! src=)|\son\w+=|\sstyle=/);
    }
  });

  it('shows every call of merchants with an example in curl, Node.js and Python', async () => {
    const calls = merchantCalls(await documentOf('?all'));
    expect(calls.length).to.be.above(15);
    for (const { operation, path } of calls) {
      const { status, text } = await get(`/docs/api/${operation.operationId}`);
      expect(status, path).to.equal(200);
      expect(text).to.include(`<code>${path}</code>`).and.include('curl</span> ');
      const isStream = operation.operationId === 'streamNotifications';
      expect(text.includes('value="Node.js"') && text.includes('value="Python"'), path).to.equal(!isStream);
      expect(text.includes('class="try"'), path).to.equal(!isStream);
    }
  });

  it('keeps the anchors of calls and objects that the reference had as one page', async () => {
    const document = await documentOf();
    const { text } = await get('/docs/api');
    const operations = Object.values(document.paths).flatMap(({ get: read, post }) => [read, post]);
    const ids = [
      ...operations.flatMap((operation) => (operation ? [operation.operationId] : [])),
      ...Object.keys(document.components.schemas).map((name) => `schema-${name}`),
    ];
    for (const id of ids) expect(text.split(` id="${id}"`), id).to.have.length(2);
  });

  it('shows every object with all its members', async () => {
    const { components } = await documentOf();
    const { text } = await get('/docs/api/objects');
    for (const [name, { properties = {} }] of Object.entries(components.schemas)) {
      const [, section = ''] = new RegExp(` id="schema-${name}">([^]*?)</section>`).exec(text) ?? [];
      for (const member of Object.keys(properties)) expect(section, name).to.include(`<code>${member}</code>`);
    }
  });

  it('shows every notification type with the example of the document', async () => {
    const { webhooks } = await documentOf();
    const { text } = await get('/docs/events', { Accept: 'text/markdown' });
    for (const [type, { post }] of Object.entries(webhooks)) {
      const [, shown = ''] = new RegExp(`^### ${type} [^]*?\`\`\`json[^\n]*\n([^]*?)\n\`\`\``, 'm').exec(text) ?? [];
      const { example } = post!.requestBody!.content['application/json']!;
      expect(JSON.parse(shown), type).to.deep.equal(example);
      expect((await visit(`${publicUrl}/docs/events#${type}`)).hasAnchor, type).to.equal(true);
    }
  });

  it('has an anchor, a cure and an example for the type of every problem', async () => {
    for (const { code, title } of Object.values(errorKinds)) {
      const { page, hasAnchor } = await visit(`${publicUrl}/docs/errors#${code}`);
      expect([page.status, hasAnchor], code).to.deep.equal([200, true]);
      const [, section = ''] = new RegExp(` id="${code}">([^]*?)<h[23]`).exec(page.text) ?? [];
      expect(section, code).to.include(title).and.include('What to do:').and.include('<pre');
    }
    const { problem } = await gateway.send('/nowhere');
    expect((await visit(problem.type)).hasAnchor).to.equal(true);
    const { text } = await get('/docs/errors');
    for (const [code, words] of Object.entries(declineReasons)) {
      expect(text).to.match(new RegExp(`<code>${code}</code></td><td[^>]*>${words}</td>`));
    }
  });

  it('is where the headers and the notice of a deprecated version lead', async () => {
    const { headers } = await gateway.send('/payment-requests', {
      body: { amount: 1, unit: 'EUR' },
      headers: { 'X-API-Version': '2.0' },
    });
    const [, address = ''] = /<([^>]+)>/.exec(headers.get('link') ?? '') ?? [];
    expect(address).to.equal(`${publicUrl}/docs#versions`);
    expect(gateway.notices).to.have.deep.nested.property('[0].documentation', address);
    const { page, hasAnchor } = await visit(address);
    expect([page.status, hasAnchor]).to.deep.equal([200, true]);
    expect(page.text).to.include('2.0').and.include('30 June 2024');
  });

  describe('the search', () => {
    it('finds every page by its title, calls by their path, and errors by their code', async () => {
      const wanted = [
        ...guide.pages.map(({ title, slug }) => [title, `/docs/${slug}`] as const),
        ['PAY001', '/docs/errors#PAY001'],
        ['payment.refunded', '/docs/events#payment.refunded'],
        ['POST /payment-requests/batch', '/docs/api/createPaymentRequests'],
        ['PaymentRequest', '/docs/api/objects#schema-PaymentRequest'],
      ] as const;
      for (const [query, path] of wanted) {
        const { json } = await get(`/docs/search?q=${encodeURIComponent(query)}`, { Accept: 'application/json' });
        const paths = (json['results'] as readonly { readonly path: string }[]).map((result) => result.path);
        expect(paths.slice(0, 3), query).to.include(path);
      }
    });

    it('shows results as a page, with the text around the match', async () => {
      const { text } = await get('/docs/search?q=chargeback');
      expect(text).to.match(/<ul class="found"><li><a href="\.\.\/docs\/[\w-]+/);
      expect(text)
        .to.include('value="chargeback"')
        .and.match(/<mark>chargeback<\/mark>/i);
      const lists = [...text.matchAll(/<h2>[^<]*<\/h2><ul class="found">(.*?)<\/ul>/g)].map(([, list = '']) => list);
      expect(lists.length).to.be.greaterThan(0);
      for (const list of lists) expect(list.match(/<li>/g)?.length).to.be.within(1, 3);
    });

    it('says that nothing was found, and shows the query as text', async () => {
      const { status, text } = await get(`/docs/search?q=${encodeURIComponent('<b>zzz "')}`);
      expect(status).to.equal(200);
      expect(text).to.include('Nothing was found for “&lt;b&gt;zzz &quot;”').and.not.include('<b>zzz');
    });

    it('accepts a query of any length and kind', async () => {
      for (const query of ['', 'q=', 'q=%20', `q=${'a'.repeat(5000)}`, 'q=a&q=b', 'q=.*%5B(%5C', 'q=%00']) {
        expect((await get(`/docs/search?${query}`)).status, query.slice(0, 20)).to.equal(200);
      }
    });
  });

  it('answers a wrong address with a page that has the search and the navigation', async () => {
    for (const path of [
      '/docs/receive-webhook',
      '/docs/a/b/c',
      '/docs/assets',
      '/docs/__proto__',
      '/docs/..%2fpackage.json',
    ]) {
      // The document has no addresses with so many parts.
      const isJudged = path.split('/').length < 5;
      const { status, text, headers } = await gateway.send(path, { method: 'GET', key: null, isJudged });
      expect([status, headers.get('content-type')], path).to.deep.equal([404, 'text/html; charset=utf-8']);
      expect(text, path).to.include('Page not found').and.include('role="search"').and.include('>Quickstart</a>');
    }
    expect((await get('/docs/receive-webhook')).text).to.include('<a href="../docs/webhooks">');
    const { status, problem } = await get('/docs/receive-webhook', { Accept: 'application/json' });
    expect([status, problem.code]).to.deep.equal([404, 'NF001']);
  });

  it('serves its own style and script only', async () => {
    const { text } = await get('/docs');
    const [, style = ''] = /href="(docs\/assets\/docs\.\w+\.css)"/.exec(text) ?? [];
    expect((await get(`/${style}`)).headers.get('cache-control')).to.include('immutable');
    for (const file of ['swagger-ui.css', 'index.html', '..%2fpackage.json', '__proto__']) {
      const { status, problem } = await get(`/docs/assets/${file}`);
      expect([status, problem.code], file).to.deep.equal([404, 'NF001']);
    }
  });

  it('gives the Markdown of a page by its address and by Accept', async () => {
    const byAddress = await get(markdownOf('quickstart'));
    expect(byAddress.headers.get('content-type')).to.equal('text/markdown; charset=utf-8');
    expect(byAddress.text).to.include('# Quickstart').and.include(publicUrl).and.not.include('127.0.0.1:8080');
    expect((await get('/docs/quickstart', { Accept: 'text/markdown' })).text).to.equal(byAddress.text);
    expect((await get(markdownOf('errors'))).text).to.include('### PAY001 CARD_DECLINED');
    expect((await get(markdownOf('nothing'))).status).to.equal(404);
  });

  it('lists every page for language models', async () => {
    const { text } = await get('/llms.txt');
    for (const { slug } of guide.pages) expect(text).to.include(`(${publicUrl}/docs/${slug}.md)`);
    for (const [, path = ''] of text.matchAll(/\(https:\/\/[^/]+(\/[^)]+)\)/g))
      expect((await get(path)).status, path).to.equal(200);
  });
});

describe('the guide', () => {
  it('lists every page on its home page', async () => {
    const { readdirSync } = await import('node:fs');
    const files = readdirSync('core/docs/guide').filter((name) => name.endsWith('.md') && name !== 'README.md');
    expect(guide.pages.map(({ slug }) => `${slug}.md`)).to.have.members(files);
  });
});
