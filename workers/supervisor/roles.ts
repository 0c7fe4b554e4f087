/** Which part of the service a supervisor runs. */
export type Role = 'all' | 'api' | 'worker' | 'mongod';

interface RoleParts {
  readonly runsApi: boolean;
  readonly runsWorkers: boolean;
  readonly runsSandboxes: boolean;
}

export const rolesOf: Readonly<Record<Role, RoleParts>> = {
  all: { runsApi: true, runsWorkers: true, runsSandboxes: true },
  api: { runsApi: true, runsWorkers: false, runsSandboxes: true },
  worker: { runsApi: false, runsWorkers: true, runsSandboxes: false },
  mongod: { runsApi: false, runsWorkers: false, runsSandboxes: false },
};
