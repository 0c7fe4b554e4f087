import { capitalise } from '../../base/text/capitalise.ts';
/** The spellings of the name of an adapter. */

export interface Names {
  /** `my-bank`: folder, package, config. */
  readonly name: string;
  /** `My Bank`: for people. */
  readonly title: string;
  /** `myBank`: callback path and identifier. */
  readonly path: string;
  /** `My-Bank`: in headers. */
  readonly header: string;
}

/**
 * Derives all spellings from a name in lower-case letters, digits and dashes. `title` is the name for people, if the
 * company does not write it as the name suggests: `WeChat Pay`.
 */
export function toNames(name: string, title?: string): Names {
  const parts = name.split('-').map(capitalise);
  const joined = parts.join('');
  return {
    name,
    title: title ?? parts.join(' '),
    path: joined.slice(0, 1).toLowerCase() + joined.slice(1),
    header: parts.join('-'),
  };
}

/** The name that the templates use. */
export const templateNames: Names = toNames('new-provider');
