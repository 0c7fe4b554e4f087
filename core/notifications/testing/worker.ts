/** A worker process that tests can kill: `node test-worker.js <database> <worker>` delivers what is due. */
import { connectDatabase } from '../../documents/connect.ts';
import { setUp, silent } from './setup.ts';

const [, , uri = '', worker = ''] = process.argv;
const database = await connectDatabase(uri, { log: silent });
await setUp(database.connection).notifications.deliverDue({ worker });
await database.close();
