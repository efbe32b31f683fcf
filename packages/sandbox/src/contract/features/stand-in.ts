/**
 * The source of a module in which an exported function is replaced, both for calls within the
 * module and for importers. Only the function's name matters; its body may change. `standIn` is an
 * expression whose value is called with the real function and returns the replacement. Errors: the
 * module does not declare such a function.
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
