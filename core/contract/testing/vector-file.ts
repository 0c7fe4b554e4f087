/** Vectors: recorded samples of a provider's protocol, `{ provider, options, callbacks, submissions }`. */
import { readFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as v from 'valibot';
import { readJsonText, toPlain } from '../read/json.ts';
import { toAckOutcome, toCall, toEvent, toExpectation, toVerdict } from './vector-spelling.ts';

const Headers = v.optional(v.array(v.tuple([v.string(), v.string()])), []);
/** Text, or a JSON object or list that is sent as JSON text. */
const BodyText = v.union([
  v.string(),
  v.pipe(
    v.union([v.array(v.unknown()), v.record(v.string(), v.unknown())]),
    v.transform((body) => JSON.stringify(body)),
  ),
]);
const Body = { body: v.nullish(BodyText), bodyBase64: v.optional(v.string()) };

const Request = v.object({ method: v.string(), path: v.string(), headers: Headers, ...Body });
const Reply = v.object({ status: v.number(), headers: Headers, ...Body });
/** One request to the provider and its answer. A null reply means that the connection was closed. */
const Exchange = v.object({ request: v.nullish(Request), reply: v.nullish(Reply), nonce: v.optional(v.string()) });

const Facts = v.record(v.string(), v.unknown());
const Events = v.array(v.pipe(Facts, v.transform(toEvent)));
const Expectation = v.pipe(Facts, v.transform(toExpectation));
const Ack = v.object({
  outcome: v.optional(v.pipe(v.string(), v.transform(toAckOutcome))),
  status: v.number(),
  headers: v.optional(v.record(v.string(), v.string())),
  body: v.nullish(v.string()),
});
const CallbackExpectation = v.looseObject({
  genuine: v.optional(v.pipe(v.union([v.boolean(), v.string()]), v.transform(toVerdict))),
  events: v.optional(Events),
  mustFetch: v.optional(v.boolean()),
  ack: v.optional(Ack),
});

/**
 * A request that any call may make first (for an access token, a key set), and its answer; null closes the connection.
 */
const Standing = v.object({ request: v.object({ method: v.string(), path: v.string() }), reply: v.nullable(Reply) });
const Common = {
  name: v.string(),
  now: v.optional(v.string()),
  nonce: v.optional(v.string()),
  publicUrl: v.optional(v.string()),
  optionsOverride: v.optional(Facts),
  orRefuseOptions: v.optional(v.boolean()),
  keyFetch: v.optional(Exchange),
  /** Answers that replace those of the file to the same requests: a refused token, a lost key set. */
  standing: v.optional(v.array(Standing), []),
};

const Fetch = v.pipe(
  v.object({
    ...Exchange.entries,
    events: v.optional(Events),
    result: v.optional(v.string()),
    afterCommit: v.nullish(v.object({ ...Exchange.entries, expect: Facts })),
  }),
  v.transform(({ afterCommit, ...fetch }) => ({ ...fetch, ...(afterCommit && { markSeen: afterCommit }) })),
);
const CallbackVector = v.object({
  ...Common,
  route: v.string(),
  request: v.object({ ...Request.entries, query: v.optional(v.string(), '') }),
  payment: v.optional(Facts),
  fetch: v.nullish(Fetch),
  expect: CallbackExpectation,
});
/** A call with several requests lists them as `exchanges`; all others have `request` and `reply`. */
const CallVector = v.pipe(
  v.object({
    ...Common,
    ...Exchange.entries,
    exchanges: v.optional(v.pipe(v.array(Exchange), v.minLength(1))),
    call: v.pipe(v.optional(v.string(), 'submit'), v.transform(toCall)),
    payment: Facts,
    expect: Expectation,
  }),
  v.check(({ exchanges, request, reply }) => !exchanges || !(request || reply), 'exchanges, or request and reply'),
  v.transform(({ exchanges, request, reply, ...vector }) => {
    const [first, ...rest] = exchanges ?? [{ request, reply }];
    const { nonce = first?.nonce } = vector;
    return { ...vector, exchanges: [{ ...first, ...(nonce !== undefined && { nonce }) }, ...rest] };
  }),
);
/** The schema of a vectors file; `vectors.schema.json` publishes the same. */
export const VectorFile = v.object({
  provider: v.optional(v.string()),
  options: Facts,
  providerSide: v.optional(Facts, {}),
  standing: v.optional(v.array(Standing), []),
  publicUrl: v.optional(v.string()),
  callbacks: v.optional(v.array(CallbackVector), []),
  submissions: v.optional(v.array(CallVector), []),
});

export type VectorFile = v.InferOutput<typeof VectorFile>;
export type CallbackVector = v.InferOutput<typeof CallbackVector>;
export type CallVector = v.InferOutput<typeof CallVector>;
export type VectorExchange = v.InferOutput<typeof Exchange>;
export type VectorStanding = v.InferOutput<typeof Standing>;
export type VectorReply = v.InferOutput<typeof Reply>;
export type CallbackExpectation = v.InferOutput<typeof CallbackExpectation>;

/**
 * Reads a vectors file, as text or parsed. Throws an Error that names the first invalid member. Text is better, because
 * an amount such as `25.90` keeps its digits.
 */
export function readVectorFile(file: unknown): VectorFile {
  const result = v.safeParse(VectorFile, typeof file === 'string' ? parseSpelled(file) : file);
  if (result.success) return result.output;
  const [issue] = result.issues;
  throw new Error(
    `not a vectors file: ${v.getDotPath(issue) ?? 'the whole'}: expected ${issue.expected ?? issue.message}`,
  );
}

/** Strict JSON; a number that a double would spell differently becomes its text. */
export function parseSpelled(text: string): unknown {
  return JSON.parse(JSON.stringify(toPlain(readJsonText(text))));
}

/** The JSON of `fixtures/<name>` in the package that the module at `from` (its `import.meta.url`) belongs to. */
export function fixture(from: string, name: string): unknown {
  return parseSpelled(fixtureText(from, name));
}

/** Like `fixture`, but returns the text. */
export function fixtureText(from: string, name: string): string {
  return packageText(from, join('fixtures', name));
}

/** A file of the package that the module `from` belongs to, as text. */
export function packageText(from: string, path: string): string {
  let folder = dirname(fileURLToPath(from));
  while (!existsSync(join(folder, 'package.json'))) {
    if (dirname(folder) === folder) throw new Error(`no package.json above ${from}: it belongs to no package`);
    folder = dirname(folder);
  }
  return readFileSync(join(folder, path), 'utf8');
}
