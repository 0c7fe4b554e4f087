/** The package that fetches and runs a mongod, described for `importOptional`. */
export const mongodLibrary = {
  name: 'mongodb-memory-server-core',
  neededFor: "A MongoDB of the gateway's own",
  instead: 'set MONGODB_URI',
} as const;
