/** A worker process that tests can kill: `node test-worker.js <database> <worker>` delivers what is due. */
import { createConnection } from 'mongoose';
import { setUp } from './test-setup.ts';

const [, , dbName = '', worker = ''] = process.argv;
const connection = await createConnection(process.env['TEST_MONGODB_URI'] ?? '', { dbName }).asPromise();
await setUp(connection).notifications.deliverDue({ worker });
await connection.close();
