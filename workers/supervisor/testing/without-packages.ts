/** For NODE_OPTIONS: Node finds none of these packages, as where they were left out of the install. */
export function withoutPackages(names: readonly string[]): string {
  const resolve = `export async function resolve(name, context, next) {
    if (!${JSON.stringify(names)}.includes(name)) return next(name, context);
    throw Object.assign(new Error("Cannot find package '" + name + "'"), { code: 'ERR_MODULE_NOT_FOUND' });
  }`;
  const register = `import { register } from 'node:module'; register(${JSON.stringify(toDataUrl(resolve))});`;
  return `--import=${toDataUrl(register)}`;
}

function toDataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
