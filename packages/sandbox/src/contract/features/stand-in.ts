/**
 * The source of a module in which another function stands in for an exported one: for the module's own calls, and for whoever imports it.
 * The function is addressed by its name alone; what it is made of may change as it likes. `standIn` is an expression: what it gives is
 * called with the real function and returns the other. Errors: the module does not declare such a function.
 */
export function withStandIn(
  source: string,
  { file, name }: { readonly file: string; readonly name: string },
  standIn: string,
): string {
  const declaration = new RegExp(`^export ((?:async )?function\\*? )${name}\\b`, 'm');
  if (!declaration.test(source)) throw new Error(`${file} declares no exported function ${name}`);
  const others = source.replace(declaration, `$1${name}$on`);
  return `${others}
const ${name}$off = (${standIn})(${name}$on);
export function ${name}(...given) {
  return ${name}$off(...given);
}
`;
}
