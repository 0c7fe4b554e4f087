/** Headers that are a list of `name=value`. */

/** The values under a name in a header such as `t=1785801600,v1=5257a8…`, in their order and with repeats. */
export function elementsNamed(header: string, name: string): string[] {
  const elements = header.split(',').map((element) => element.replace(/^[ \t]+|[ \t]+$/g, ''));
  return elements.filter((one) => one.startsWith(`${name}=`)).map((one) => one.slice(name.length + 1));
}
