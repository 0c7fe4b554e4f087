/**
 * Vendure with one plugin: a payment method that asks the provider, and two routes for the benchmark. It runs in the
 * folder of the installed peers, where `@vendure/core` is. Usage: node vendure-server.cjs PORT DATABASE_URL PROVIDER_URL
 */
const { createHmac, timingSafeEqual } = require('node:crypto');
const { writeFileSync } = require('node:fs');
const { join } = require('node:path');
require('reflect-metadata');
const { Body, Controller, Headers, HttpCode, Post } = require('@nestjs/common');
const vendure = require('@vendure/core');
const { populate } = require('@vendure/core/cli');

const [port, databaseUrl, providerUrl, callbackKey] = process.argv.slice(2);
const { hostname, port: databasePort, pathname, username } = new URL(databaseUrl);

const handler = new vendure.PaymentMethodHandler({
  code: 'bench',
  description: [{ languageCode: vendure.LanguageCode.en, value: 'Benchmark' }],
  args: {},
  /** A charge asks the provider. A webhook brings the result, as in Vendure's plugin for Stripe. */
  async createPayment(_ctx, order, amount, _args, { isPaid }) {
    if (isPaid) return { amount, state: 'Settled', transactionId: `ch-${order.code}` };
    const body = JSON.stringify({ reference: order.code, amount: 7 });
    const headers = { 'Content-Type': 'application/json' };
    const response = await fetch(`${providerUrl}/charges`, { method: 'POST', headers, body });
    const { state, id } = await response.json();
    return { amount, state: state === 'succeeded' ? 'Settled' : 'Declined', transactionId: id };
  },
  settlePayment: () => ({ success: true }),
});

const services = [vendure.OrderService, vendure.RequestContextService, vendure.TransactionalConnection];

class BenchController {
  constructor(orders, contexts, connection) {
    Object.assign(this, { orders, contexts, connection });
  }

  async charge({ code }) {
    return this.pay(code, {});
  }

  async webhook(body, signature) {
    const expected = createHmac('sha256', callbackKey).update(JSON.stringify(body)).digest();
    const given = Buffer.from(signature, 'hex');
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new Error('the signature is wrong');
    return this.pay(body.code, { isPaid: true });
  }

  async pay(code, metadata) {
    const base = await this.contexts.create({ apiType: 'admin' });
    return this.connection.withTransaction(base, async (ctx) => {
      const order = await this.orders.findOneByCode(ctx, code);
      const paid = await this.orders.addPaymentToOrder(ctx, order.id, { method: 'bench', metadata });
      if (paid.state !== 'PaymentSettled') throw new Error(`order ${code}: ${JSON.stringify(paid)}`);
      return { state: paid.state };
    });
  }
}
/** What the compiler does for decorators. */
function decorateRoute(name, path, ...parameters) {
  const descriptor = Object.getOwnPropertyDescriptor(BenchController.prototype, name);
  for (const [at, parameter] of parameters.entries()) parameter(BenchController.prototype, name, at);
  HttpCode(200)(BenchController.prototype, name, descriptor);
  Post(path)(BenchController.prototype, name, descriptor);
}
decorateRoute('charge', 'charge', Body());
decorateRoute('webhook', 'webhook', Body(), Headers('x-signature'));
Reflect.defineMetadata('design:paramtypes', services, BenchController);
Controller('bench')(BenchController);

// Vendure takes the plugin's name from a function or a class.
function BenchPlugin() {}
vendure.VendurePlugin({ imports: [vendure.PluginCommonModule], controllers: [BenchController] })(BenchPlugin);

const hashOf = (text) => createHmac('sha256', 'bench').update(text).digest('hex');

const config = vendure.mergeConfig(vendure.defaultConfig, {
  apiOptions: { port: Number(port), hostname: '127.0.0.1' },
  authOptions: {
    tokenMethod: ['bearer'],
    superadminCredentials: { identifier: 'bench', password: 'bench' },
    // The default needs a compiled package. Only the sign-in before the measurement uses it.
    passwordHashingStrategy: { hash: async (text) => hashOf(text), check: async (text, hash) => hashOf(text) === hash },
  },
  dbConnectionOptions: {
    type: 'postgres',
    host: hostname,
    port: Number(databasePort),
    database: pathname.slice(1),
    username,
    synchronize: true,
    extra: { max: 32 },
  },
  importExportOptions: { importAssetsDir: process.cwd() },
  logger: new vendure.DefaultLogger({ level: vendure.LogLevel.Warn }),
  paymentOptions: { paymentMethodHandlers: [handler] },
  plugins: [BenchPlugin],
});

const initialData = {
  defaultLanguage: vendure.LanguageCode.en,
  defaultZone: 'Europe',
  countries: [{ name: 'Portugal', code: 'PT', zone: 'Europe' }],
  taxRates: [{ name: 'Standard', percentage: 0 }],
  shippingMethods: [{ name: 'Post', price: 0 }],
  paymentMethods: [{ name: 'bench', handler: { code: 'bench', arguments: [] } }],
  collections: [],
};

/** Stock is not tracked, because every order has the same product, and the payments would wait for each other. */
const products = `name,slug,description,assets,facets,optionGroups,optionValues,sku,price,taxCategory,stockOnHand,trackInventory,variantAssets,variantFacets
Book,book,A book,,,,,book-1,7.00,standard,1000000,false,,
`;

/** One order that waits for its payment. The benchmark copies it. */
async function makeOrder(app) {
  const [orders, contexts] = services.map((service) => app.get(service));
  const ctx = await contexts.create({ apiType: 'admin' });
  const [variant] = (await app.get(vendure.ProductVariantService).findAll(ctx)).items;
  const { id } = await orders.create(ctx);
  const emailAddress = 'ines.duarte@shop.example';
  const customer = await app
    .get(vendure.CustomerService)
    .createOrUpdate(ctx, { emailAddress, firstName: 'Ines', lastName: 'Duarte' });
  await orders.addItemToOrder(ctx, id, variant.id, 1);
  await orders.addCustomerToOrder(ctx, id, customer);
  const streetLine1 = 'Rua Augusta 12';
  await orders.setShippingAddress(ctx, id, { streetLine1, city: 'Lisboa', postalCode: '1100-053', countryCode: 'PT' });
  const [method] = await orders.getEligibleShippingMethods(ctx, id);
  await orders.setShippingMethod(ctx, id, [method.id]);
  const order = await orders.transitionToState(ctx, id, 'ArrangingPayment');
  if (order.state !== 'ArrangingPayment') throw new Error(JSON.stringify(order));
  return order.id;
}

async function main() {
  const file = join(process.cwd(), 'vendure-products.csv');
  writeFileSync(file, products);
  const app = await populate(async () => vendure.bootstrap(config), initialData, file);
  const order = await makeOrder(app);
  process.send?.({ order });
}

main().catch((error) => {
  console.error(error);
  process.exit(1);
});
process.on('disconnect', () => process.exit(0));
