import type { Connection, Model, Schema } from 'mongoose';

/** Returns the connection's model of this name. Creates it on first use. */
export function modelFor<T>(connection: Connection, name: string, schema: Schema<T>): Model<T> {
  return (connection.models[name] ?? connection.model(name, schema)) as unknown as Model<T>;
}
