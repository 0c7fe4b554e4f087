/** Packs the contract as a tarball, for a package outside the repository. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const runFile = promisify(execFile);

export const contractTarball = 'paywright-contract.tgz';

/** Packs the contract that this process uses into this folder, as `contractTarball`. */
export async function packContract(vendor: string): Promise<void> {
  const contract = fileURLToPath(new URL('..', import.meta.resolve('@paywright/contract')));
  if (!existsSync(join(contract, 'dist/index.js'))) throw new Error('core/contract is not built: npm run build');
  await mkdir(vendor);
  const words = ['pack', '--json', '--ignore-scripts', '--pack-destination', vendor];
  const { stdout } = await runFile('npm', words, { cwd: contract });
  const [packed] = JSON.parse(stdout) as [{ readonly filename: string }];
  await rename(join(vendor, packed.filename), join(vendor, contractTarball));
}
