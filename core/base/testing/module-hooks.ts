/** Hooks that a Node.js process of a test installs in front of its module loader. */

export interface ModuleHooks {
  /** The body of `resolve(name, context, next)`. It returns what `next` returns. */
  readonly resolve?: string;
  /** The body of `load(url, context, next)`. It returns what `next` returns. */
  readonly load?: string;
  /** Statements before both, such as imports. */
  readonly head?: string;
}

/**
 * The address to pass to `--import`. Uses `module.registerHooks`, and `module.register` on versions of Node.js that
 * lack it; newer versions print a deprecation warning for `module.register`.
 */
export function moduleHooks({ resolve, load, head = '' }: ModuleHooks): string {
  const hooks = [
    resolve === undefined ? '' : `export function resolve(name, context, next) { ${resolve} }`,
    load === undefined ? '' : `export function load(url, context, next) { ${load} }`,
  ].join('\n');
  const hooksModule = JSON.stringify(toDataUrl(`${head}\n${hooks}`));
  return toDataUrl(`import module from 'node:module';
    if (module.registerHooks) module.registerHooks(await import(${hooksModule}));
    else module.register(${hooksModule});`);
}

function toDataUrl(code: string): string {
  return `data:text/javascript,${encodeURIComponent(code)}`;
}
