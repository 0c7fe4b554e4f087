/** The address of the database `name` on the mongod that tests use. Read when a suite begins: mongod is started after its file is loaded. */
export function testDatabaseUri(name: string): string {
  const server = process.env['TEST_MONGODB_URI'];
  if (!server) throw new Error('TEST_MONGODB_URI is not set: it names the mongod that tests use');
  return server.replace(/^(mongodb:\/\/[^/?]+)\/?[^?]*/, `$1/${name}`);
}
