import { parseYaml, YamlReadError } from '@isthmus/machinery';
import { noOddities } from './parsed-json.ts';
import type { JsonResult } from './parsed-json.ts';

/** The real server's error for more than 10,000 levels. */
const tooDeep = 'yaml: exceeded max depth of 10000';

/**
 * A server with one thread answers no other request while it parses. This much takes less than a
 * second, and is more than the longest manifests have. The real server reads 3 MiB of anything.
 * Clients send JSON, which has no such limit; kubectl does so for server-side apply too.
 */
const mostStructure = 100_000;

/** Whether YAML was rejected for its depth: here, more levels than the stack holds. */
function isTooDeep(error: unknown): boolean {
  return error instanceof YamlReadError && error.message.includes('nested too deep');
}

/**
 * Reads the first document of a body of `application/yaml`; null if there is none. Numbers keep
 * only their value (`1.0` is an integer), as on the real server, which first converts YAML to JSON.
 *
 * `message` begins as the real server's (`yaml: line 1: `), followed by our parser's error.
 */
export function parseYamlBody(text: string): JsonResult {
  try {
    const repeatedKeys: string[] = [];
    const onRepeatedKey = (key: string, line: number) =>
      repeatedKeys.push(`line ${line}: key ${JSON.stringify(key)} already set in map`);
    const [first] = parseYaml(text, { source: 'yaml', onRepeatedKey, mostStructure });
    return { kind: 'parsed', json: { value: first?.value ?? null, oddities: noOddities, repeatedKeys } };
  } catch (error) {
    if (!(error instanceof YamlReadError)) throw error;
    const [line = ''] = error.message.split('\n');
    if (isTooDeep(error)) return { kind: 'malformed', message: tooDeep };
    return { kind: 'malformed', message: line.replace(/^yaml:(\d+):\d+: /, 'yaml: line $1: ') };
  }
}

/** The real server's strict error for repeated keys. */
export function repeatedKeysError(repeatedKeys: readonly string[]): string {
  return `yaml: unmarshal errors:\n${repeatedKeys.map((each) => `  ${each}`).join('\n')}`;
}
