/** What the supervisor and the process of the sandboxes say of them. */
import * as v from 'valibot';

/** The port of each sandbox that runs here, by adapter. */
export const SandboxPorts = v.record(v.string(), v.number());

const SandboxReport = v.object({
  name: v.string(),
  url: v.string(),
  /** The specification's provider code. */
  code: v.number(),
  inputs: v.array(v.string()),
});
/** What a sandbox that runs says of its provider. */
export type SandboxReport = v.InferOutput<typeof SandboxReport>;
export const SandboxReports = v.array(SandboxReport);

export function sandboxUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}

export function sandboxPortTaken(name: string, port: number): string {
  return `Port ${port} of 127.0.0.1, where the sandbox of ${name} is to listen, is taken by another program: stop that program and start again.`;
}
