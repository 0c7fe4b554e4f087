/** Checks options: a wrong option is refused by name, and secrets are marked as secrets. */
import * as v from 'valibot';
import { secretPaths } from '../../proof/options.ts';
import { demand, type Check } from './kit.ts';
import type { Subject } from './subject.ts';

const rule = 'options';
/** Replaces a secret with a wrong one that must not be repeated. */
const marker = 'never-show-this';

export function optionsChecks<Options>(subject: Subject<Options>): Check[] {
  const { adapter, file, kit } = subject;
  const schema = adapter.manifest.options;
  const given = file.options;
  const issuesOf = (options: unknown): readonly v.BaseIssue<unknown>[] => v.safeParse(schema, options).issues ?? [];

  return [
    {
      rule,
      title: 'accepts the options of its vectors',
      async run() {
        subject.readOptions(given);
      },
    },
    {
      rule,
      title: 'refuses each missing, unknown or mistyped option by its name',
      async run() {
        for (const name of ['baseUrl', 'sandboxBaseUrl']) {
          const { [name]: _, ...rest } = given;
          demand(issuesOf(rest).length > 0, `options without ${name} are accepted`, `make \`${name}\` required`);
        }
        for (const name of Object.keys(given)) {
          const { [name]: _, ...rest } = given;
          for (const wrong of [rest, { ...rest, [name]: 7.5 }, { ...rest, [name]: null }]) {
            const named = issuesOf(wrong).every((issue) => v.getDotPath(issue)?.split('.')[0] === name);
            demand(named, `a wrong ${name} is refused without its name`, 'check each option in its own schema');
          }
        }
        const strange = issuesOf({ ...given, noSuchOption: 1 });
        demand(
          strange.some((issue) => v.getDotPath(issue) === 'noSuchOption'),
          'an unknown option is accepted: a typing mistake would go unnoticed',
          'use `v.strictObject` for the options',
        );
      },
    },
    {
      rule,
      title: 'accepts only https addresses, or http addresses of this machine',
      async run() {
        // Also the second addresses that the sandbox plays: core sends requests there.
        const seconds = Object.keys(kit.sandbox?.create.addresses ?? {});
        for (const name of ['baseUrl', 'sandboxBaseUrl', ...seconds]) {
          for (const address of ['http://api.example', 'https://api.example/', 'api.example', '']) {
            demand(
              issuesOf({ ...given, [name]: address }).length > 0,
              `${name} takes ${JSON.stringify(address)}`,
              'use the schema `baseUrl` of the contract',
            );
          }
          demand(
            issuesOf({ ...given, [name]: 'http://127.0.0.1:9' }).length === 0,
            `${name} refuses http://127.0.0.1:9, where sandboxes run`,
            'use the schema `baseUrl` of the contract',
          );
        }
      },
    },
    {
      rule: 'secrecy',
      title: 'marks every secret option, and repeats no secret when it refuses it',
      async run() {
        const secret = new Set(secretPaths(schema).map((path) => path.join('.')));
        for (const path of textPaths(given)) {
          const looksSecret = /(secret|password|salt|token|key)s?$/i.test(nameOf(path)) && !/public/i.test(path);
          demand(
            !looksSecret || isMarked(secret, path) || (kit.notSecret ?? []).includes(path),
            `option ${path} is named like a secret but is not marked, so it would be shown and logged`,
            'wrap its schema in `secret` or `secretOf`, or list it in `notSecret` of the kit',
          );
        }
        for (const path of secretPaths(schema)) {
          const reported = issuesOf(withSecret(given, path)).map(({ message }) => message);
          demand(
            !reported.some((message) => message.includes(marker)),
            `refusing ${path.join('.')} repeats its value`,
            'give each check of the schema a message of its own, such as `64 hex digits`',
          );
        }
      },
    },
  ];
}

/** The paths of all texts. Every item of a list, and every member of an object that looks like a record, is `*`. */
function textPaths(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value === 'string') return [path.join('.')];
  if (typeof value !== 'object' || !value) return [];
  const found = Object.entries(value).flatMap(([name, item]) =>
    textPaths(item, [...path, Array.isArray(value) ? '*' : name]),
  );
  return [...new Set(found)];
}

function nameOf(path: string): string {
  return path.split('.').findLast((step) => step !== '*' && !/^\d+$/.test(step)) ?? path;
}

/** A record's members are `*` in a schema and have names in the options. */
function isMarked(secret: ReadonlySet<string>, path: string): boolean {
  const steps = path.split('.');
  return [...secret].some((marked) => {
    const wanted = marked.split('.');
    return wanted.length === steps.length && wanted.every((step, at) => step === '*' || step === steps[at]);
  });
}

/** The options with one secret replaced; a list or record becomes a single wrong entry. */
function withSecret(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return marker;
  const holder = typeof value === 'object' && value ? value : {};
  if (step !== '*') return { ...holder, [step]: withSecret((holder as Record<string, unknown>)[step], rest) };
  const items = Object.entries(holder).map(([name, item]) => [name, withSecret(item, rest)] as const);
  return Array.isArray(value) ? items.map(([, item]) => item) : Object.fromEntries(items);
}
