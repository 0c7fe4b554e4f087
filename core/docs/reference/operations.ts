/** The calls that a merchant makes, in the order of the document, with the names of their pages. */
import { groupBy } from '../../base/group-by.ts';
import type { OpenApiDocument } from '../../http/openapi/index.ts';
import type { Operation, Parameter } from '../../http/openapi/model.ts';

export interface Call {
  readonly method: 'GET' | 'POST';
  readonly path: string;
  readonly operation: Operation;
  readonly title: string;
  /** Parameters with their references resolved. */
  readonly parameters: readonly Parameter[];
  /** The scopes of the key. Empty: the call needs no key. */
  readonly scopes: readonly string[];
  /** True for a call that is `payH2h` with the code of one provider. */
  readonly isOfProvider: boolean;
}

export interface CallGroup {
  readonly name: string;
  readonly description: string;
  readonly calls: readonly Call[];
}

/** Only calls with an API key: the others are for providers, payers and operators. */
export function merchantCalls(document: OpenApiDocument): readonly Call[] {
  return Object.entries(document.paths).flatMap(([path, { post, get }]) => {
    const both = [['POST', post] as const, ['GET', get] as const];
    return both.flatMap(([method, operation]): Call[] => {
      if (!operation || !operation.security?.some((way) => 'apiKey' in way)) return [];
      const parameters = (operation.parameters ?? []).map((given) =>
        '$ref' in given ? document.components.parameters[given.$ref.split('/').at(-1)!]! : given,
      );
      const title = operation.summary.replace(/^\d+\. /, '');
      const scopes = operation['x-scopes'] ?? [];
      const isOfProvider = /^\/payments\/h2h\/\d+$/.test(path);
      return [{ method, path, operation, title, parameters, scopes, isOfProvider }];
    });
  });
}

/** The merchant's own tests of signatures share a tag with the callbacks of providers. */
const signatureTests = {
  name: 'Signature tests',
  description: 'Check that you compute the signature of a notification correctly.',
};

export function groupCalls(document: OpenApiDocument, calls: readonly Call[]): readonly CallGroup[] {
  const byTag = groupBy(calls, ({ operation, path }) =>
    path.startsWith('/callbacks/') ? signatureTests.name : (operation.tags[0] ?? ''),
  );
  return [...document.tags, signatureTests].flatMap(({ name, description }) => {
    const ofTag = byTag.get(name) ?? [];
    return ofTag.length > 0 ? [{ name, description, calls: ofTag }] : [];
  });
}

export function callPath({ operation }: Pick<Call, 'operation'>): string {
  return `/docs/api/${operation.operationId}`;
}

/**
 * Finds the call that a text names, such as `POST /payments/h2h/11` or `GET /payment-requests?status=2`. A path with
 * the code of a provider means the call for every provider.
 */
export function createCallFinder(calls: readonly Call[]): (text: string) => string | undefined {
  const patterns = calls
    .filter(({ isOfProvider }) => !isOfProvider)
    .map((call) => {
      const path = call.path.replaceAll('.', '\\.').replaceAll(/\{\w+\}/g, '[^/?]+');
      return { call, pattern: new RegExp(`^${call.method} (?:/v2)?${path}(?:\\?.*)?$`) };
    })
    // A path without a variable part is the better match.
    .toSorted((left, right) => Number(left.call.path.includes('{')) - Number(right.call.path.includes('{')));
  return (text) => {
    const found = patterns.find(({ pattern }) => pattern.test(text));
    return found && callPath(found.call);
  };
}
