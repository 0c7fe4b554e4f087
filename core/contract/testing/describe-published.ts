/**
 * A mocha suite for the messages that a provider publishes: `fixtures/published.json`, one message or more for each
 * event type. The file is a vectors file without signatures. Its root and its messages also name event types.
 */
import assert from 'node:assert/strict';
import * as v from 'valibot';
import type { ProviderAdapter } from '../adapter.ts';
import type { VectorOptions } from './play-vector.ts';
import { listVectors, type Vector } from './run-vectors.ts';
import { signVectors } from './sign-vectors.ts';
import type { SignCallback } from './signers.ts';
import { parseSpelled, readVectorFile, type CallbackVector } from './vector-file.ts';

export interface PublishedOptions<Options> extends Omit<VectorOptions<Options>, 'only'> {
  /** Signs the callbacks, because published messages carry no signature of ours. Absent: the provider signs nothing. */
  readonly sign?: SignCallback<Options>;
}

const Types = v.pipe(v.array(v.string()), v.minLength(1));
const Message = v.object({ types: Types });
const Published = v.object({
  /** The documents that the messages were built from, each with its version and the date. */
  sources: v.pipe(v.array(v.string()), v.minLength(1)),
  /** Every event type that the provider publishes for payments, refunds and disputes. */
  types: Types,
  callbacks: v.optional(v.array(Message), []),
  submissions: v.optional(v.array(Message), []),
});

/** Defines one test per message, and one of the file. Uses the `describe` and `it` of the running mocha. */
export function describePublished<Options>(
  adapter: ProviderAdapter<Options>,
  text: string,
  { sign, ...options }: PublishedOptions<Options> = {},
): void {
  const { callbacks, submissions } = readVectorFile(text);

  describe(`published messages of ${adapter.manifest.name}`, () => {
    let vectors: readonly Vector[] = [];
    before(async () => {
      const signed = sign ? await signVectors(adapter, text, sign) : { text };
      vectors = listVectors(adapter, signed.text, options);
    });

    it('have a message for each published type, and a decision about each message', () => {
      assert.deepEqual(publishedFaults(text), []);
    });

    for (const [at, { name }] of [...callbacks, ...submissions].entries()) {
      it(`are understood: ${name}`, async () => {
        const { passed, differences } = await vectors[at]!.run();
        if (!passed) throw new Error(differences.join('\n'));
      });
    }
  });
}

/** What a file of published messages lacks, in words. */
export function publishedFaults(text: string): string[] {
  const published = v.parse(Published, parseSpelled(text));
  const listed = new Set(published.types);
  const shown = new Set([...published.callbacks, ...published.submissions].flatMap(({ types }) => types));
  const { callbacks, submissions } = readVectorFile(text);
  return [
    ...[...listed].filter((type) => !shown.has(type)).map((type) => `${type}: no message`),
    ...[...shown].filter((type) => !listed.has(type)).map((type) => `${type}: not among the types of the file`),
    ...callbacks.filter(({ expect }) => !isDecided(expect)).map(({ name }) => `${name}: ${undecided}`),
    ...submissions.filter(({ expect }) => expect['outcome'] === undefined).map(({ name }) => `${name}: no outcome`),
  ];
}

const undecided = 'expect events with a kind and a known status, no events, or "genuine": "malformed"';

function isDecided({ genuine, events }: CallbackVector['expect']): boolean {
  if (genuine === 'malformed') return true;
  return (
    events?.every(({ kind, status }) => kind !== undefined && status !== undefined && status !== 'unknown') ?? false
  );
}
