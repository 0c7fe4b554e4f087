/**
 * Returns the URI of the database `name` on the test mongod. Call it when a suite runs, because mongod starts after
 * test files are loaded.
 */
export function testDatabaseUri(name: string): string {
  const server = process.env['TEST_MONGODB_URI'];
  if (!server) throw new Error('TEST_MONGODB_URI is not set: it must name the mongod for tests');
  return server.replace(/^(mongodb:\/\/[^/?]+)\/?[^?]*/, `$1/${name}`);
}
