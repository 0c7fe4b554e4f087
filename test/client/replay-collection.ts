/** Runs a Postman collection as newman does: in order, with its scripts, against a gateway. */
import { createContext, runInContext } from 'node:vm';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { PostmanCollection, PostmanItem } from '../../core/http/openapi/postman-collection.ts';
import type { Answer, TestGateway } from '../support/start-gateway.ts';

export interface SentBody {
  readonly item: PostmanItem;
  readonly body: unknown;
}

export interface Replay {
  readonly skipped: readonly { readonly name: string; readonly reason: string }[];
  /** The bodies that were sent, with their variables filled in. */
  readonly bodies: readonly SentBody[];
}

export function scriptOf({ event }: PostmanItem, listen: 'prerequest' | 'test'): string {
  return event.flatMap((one) => (one.listen === listen ? one.script.exec : [])).join('\n');
}

/** Throws if a check of the collection fails. */
export async function replayCollection(
  { item: folders, variable }: PostmanCollection,
  gateway: TestGateway,
  given: Readonly<Record<string, string>>,
): Promise<Replay> {
  const variables = new Map(variable.map(({ key, value }) => [key, value]));
  for (const [name, value] of Object.entries(given)) variables.set(name, value);
  const skipped: { name: string; reason: string }[] = [];
  const bodies: SentBody[] = [];
  const items = folders.flatMap(({ item }) => item);
  for (let at = 0; at < items.length; at += 1) {
    const item = items[at]!;
    const before = await runScript(scriptOf(item, 'prerequest'), { item, variables });
    if (before.isSkipped) {
      skipped.push({ name: item.name, reason: before.skippedTests.join() });
      continue;
    }
    const { answer, body } = await send(item, variables, gateway);
    if (body !== undefined) bodies.push({ item, body });
    const { next, tests } = await runScript(scriptOf(item, 'test'), { item, variables, answer });
    if (next === item.name) at -= 1;
    else expect(tests, item.name).to.have.length.above(0);
  }
  return { skipped, bodies };
}

/** Sends the request as Postman does, with variables filled in. */
async function send(
  { request: { method, url, header, body: given } }: PostmanItem,
  variables: ReadonlyMap<string, string>,
  gateway: TestGateway,
): Promise<{ readonly answer: Answer; readonly body: unknown }> {
  const fill = (text: string): string =>
    text.replaceAll(/\{\{(\$?\w+)\}\}/g, (_, name: string) => {
      if (name === '$guid') return crypto.randomUUID();
      return variables.get(name) || expect.fail(`${name} has no value`);
    });
  const valueOf = (part: string): string => url.variable.find(({ key }) => `:${key}` === part)!.value;
  expect(url.raw).to.equal(`${url.host.join('.')}/${url.path.join('/')}`);
  const path = `/${url.path.map((part) => (part.startsWith(':') ? fill(valueOf(part)) : part)).join('/')}`;
  const headers = Object.fromEntries(header.map(({ key, value }) => [key, fill(value)]));
  const body: unknown = given && JSON.parse(fill(given.raw));
  const answer = method === 'GET' ? await gateway.get(path, headers) : await gateway.post(path, body, headers);
  return { answer, body };
}

interface ScriptContext {
  readonly item: PostmanItem;
  readonly variables: Map<string, string>;
  readonly answer?: Answer;
}

interface ScriptResult {
  readonly isSkipped: boolean;
  /** The name of the request that the script wants next. */
  readonly next: string | undefined;
  readonly tests: readonly string[];
  readonly skippedTests: readonly string[];
}

/** The part of Postman's `pm` that our scripts use. A failed check throws. */
async function runScript(script: string, { item, variables, answer }: ScriptContext): Promise<ScriptResult> {
  const result = { isSkipped: false, next: undefined as string | undefined, tests: [] as string[] };
  const skippedTests: string[] = [];
  const timers: Promise<void>[] = [];
  const test = (name: string, check: () => void): void => {
    result.tests.push(name);
    try {
      check();
    } catch (error) {
      throw new Error(`${item.name}: ${name}: ${answer?.text}`, { cause: error });
    }
  };
  test.skip = (name: string): void => void skippedTests.push(name);
  const store = {
    get: (name: string) => variables.get(name),
    set: (name: string, value: string) => void variables.set(name, value),
  };
  const pm = {
    test,
    expect,
    variables: store,
    collectionVariables: store,
    info: { requestName: item.name },
    response: answer && { code: answer.status, json: () => answer.json as unknown },
    execution: {
      skipRequest: () => void (result.isSkipped = true),
      setNextRequest: (name: string) => void (result.next = name),
    },
  };
  const later = (run: () => void, ms: number): void => void timers.push(delay(ms).then(run));
  // A function, so that two scripts may declare the same name.
  runInContext(`{${script}\n}`, createContext({ pm, setTimeout: later }));
  await Promise.all(timers);
  return { ...result, skippedTests };
}
