/**
 * The addresses of the documentation. Pages name each other by relative addresses, so that they work under every host
 * name and behind a path prefix.
 */
import { addressFrom } from '../../html/assets.ts';
import type { MarkdownPlace } from '../markdown.ts';

export const docsPath = '/docs';
export const apiPath = `${docsPath}/api`;
export const objectsPath = `${apiPath}/objects`;

export function pathOf(slug: string): string {
  return slug === '' ? docsPath : `${docsPath}/${slug}`;
}

/** `target` is a path from the root of the service, which may have a query and a fragment. */
export function linkFrom(path: string, target: string): string {
  return addressFrom({ path }, { path: target.slice(1) });
}

/** Addresses of the service that a page may name as code. */
const served = /^\/(docs(\/[\w./#-]*)?|openapi\.json|llms\.txt)$/;

/** `pathOfName` finds the page of what a text names, such as `POST /payment-requests` or `payment.succeeded`. */
export function placeOf(
  path: string,
  isPage: (slug: string) => boolean,
  pathOfName: (name: string) => string | undefined,
): MarkdownPlace {
  return {
    addressOf(target) {
      if (target.startsWith('#') || target.startsWith('https://')) return target;
      if (target.startsWith('images/')) return linkFrom(path, `${docsPath}/${target}`);
      const [file = '', fragment] = target.split('#');
      const slug = file === 'README.md' ? '' : file.replace(/\.md$/, '');
      if (!file.endsWith('.md') || (slug !== '' && !isPage(slug))) return undefined;
      return linkFrom(path, pathOf(slug)) + (fragment === undefined ? '' : `#${fragment}`);
    },
    addressOfCode(code) {
      const target = served.test(code) ? code : pathOfName(code);
      return target === undefined ? undefined : linkFrom(path, target);
    },
  };
}
