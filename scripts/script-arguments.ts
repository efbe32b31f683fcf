import type { ParseArgsOptionsConfig } from 'node:util';
import { parseArgs } from 'node:util';
import { usages, usageText } from './usages.ts';

/** The arguments of a script of `package.json`, after its name. */
const given = () => process.argv.slice(2);

/**
 * Prints the usage of a script and ends the process with 0 where `--help` or `-h` is among the
 * arguments, up to `--`. Gives the arguments otherwise. A script calls it before anything else.
 */
export function unlessHelp(name: string): readonly string[] {
  const args = given();
  const [own] = args.includes('--') ? [args.slice(0, args.indexOf('--'))] : [args];
  const usage = usages[name];
  if (usage === undefined) throw new Error(`scripts/usages.ts lacks ${name}`);
  if (own.includes('--help') || own.includes('-h')) {
    process.stdout.write(usageText(name, usage));
    process.exit(0);
  }
  return args;
}

/**
 * The arguments of a script as `parseArgs` reads them. Ends the process with 0 and the usage for
 * `--help`, and with 2 and a hint where they are not valid.
 */
export function scriptArguments<const T extends ParseArgsOptionsConfig>(
  name: string,
  options: T,
  { allowPositionals = false } = {},
) {
  const args = unlessHelp(name);
  try {
    return parseArgs({ args: [...args], options, allowPositionals });
  } catch (error) {
    return wrongArguments(name, error instanceof Error ? error.message : String(error));
  }
}

/** Ends the process with 2, and prints why the arguments of a script are not valid. */
export function wrongArguments(name: string, why: string): never {
  console.error(
    `${name}: ${why.split('. ')[0]?.replace(/\.$/, '')}. Run 'npm run ${name} -- --help' for its arguments.`,
  );
  process.exit(2);
}
