/** Describes calls without a key: of providers, payers, and monitoring. */
import type { ErrorKind } from '../../base/errors.ts';
import { answerHeaders } from './headers.ts';
import type { HeaderName } from './headers.ts';
import type { MediaType, Operation, Paths, Response } from './model.ts';
import { failureResponses } from './problems.ts';
import type { DocumentFacts } from './section.ts';
import { toServers } from './servers.ts';

export const html: Readonly<Record<string, MediaType>> = { 'text/html': { schema: { type: 'string' } } };
export const noKey: NonNullable<Operation['security']> = [];

/** Paths that are not served under `/v2`. */
export function unversioned({ config }: DocumentFacts, paths: Paths): Paths {
  const { bare, relative } = toServers(config.publicUrl);
  const servers = [bare, relative];
  return Object.fromEntries(Object.entries(paths).map(([path, item]) => [path, { servers, ...item }]));
}

export function failures(kinds: readonly ErrorKind[]): Record<string, Response> {
  return failureResponses(kinds, { isKeyed: false });
}

export function answer(description: string, content: Response['content'], more: readonly HeaderName[] = []): Response {
  return { description, headers: answerHeaders(['X-Request-Id', ...more]), ...(content && { content }) };
}
