/** One operation of the management API: its address, its input, its answer, and the work. */
import * as v from 'valibot';
import { GatewayError } from '../../base/errors.ts';
import type { Actor } from '../../engine/audit/index.ts';
import { HeldMoneyError } from '../../engine/providers/index.ts';
import { OpenMoneyError } from '../../engine/providers/states/turn-adapter.ts';
import type { ManagementServices } from './services.ts';

export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
type Entries = v.ObjectEntries;
export type InputOf<E extends Entries> = v.InferOutput<v.StrictObjectSchema<E, undefined>>;

export interface Operation<E extends Entries = Entries, R = unknown> {
  readonly method: Method;
  /** Members in braces are members of the input. */
  readonly path: string;
  readonly tag: 'Merchants' | 'Keys' | 'Endpoints' | 'Portal links' | 'Accounts' | 'Adapters' | 'Routes';
  readonly summary: string;
  readonly description?: string;
  /** Members that the path does not name are in the query of GET and DELETE, otherwise in the body. */
  readonly input: E;
  /** Example values of members of the input: of the path, and of the body. */
  readonly example?: Readonly<Record<string, unknown>>;
  /** The name of the schema of the answer. */
  readonly answer: string;
  /** `always`: the operation creates, and answers 201. `maybe`: the answer says so in `isNew`. Absent: never. */
  readonly creates?: 'always' | 'maybe';
  /** The present state may refuse the change (PAY004). */
  readonly mayConflict?: true;
  run(services: ManagementServices, by: Actor, input: InputOf<E>): Promise<R>;
}

export function operation<const E extends Entries, R>(made: Operation<E, R>): Operation<E, R> {
  return made;
}

/** The names of the members that are in the path. */
export function pathMembersOf(path: string): readonly string[] {
  return [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name);
}

/** True if the members that are not in the path are in a body. */
export function hasBody({ method }: Pick<Operation, 'method'>): boolean {
  return method !== 'GET' && method !== 'DELETE';
}

/** Runs an operation for an operator. Money that depends on the old state is a refusal, and no error of ours. */
export async function perform<E extends Entries, R>(
  { run }: Pick<Operation<E, R>, 'run'>,
  services: ManagementServices,
  by: Actor,
  input: InputOf<E>,
): Promise<R> {
  try {
    return await run(services, by, input);
  } catch (error) {
    if (error instanceof HeldMoneyError) throw refusal(error.message, error);
    if (error instanceof OpenMoneyError)
      throw refusal(`${error.message}. Drain it first. To turn it off now, send "force": true, or add --force.`, error);
    throw error;
  }
}

function refusal(message: string, cause: Error): GatewayError {
  return new GatewayError('PAYMENT_NOT_PAYABLE', message, { cause });
}
