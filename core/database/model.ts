import type { Connection, Model, Schema } from 'mongoose';

/** The connection's model of that name, made on first use. */
export function modelFor<T>(connection: Connection, name: string, schema: Schema<T>): Model<T> {
  return (connection.models[name] ?? connection.model(name, schema)) as unknown as Model<T>;
}
