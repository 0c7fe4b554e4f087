/** The sections of CHANGELOG.md that a release closes. */

const serviceUnreleased = '### Unreleased';
const contractUnreleased = /^### (\d+\.\d+\.\d+) \(unreleased\)$/m;

/** Thrown if the changelog cannot be released. The message says what to write. */
export class ChangelogError extends Error {}

/**
 * Gives the unreleased sections of the service and of the contract their version and date. `date` is `YYYY-MM-DD`.
 * Throws a ChangelogError if the service has nothing to release, or the contract's section names another version.
 */
export function closeSections(
  changelog: string,
  {
    version,
    contractVersion,
    date,
  }: { readonly version: string; readonly contractVersion: string; readonly date: string },
): string {
  if (!changelog.includes(`\n${serviceUnreleased}\n`) || !/^- /m.test(sectionOf(changelog, serviceUnreleased))) {
    throw new ChangelogError(
      `CHANGELOG.md has no entries under "${serviceUnreleased}": write what is new, and what to do on upgrade.`,
    );
  }
  const [, named] = contractUnreleased.exec(changelog) ?? [];
  if (named !== undefined && named !== contractVersion) {
    throw new ChangelogError(
      `CHANGELOG.md calls the next contract ${named}, and core/contract/package.json says ${contractVersion}: correct one of them.`,
    );
  }
  return changelog
    .replace(`\n${serviceUnreleased}\n`, `\n### ${version} (${date})\n`)
    .replace(contractUnreleased, `### ${contractVersion} (${date})`);
}

/** What the changelog says about a version of the service that was released. */
export function notesOf(changelog: string, version: string): string {
  const heading = changelog.split('\n').find((line) => line.startsWith(`### ${version} (`)) ?? '';
  return `${sectionOf(changelog, heading)}\n`;
}

/** The text below a heading, up to the next heading of the same level or above. */
export function sectionOf(changelog: string, heading: string): string {
  const [, after = ''] = changelog.split(`\n${heading}\n`);
  return after.split(/^#{2,3} /m, 1)[0]!.trim();
}
