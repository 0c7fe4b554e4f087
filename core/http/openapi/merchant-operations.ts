/** The document's calls that need a key: what a merchant's client and collection are made of. */
import type { OpenApiDocument, Operation, Parameter } from './model.ts';

export interface MerchantOperation {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly operation: Operation;
  /** Those of path and query. */
  readonly parameters: readonly Parameter[];
}

/** In the document's order. */
export function merchantOperations({ paths }: OpenApiDocument): MerchantOperation[] {
  return Object.entries(paths).flatMap(([path, { post, get }]) => {
    const both = [['POST', post] as const, ['GET', get] as const];
    return both.flatMap(([method, operation]) => {
      // A stream has no answer to wait for.
      if (operation?.responses['200']?.content?.['text/event-stream']) return [];
      if (!operation?.security?.length || !operation.security.every((way) => 'apiKey' in way)) return [];
      const parameters = (operation.parameters ?? []).filter((one): one is Parameter => 'name' in one);
      return [{ method, path, operation, parameters }];
    });
  });
}
