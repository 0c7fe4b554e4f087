/** A database with very many payments and one with the payments of a day, in a folder that keeps them between runs. */
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import mongoose from 'mongoose';
import pino from 'pino';
import { loadConfig } from '../../../config/load-config.ts';
import { connectDatabase } from '../../../core/database/connect.ts';
import { DAY } from '../../../core/base/async/time.ts';
import { root } from '../../support/start-gateway.ts';
import { blockSize, blocksPerDay, firstId } from './blocks.ts';
import { buildDatabase } from './build.ts';

export interface StoredDatabase {
  readonly mongodbUri: string;
  readonly payments: number;
  /** Day by which all of it was stored. */
  readonly lastDay: string;
}

export interface StoredDatabases {
  readonly large: StoredDatabase;
  readonly small: StoredDatabase;
}

export interface KeepOptions {
  /** Folder for the record of what was built, next to MongoDB's own data. */
  readonly folder: string;
  readonly uri: (database: string) => string;
  readonly providerUrl: string;
  readonly payments: number;
  readonly rebuilds: boolean;
  readonly report: (line: string) => void;
}

interface Built {
  readonly shape: number;
  readonly payments: number;
  readonly until: string;
}

/** Increment it with every change to the stored data. */
const shape = 1;
/** After this time, data that is kept for 90 days would begin to expire during a measurement. */
const keptForDays = 30;

/** Builds the databases if they are missing, incomplete, old, or of another version. */
export async function openDatabases(options: KeepOptions): Promise<StoredDatabases> {
  const { folder, uri, report } = options;
  const file = join(folder, 'built.json');
  const blocks = Math.ceil(options.payments / blockSize);
  const wanted = { shape, payments: blocks * blockSize };
  let built = options.rebuilds ? undefined : await readBuilt(file, uri('large'), wanted);
  if (!built) {
    const began = performance.now();
    await rm(file, { force: true });
    const { config } = await loadConfig({ env: { GATEWAY_ENV: 'development' }, root });
    const until = new Date(Math.floor(Date.now() / DAY) * DAY);
    const { keepDays } = config.callbacks;
    report(`${wanted.payments.toLocaleString('en')} payments are being stored in ${folder}; this happens only once`);
    for (const [database, count] of [
      ['small', blocksPerDay],
      ['large', blocks],
    ] as const) {
      await buildDatabase({ ...options, mongodbUri: uri(database), blocks: count, until, keepDays });
    }
    built = { ...wanted, until: until.toISOString() };
    await mkdir(folder, { recursive: true });
    await writeFile(file, JSON.stringify(built));
    report(`storing took ${Math.round((performance.now() - began) / 1000)} s`);
  }
  const lastDay = new Date(Date.parse(built.until) - DAY).toISOString().slice(0, 10);
  return {
    large: { mongodbUri: uri('large'), payments: built.payments, lastDay },
    small: { mongodbUri: uri('small'), payments: blocksPerDay * blockSize, lastDay },
  };
}

async function readBuilt(
  file: string,
  mongodbUri: string,
  wanted: Pick<Built, 'shape' | 'payments'>,
): Promise<Built | undefined> {
  try {
    const built = JSON.parse(await readFile(file, 'utf8')) as Built;
    if (built.shape !== wanted.shape || built.payments !== wanted.payments) return undefined;
    if (Date.now() - Date.parse(built.until) > keptForDays * DAY) return undefined;
    // Throws if another version of the gateway made it.
    await (await connectDatabase(mongodbUri, { log: pino({ level: 'silent' }) })).close();
    return built;
  } catch {
    return undefined; // Any error means that it is built again.
  }
}

/** Removes what an earlier measurement added. */
export async function removeAdded({ mongodbUri, payments: stored }: StoredDatabase): Promise<void> {
  const connection = await mongoose.createConnection(mongodbUri).asPromise();
  try {
    const added = { $gte: firstId + stored };
    const payments = connection.collection<{ _id: number; clientId: number }>('paymentRequests');
    // Also removes their clients, whose sums would count deleted payments. No other payment belongs to these clients.
    const clientIds = await payments.distinct('clientId', { _id: added });
    await connection.collection<{ _id: number }>('clients').deleteMany({ _id: { $in: clientIds } });
    await payments.deleteMany({ _id: added });
    await connection.collection('notifications').deleteMany({ paymentRequestId: added });
    await connection.collection('exchanges').deleteMany({ paymentRequestId: added });
    await connection.collection('inbox').deleteMany({ 'events.paymentRequestId': added });
    await connection.collection('idempotencyRecords').deleteMany({});
  } finally {
    await connection.close();
  }
}
