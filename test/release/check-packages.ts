/** Checks tarballs as their users' tools read them: exports, types, files. */
import { run } from '../clients/run-program.ts';

const publint = 'publint@0.3.25';
const attw = '@arethetypeswrong/cli@0.18.5';

/** Throws with the tool's own report if a tarball has a problem. `cwd` is any folder. */
export async function checkPackage(tarball: string, cwd: string): Promise<void> {
  await run(['npx', '--yes', publint, 'run', tarball, '--strict'], { cwd });
  // The packages are for `import` alone, as Node.js 20.19 and newer can also `require` them.
  await run(['npx', '--yes', attw, tarball, '--profile', 'esm-only', '--no-emoji'], { cwd });
}
