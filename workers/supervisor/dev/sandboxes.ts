/** What the supervisor and the process of the sandboxes know about the sandboxes. */
import * as v from 'valibot';

/** The port of each sandbox that runs here, by adapter name. */
export const SandboxPorts = v.record(v.string(), v.number());

const SandboxReport = v.object({
  name: v.string(),
  url: v.string(),
  /** The provider code of the specification. */
  code: v.number(),
  inputs: v.array(v.string()),
});
/** A running sandbox. */
export type SandboxReport = v.InferOutput<typeof SandboxReport>;
export const SandboxReports = v.array(SandboxReport);

export function sandboxUrl(port: number): string {
  return `http://127.0.0.1:${port}`;
}

export function describeTakenPort(name: string, port: number): string {
  return `Port ${port} of 127.0.0.1, where the sandbox of ${name} listens, is taken by another program: stop that program and start again.`;
}
