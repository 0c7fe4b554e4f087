/** The calls of the document that need a key. The merchant's client and the Postman collection are made from them. */
import type { OpenApiDocument, Operation, Parameter } from './model.ts';

export interface MerchantOperation {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly operation: Operation;
  /** The parameters of path and query. */
  readonly parameters: readonly Parameter[];
}

/** The calls in the order of the document. */
export function merchantOperations({ paths }: OpenApiDocument): MerchantOperation[] {
  return Object.entries(paths).flatMap(([path, { post, get }]) => {
    const both = [['POST', post] as const, ['GET', get] as const];
    return both.flatMap(([method, operation]) => {
      // A stream does not end, so a client cannot wait for its answer.
      if (operation?.responses['200']?.content?.['text/event-stream']) return [];
      if (!operation?.security?.length || !operation.security.every((way) => 'apiKey' in way)) return [];
      const parameters = (operation.parameters ?? []).filter((one): one is Parameter => 'name' in one);
      return [{ method, path, operation, parameters }];
    });
  });
}
