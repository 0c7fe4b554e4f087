/** A database on the mongod of the tests, for a service without its own mongod. */
export function testDatabase(name: string): string {
  const uri = process.env['TEST_MONGODB_URI'];
  if (!uri) throw new Error('TEST_MONGODB_URI is not set: it names the mongod that tests use');
  return uri.replace(/\/\?/, `/service-${name}-${process.pid}?`);
}
