import { moduleHooks } from '../../../core/base/testing/module-hooks.ts';

/** A value for NODE_OPTIONS with which Node.js finds none of these packages, as if they were not installed. */
export function withoutPackages(names: readonly string[]): string {
  const resolve = `
    if (!${JSON.stringify(names)}.includes(name)) return next(name, context);
    throw Object.assign(new Error("Cannot find package '" + name + "'"), { code: 'ERR_MODULE_NOT_FOUND' });`;
  return `--import=${moduleHooks({ resolve })}`;
}
