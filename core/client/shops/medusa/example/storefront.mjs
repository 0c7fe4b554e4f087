/**
 * A storefront of one file without dependencies, to try payments: it shows the products, buys one, leads the payer to
 * the page of the gateway, and places the order when the payer returns. Copy the calls into your own storefront.
 *
 *   MEDUSA_KEY=pk_… node storefront.mjs
 */
import { createServer } from 'node:http';

const { MEDUSA_URL = 'http://localhost:9000', MEDUSA_KEY = '', PORT = '8000' } = process.env;
const { PROVIDER = 'pp_paywright_paywright' } = process.env;
if (!MEDUSA_KEY)
  throw new Error('Set MEDUSA_KEY to a publishable API key of the shop (Admin: Settings, Publishable API Keys).');

/** Calls the Store API. An answer of 400 or above throws, with Medusa's own message. */
async function call(method, path, body) {
  const headers = { 'x-publishable-api-key': MEDUSA_KEY, 'Content-Type': 'application/json' };
  const response = await fetch(`${MEDUSA_URL}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(answer.message);
  return answer;
}

async function findRegion() {
  const { regions } = await call('GET', '/store/regions');
  if (!regions[0]) throw new Error('The shop has no region.');
  return regions[0];
}

async function showProducts() {
  const region = await findRegion();
  const fields = 'title,*variants,*variants.calculated_price';
  const { products } = await call('GET', `/store/products?region_id=${region.id}&fields=${fields}`);
  const money = new Intl.NumberFormat('en', { style: 'currency', currency: region.currency_code });
  const items = products.flatMap(({ title, variants }) =>
    variants.map(
      ({ id, title: variant, calculated_price: price }) =>
        `<li><form method="post" action="/buy"><input type="hidden" name="variant" value="${escape(id)}">
        ${escape(title)} (${escape(variant)}) <button>Buy for ${escape(money.format(price.calculated_amount))}</button></form></li>`,
    ),
  );
  return page('Shop', `<ul>${items.join('')}</ul>`);
}

/** Puts the product into a new cart. Returns the cart's id. */
async function fillCart(variant) {
  const region = await findRegion();
  const address = {
    first_name: 'Inês',
    last_name: 'Duarte',
    address_1: 'Rua das Flores 7',
    city: 'Porto',
    postal_code: '4050-262',
    country_code: region.countries[0].iso_2,
  };
  const { cart } = await call('POST', '/store/carts', {
    region_id: region.id,
    email: 'ines@client.example',
    shipping_address: address,
    billing_address: address,
  });
  await call('POST', `/store/carts/${cart.id}/line-items`, { variant_id: variant, quantity: 1 });
  const { shipping_options: options } = await call('GET', `/store/shipping-options?cart_id=${cart.id}`);
  if (options[0]) await call('POST', `/store/carts/${cart.id}/shipping-methods`, { option_id: options[0].id });
  return cart.id;
}

/** Starts a payment of the cart's total. Returns the payer's page. */
async function startPayment(cart) {
  const { payment_collection: collection } = await call('POST', '/store/payment-collections', { cart_id: cart });
  const { payment_collection: started } = await call(
    'POST',
    `/store/payment-collections/${collection.id}/payment-sessions`,
    { provider_id: PROVIDER },
  );
  return started.payment_sessions.find(({ provider_id }) => provider_id === PROVIDER).data.link;
}

/** The return proves nothing: Medusa asks the gateway, and answers with an order only if the cart is paid. */
async function placeOrder(cart) {
  const answer = await call('POST', `/store/carts/${cart}/complete`).catch(() => undefined);
  if (answer?.type === 'order')
    return page('Thank you', `<p>Your order has the number ${answer.order.display_id}.</p>`);
  return page(
    'Not paid yet',
    `<p>If you paid, your order appears here in a moment.</p>
    <form method="post" action="/pay"><button>Pay now</button></form>`,
    '<meta http-equiv="refresh" content="2">',
  );
}

function page(title, content, head = '') {
  return `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title>${head}<h1>${title}</h1>${content}<p><a href="/">All products</a></p></html>`;
}

function escape(text) {
  return String(text).replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

async function readForm(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return new URLSearchParams(Buffer.concat(chunks).toString('utf8'));
}

async function answer(request, response) {
  const { pathname } = new URL(request.url, 'http://storefront');
  const [, cart = ''] = /(?:^|; )cart=(\w+)/.exec(request.headers.cookie ?? '') ?? [];
  const show = (html) => response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(html);
  const lead = async (id) =>
    response
      .writeHead(303, { Location: await startPayment(id), 'Set-Cookie': `cart=${id}; HttpOnly; SameSite=Lax; Path=/` })
      .end();
  if (request.method === 'POST' && pathname === '/buy')
    return lead(await fillCart((await readForm(request)).get('variant')));
  if (request.method === 'POST' && pathname === '/pay' && cart) return lead(cart);
  if (pathname === '/return' && cart) return show(await placeOrder(cart));
  if (pathname === '/') return show(await showProducts());
  return response.writeHead(404).end();
}

createServer((request, response) => {
  answer(request, response).catch((error) => {
    response.writeHead(500, { 'Content-Type': 'text/html; charset=utf-8' });
    response.end(page('Something went wrong', `<p>${escape(error.message)}</p>`));
  });
}).listen(Number(PORT), '127.0.0.1', () => console.log(`Shop at http://127.0.0.1:${PORT}`));
