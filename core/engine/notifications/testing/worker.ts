/** A worker process that tests can kill: `node test-worker.js <database> <worker>` delivers what is due. */
import mongoose from 'mongoose';
import { setUp } from './setup.ts';

const [, , uri = '', worker = ''] = process.argv;
// With the driver's own patience: a process that has just begun is slow where others have the machine.
const connection = await mongoose.createConnection(uri).asPromise();
await setUp(connection).notifications.deliverDue({ worker });
await connection.close();
