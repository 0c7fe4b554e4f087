/** Builds a database with many payments: the gateway makes one of each kind, and the driver inserts copies. */
import mongoose, { mongo, type Connection } from 'mongoose';
import pino from 'pino';
import { makeCollections } from '../../../core/database/collections.ts';
import { startBenchGateway } from '../bench-gateway.ts';
import { blockSize, makeBlocks, type Block, type CollectionName } from './blocks.ts';
import { makeTemplates, type Templates } from './templates.ts';

export interface BuildOptions {
  readonly mongodbUri: string;
  readonly providerUrl: string;
  readonly blocks: number;
  readonly until: Date;
  readonly keepDays: number;
  readonly report: (line: string) => void;
}

/** The first merchant has half of the payments. */
const merchants = ['Shop', 'Shop 2', 'Shop 3', 'Shop 4', 'Shop 5'];
const collections: readonly CollectionName[] = ['paymentRequests', 'clients', 'inbox', 'notifications', 'exchanges'];
/** Blocks that are inserted together. */
const pageSize = 20;
const reportEvery = 50_000;

export async function buildDatabase(options: BuildOptions): Promise<void> {
  const { mongodbUri, blocks, report } = options;
  const connection = await mongoose.createConnection(mongodbUri).asPromise();
  try {
    await connection.dropDatabase();
    const templates = await templatesOf(options);
    // Building the indexes once at the end is cheaper than an update per document.
    for (const name of collections) {
      await connection.collection(name).deleteMany({});
      await connection.collection(name).dropIndexes();
    }
    let [page, stored, reported]: [Block[], number, number] = [[], 0, 0];
    let inserting = Promise.resolve();
    for (const block of makeBlocks({ ...options, templates })) {
      page.push(block);
      stored += block.paymentRequests.length;
      if (page.length < pageSize && block.paymentRequests.length) continue;
      await inserting;
      inserting = insertPage(connection, page);
      page = [];
      if (stored - reported < reportEvery) continue;
      reported = stored;
      report(`  ${stored.toLocaleString('en')} of ${(blocks * blockSize).toLocaleString('en')}`);
    }
    await inserting;
    report(`  ${stored.toLocaleString('en')} stored, now building the indexes`);
    await makeCollections(mongodbUri, pino({ level: 'silent' }));
  } finally {
    await connection.close();
  }
}

async function templatesOf({ mongodbUri, providerUrl }: BuildOptions): Promise<Templates[]> {
  const gateway = await startBenchGateway({ mongodbUri, providerUrl, workers: 1, keepsDatabase: true });
  try {
    return await makeTemplates(gateway, merchants);
  } finally {
    await gateway.close();
  }
}

async function insertPage(connection: Connection, page: readonly Block[]): Promise<void> {
  for (const name of collections) {
    const rows: mongo.BSON.Document[] = page.flatMap((block) => block[name]);
    if (rows.length) await connection.collection(name).insertMany(rows, { ordered: false, writeConcern: { w: 1 } });
  }
}
