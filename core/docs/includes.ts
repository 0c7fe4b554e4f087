/**
 * The parts of the guide that are made from the tables of the service when a page is served: errors with their cures,
 * decline codes, and notifications with their examples. A page names the part in a comment: `<!-- include: errors -->`.
 */
import { declineReasons } from '@paywright/contract';
import { errorKinds, type ErrorKind } from '../base/errors.ts';
import type { HttpConfig } from '../http/deps.ts';
import { notificationTypes } from '../http/notifications/webhooks.ts';
import { explainErrors, problemExample, type OpenApiDocument } from '../http/openapi/index.ts';

export type Includes = Readonly<Record<string, () => string>>;

export function createIncludes(config: HttpConfig, document: OpenApiDocument): Includes {
  return {
    errors: () => describeErrors(config),
    'decline-codes': describeDeclines,
    events: () => describeEvents(document),
  };
}

/** Replaces the comments with the parts that they name. */
export function expandIncludes(source: string, includes: Includes): string {
  return source.replaceAll(/<!-- include: ([\w-]+) -->/g, (comment, name: string) => includes[name]?.() ?? comment);
}

/** The heading's id is the code, which the `type` of a problem names. */
function describeErrors(config: HttpConfig): string {
  const explanations = explainErrors(config);
  const kinds = Object.keys(errorKinds) as ErrorKind[];
  return kinds
    .map((kind) => {
      const { code, status, title } = errorKinds[kind];
      const { meaning, cure, details } = explanations[kind];
      const members = Object.entries(details.properties ?? {}).map(
        ([name, { description = '' }]) => `- \`${name}\`: ${description}`,
      );
      const body = problemExample(kind, config.publicUrl, explanations[kind]);
      return [
        `### ${code} ${kind} {#${code}}`,
        `**${title}** · HTTP ${status}`,
        meaning,
        `**What to do:** ${cure}`,
        ...(members.length > 0 ? [`In \`details\`:\n\n${members.join('\n')}`] : []),
        fence('json fold Example', JSON.stringify(body, null, 2)),
      ].join('\n\n');
    })
    .join('\n\n');
}

function describeDeclines(): string {
  const rows = Object.entries(declineReasons)
    .toSorted(([left], [right]) => (left < right ? -1 : 1))
    .map(([code, words]) => `| \`${code}\` | ${words} |`);
  return ['| code | meaning |', '| --- | --- |', ...rows].join('\n');
}

function describeEvents({ webhooks }: OpenApiDocument): string {
  return Object.entries(webhooks)
    .map(([type, { post }]) => {
      const example = post?.requestBody?.content['application/json']?.example;
      const when = notificationTypes[type] ?? '';
      const folded = fence(`json fold Example of ${type}`, JSON.stringify(example, null, 2));
      return [`### ${type} {#${type}}`, when, folded].join('\n\n');
    })
    .join('\n\n');
}

function fence(info: string, text: string): string {
  return `\`\`\`${info}\n${text}\n\`\`\``;
}
