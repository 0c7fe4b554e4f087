/** What of the service one supervisor runs. */
export type Role = 'all' | 'api' | 'worker' | 'mongod';

interface Parts {
  readonly runsApi: boolean;
  readonly runsWorkers: boolean;
  readonly runsSandboxes: boolean;
}

export const rolesOf: Readonly<Record<Role, Parts>> = {
  all: { runsApi: true, runsWorkers: true, runsSandboxes: true },
  api: { runsApi: true, runsWorkers: false, runsSandboxes: true },
  worker: { runsApi: false, runsWorkers: true, runsSandboxes: false },
  mongod: { runsApi: false, runsWorkers: false, runsSandboxes: false },
};
