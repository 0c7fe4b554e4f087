/**
 * The operations of the management API, for commands: on the database, or with `--url` at a running service. Both give
 * a command the same values, as JSON has them.
 */
import { isIPv4 } from 'node:net';
import { hasBody, pathMembersOf, perform, type Operation } from '../console/api/operation.ts';
import { operations, type OperationName } from '../console/api/operations.ts';
import type { Problem } from '../http/middleware/problem.ts';
import { UsageError, type Shell } from './command.ts';
import { createLocalServices } from './local-services.ts';
import type { KnownOwners } from './owner-id.ts';
import { operatorOf } from './operator.ts';
import { withDatabase } from './with-database.ts';

/** The option of commands that can be run at a service. */
export const url = {
  type: 'string',
  value: '<address>',
  help: "run at the service with this operators' listener; the admin key is in PAYWRIGHT_OPERATOR_KEY",
} as const;

type InputTo<N extends OperationName> = Parameters<(typeof operations)[N]['run']>[2];
type ResultOf<N extends OperationName> = Json<Awaited<ReturnType<(typeof operations)[N]['run']>>>;
/** A value as JSON has it. */
type Json<T> = T extends Date ? string : T extends object ? { readonly [K in keyof T]: Json<T[K]> } : T;

type ListName = 'listMerchants' | 'listKeys' | 'listEndpoints' | 'listPortalLinks' | 'listAccounts';
type ItemOf<N extends ListName> = ResultOf<N>['items'][number];

export interface Management {
  readonly call: <N extends OperationName>(name: N, input: InputTo<N>) => Promise<ResultOf<N>>;
  /** All items of a list. */
  readonly all: <N extends ListName>(
    name: N,
    input: Omit<InputTo<N>, 'limit' | 'cursor'>,
  ) => Promise<readonly ItemOf<N>[]>;
  readonly owners: KnownOwners<Pick<ResultOf<'getMerchant'>, 'id' | 'name' | 'notifyUrls'>>;
}

type Call = (name: OperationName, input: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** Without `--url`, connects to the database while `work` runs. */
export async function withManagement<T>(
  shell: Shell,
  values: { readonly url?: string },
  work: (management: Management) => Promise<T>,
): Promise<T> {
  if (values.url !== undefined) {
    const call = createRemoteCall(shell, values.url);
    return work({ ...toManagement(call, 100), owners: ownersAt(call) });
  }
  return withDatabase(shell, async (access) => {
    const services = await createLocalServices(access, shell);
    const call: Call = async (name, input) => {
      const operation = operations[name] as unknown as Operation;
      return toJson(await perform(operation, services, operatorOf(shell), input));
    };
    return work({ ...toManagement(call, Number.MAX_SAFE_INTEGER), owners: access.owners });
  });
}

function toManagement(call: Call, limit: number): Pick<Management, 'call' | 'all'> {
  return {
    call: call as Management['call'],
    async all<N extends ListName>(name: N, input: object) {
      const items: ItemOf<N>[] = [];
      for (let cursor: string | undefined; ;) {
        const page = (await call(name, { ...input, limit, cursor })) as ResultOf<N>;
        items.push(...(page.items as readonly ItemOf<N>[]));
        if (page.nextCursor === null) return items;
        cursor = page.nextCursor;
      }
    },
  };
}

function ownersAt(call: Call): Management['owners'] {
  const management = toManagement(call, 100);
  return {
    find: async (name) =>
      management.call('getMerchant', { merchant: name }).catch((error: unknown) => {
        if (error instanceof RefusedError && error.problem.status === 404) return undefined;
        throw error;
      }),
    list: async () => management.all('listMerchants', {}),
  };
}

/** The service refused a call. The message is that of the command on the database. */
export class RefusedError extends Error {
  override readonly name = 'RefusedError';
  readonly problem: Pick<Problem, 'status' | 'code'>;

  constructor(problem: Pick<Problem, 'status' | 'code' | 'detail'>) {
    super(problem.detail);
    this.problem = problem;
  }
}

/** What a listener for merchants answers. */
const noRoute = 'there is no route for this method and path';
/** Longer than the longest operation: the answer to a test event. */
const limitMs = 90_000;

function createRemoteCall({ env, stderr }: Shell, address: string): Call {
  const { PAYWRIGHT_OPERATOR_KEY: key = '' } = env;
  if (key === '')
    throw new UsageError('--url needs the key of an operator with the role admin in PAYWRIGHT_OPERATOR_KEY.');
  const base = readBase(address);
  if (base.protocol === 'http:' && !isThisMachine(base.hostname))
    stderr(`The key is sent to ${base.host} without encryption: use https, or a connection that is encrypted.`);
  return async (name, input) => {
    const operation = operations[name] as unknown as Operation;
    const { target, body } = toRequest(base, operation, input);
    const response = await fetch(target, {
      method: operation.method,
      headers: {
        Authorization: `Bearer ${key}`,
        Accept: 'application/json',
        ...(body !== undefined && { 'Content-Type': 'application/json' }),
      },
      ...(body !== undefined && { body }),
      // The key must not reach another host.
      redirect: 'error',
      signal: AbortSignal.timeout(limitMs),
    }).catch((cause: unknown) => {
      throw new Error(`The service at ${base.origin} cannot be reached: ${reasonOf(cause)}`, { cause });
    });
    const answer: unknown = await response.json().catch(() => undefined);
    if (response.ok && answer !== undefined) return answer;
    const { code, detail } = (answer ?? {}) as Partial<Problem>;
    const isOurs = code !== undefined && detail !== undefined && detail !== noRoute;
    if (isOurs) throw new RefusedError({ status: response.status, code, detail });
    throw new Error(
      `${base.origin} is not the operators' listener of a service: it answered ${response.status}. The service prints the address of its console at the start.`,
    );
  };
}

function readBase(address: string): URL {
  const base = URL.canParse(address) ? new URL(address) : undefined;
  if (base && /^https?:$/.test(base.protocol) && !base.username && !base.password) return base;
  throw new UsageError("--url must be the address of the operators' listener, for example http://127.0.0.1:9464.");
}

function isThisMachine(host: string): boolean {
  return host === 'localhost' || host === '[::1]' || (isIPv4(host) && host.startsWith('127.'));
}

/** Members that the path does not name are in the query, or in the body. */
function toRequest(base: URL, operation: Operation, input: Readonly<Record<string, unknown>>) {
  const given = Object.entries(input).filter(([, value]) => value !== undefined);
  const inPath = pathMembersOf(operation.path);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(input[name])));
  const others = given.filter(([name]) => !inPath.includes(name));
  // The address of the console leads here too.
  const target = new URL(`${base.pathname.replace(/\/(ops\/?)?$/, '')}${path}`, base);
  if (hasBody(operation)) return { target, body: JSON.stringify(Object.fromEntries(others.map(toMember))) };
  for (const [name, value] of others) target.searchParams.set(name, String(value));
  return { target, body: undefined };
}

function toMember([name, value]: readonly [string, unknown]): readonly [string, unknown] {
  return [name, value instanceof Uint8Array ? Buffer.from(value).toString('base64') : value];
}

function toJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

function reasonOf(error: unknown): string {
  const { cause } = error as { readonly cause?: unknown };
  const inner = cause instanceof Error && cause.message !== '' ? cause : error;
  return inner instanceof Error ? inner.message : String(inner);
}
