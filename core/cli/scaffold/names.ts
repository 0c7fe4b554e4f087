/** How one adapter is spelled in the places that name it. */

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

/** Of a name in small letters, digits and dashes. */
export function toNames(name: string): Names {
  const parts = name.split('-').map((part) => part.slice(0, 1).toUpperCase() + part.slice(1));
  const joined = parts.join('');
  return {
    name,
    title: parts.join(' '),
    path: joined.slice(0, 1).toLowerCase() + joined.slice(1),
    header: parts.join('-'),
  };
}

/** The template's own name. */
export const templateNames: Names = toNames('new-provider');
