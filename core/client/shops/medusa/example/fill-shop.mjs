/**
 * Fills an empty shop, to try payments: two regions that offer the provider, a product, and a publishable API key, which
 * it prints for `storefront.mjs`.
 *
 *   EMAIL=… PASSWORD=… node fill-shop.mjs
 */
const { MEDUSA_URL = 'http://localhost:9000', EMAIL, PASSWORD } = process.env;
const providers = (process.env.PROVIDERS ?? 'pp_paywright_paywright').split(',');

async function post(path, body, token) {
  const headers = { 'Content-Type': 'application/json', ...(token && { Authorization: `Bearer ${token}` }) };
  const response = await fetch(`${MEDUSA_URL}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${path}: ${answer.message}`);
  return answer;
}

const { token } = await post('/auth/user/emailpass', { email: EMAIL, password: PASSWORD });
const admin = async (path, body) => post(`/admin${path}`, body, token);

const { sales_channel: channel } = await admin('/sales-channels', { name: 'Web' });
const { api_key: key } = await admin('/api-keys', { title: 'Web', type: 'publishable' });
await admin(`/api-keys/${key.id}/sales-channels`, { add: [channel.id] });
for (const [name, currency, country] of [
  ['Portugal', 'eur', 'pt'],
  ['America', 'usd', 'us'],
]) {
  await admin('/regions', { name, currency_code: currency, countries: [country], payment_providers: providers });
}
await admin('/products', {
  title: 'A book',
  status: 'published',
  sales_channels: [{ id: channel.id }],
  options: [{ title: 'Cover', values: ['Paper'] }],
  variants: [
    {
      title: 'Paper',
      options: { Cover: 'Paper' },
      manage_inventory: false,
      prices: [
        { amount: 25.9, currency_code: 'eur' },
        { amount: 30, currency_code: 'usd' },
      ],
    },
  ],
});
console.log(`MEDUSA_KEY=${key.token}`);
