import { printYaml } from '@isthmus/machinery';

/**
 * JSON as the YAML that the real server answers: keys bytewise, items of a list no deeper than its
 * key.
 */
export function answerYaml(value: unknown): string {
  return `${linesOf(value).join('\n')}\n`;
}

function linesOf(value: unknown): readonly string[] {
  if (Array.isArray(value) && value.length > 0) {
    return value.flatMap((item) => linesOf(item).map((line, index) => `${index === 0 ? '- ' : '  '}${line}`));
  }
  if (!isParent(value)) return printed(value);
  const keys = Object.keys(value).filter((key) => (value as Readonly<Record<string, unknown>>)[key] !== undefined);
  return keys
    .toSorted((a, b) => (a < b ? -1 : 1))
    .flatMap((key) => {
      const child = (value as Readonly<Record<string, unknown>>)[key];
      if (!isParent(child)) return printed({ [key]: child });
      const name = printed({ [key]: null });
      const lines = linesOf(child);
      // A long or multi-line key follows a question mark, and its value follows a colon of its own.
      const head =
        name[0]?.startsWith('? ') === true
          ? [...name.filter((line) => line !== ': null'), ':']
          : [name.join('\n').replace(/ null$/, '')];
      return [...head, ...(Array.isArray(child) ? lines : lines.map((line) => `  ${line}`))];
    });
}

/** Has lines of its own below its key. */
function isParent(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0;
}

function printed(value: unknown): readonly string[] {
  return printYaml(value).replace(/\n$/, '').split('\n');
}
