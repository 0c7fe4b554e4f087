/** What the search knows: the sections of the guide, the calls, and the objects. */
import type { OpenApiDocument } from '../../http/openapi/index.ts';
import { renderMarkdown, type Section } from '../markdown.ts';
import { callPath, type Call } from '../reference/operations.ts';
import { objectNames } from '../reference/index-page.ts';
import { objectsPath } from './addresses.ts';
import type { SearchEntry } from './search.ts';

export interface SearchedPage {
  readonly path: string;
  readonly title: string;
  readonly description: string;
  readonly sections: readonly Section[];
}

export function searchEntries(
  calls: readonly Call[],
  document: OpenApiDocument,
  pages: readonly SearchedPage[],
): readonly SearchEntry[] {
  return [...pages.flatMap(entriesOfPage), ...calls.map(entryOfCall), ...entriesOfObjects(document)];
}

function entriesOfPage({ path, title, description, sections }: SearchedPage): SearchEntry[] {
  return sections.flatMap(({ heading, text, code }) => {
    if (heading === null) return [];
    return heading.depth === 1
      ? [{ path, page: title, title, text: `${description} ${text}`, code }]
      : [{ path: `${path}#${heading.id}`, page: title, title: heading.text, text, code }];
  });
}

function entryOfCall(call: Call): SearchEntry {
  const { operation, method, path, title } = call;
  const text = `${method} ${path} ${operation.operationId} ${toText(operation.description ?? '')}`;
  return { path: callPath(call), page: 'API reference', title, text };
}

function entriesOfObjects(document: OpenApiDocument): SearchEntry[] {
  return objectNames(document).map((name) => {
    const { description = '', properties = {} } = document.components.schemas[name]!;
    const members = Object.entries(properties).map(([member, schema]) => `${member} ${schema.description ?? ''}`);
    return {
      path: `${objectsPath}#schema-${name}`,
      page: 'Objects',
      title: name,
      text: `${description} ${members.join(' ')}`,
    };
  });
}

/** The text of a description, without its marks. */
function toText(source: string): string {
  return renderMarkdown(source).replaceAll(/<[^<>]+>/g, '');
}
