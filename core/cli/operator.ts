import { hostname, userInfo } from 'node:os';
import type { Actor } from '../engine/audit/index.ts';
import type { Shell } from './command.ts';

/** The user of the command: the OS user, and the original user if `sudo` was used. */
export function operatorOf({ env }: Pick<Shell, 'env'>): Actor {
  const user = userName();
  const { SUDO_USER: person } = env;
  return { type: 'command', name: person && person !== user ? `${person} as ${user}` : user, from: hostname() };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user may have no name.
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
