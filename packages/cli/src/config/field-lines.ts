import { parseYaml } from '@isthmus/machinery';

/**
 * The line of a YAML text (from 1) on which a field begins, by its path as errors name it: `health.healthProbeBindAddress`, `podCIDRs[0]`. For
 * a field that isn't there it is the line of the nearest field around it, and 1 for the whole text.
 *
 * Found by reading: a field begins on the line up to which the text has it for the first time. A field inside of brackets over several lines
 * is told with the line on which the brackets begin.
 * Cost: reads the text once for each of its lines that holds something; beyond 500 lines fields are not looked for, and the line is 1.
 */
export function fieldLines(text: string): (path: string) => number {
  const found = new Map<string, number>();
  const lines = text.split('\n');
  let openSince: number | undefined;
  for (let number = 1; number <= lines.length && lines.length <= mostLines; number++) {
    if (/^\s*(?:#.*)?$/.test(lines[number - 1] ?? '')) continue;
    const paths = pathsIn(lines.slice(0, number).join('\n'));
    if (paths === undefined) {
      openSince ??= number;
      continue;
    }
    for (const path of paths) if (!found.has(path)) found.set(path, openSince ?? number);
    openSince = undefined;
  }
  return (path) => {
    for (let at = path; at !== ''; at = at.replace(/(?:^|\.|(?=\[))[^.[]*$|\[\d+\]$/, '')) {
      const line = found.get(at);
      if (line !== undefined) return line;
    }
    return 1;
  };
}

const mostLines = 500;

/** Undefined where the text, cut off as it is, can't be read. */
function pathsIn(text: string): readonly string[] | undefined {
  try {
    const paths: string[] = [];
    for (const { value } of parseYaml(text, { source: '' })) collectPaths(value, '', paths);
    return paths;
  } catch {
    return undefined;
  }
}

function collectPaths(value: unknown, path: string, into: string[]): void {
  if (path !== '') into.push(path);
  if (Array.isArray(value)) value.forEach((item, index) => collectPaths(item, `${path}[${index}]`, into));
  else if (typeof value === 'object' && value !== null) {
    for (const [name, field] of Object.entries(value))
      collectPaths(field, path === '' ? name : `${path}.${name}`, into);
  }
}
