/**
 * `npm run generate:types`: writes the facts about the built-in API types that the sandbox works
 * from (`packages/sandbox/src/builtin/types/*.json`), as the Go program in `envtest/types` prints
 * them. Needs Go; to be run again when `envtest/go.mod` names another Kubernetes. One field a line,
 * so that the difference between two versions can be read.
 */
import { execFileSync } from 'node:child_process';
import { globSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { scriptArguments } from './script-arguments.ts';

interface Facts {
  readonly kinds: Readonly<Record<string, string>>;
  readonly definitions: Readonly<Record<string, Definition>>;
}

interface Definition {
  readonly fields?: Readonly<Record<string, unknown>> | undefined;
  readonly [more: string]: unknown;
}

scriptArguments('generate:types', {});
const directory = fileURLToPath(new URL('../packages/sandbox/src/builtin/types', import.meta.url));
const program = fileURLToPath(new URL('../envtest', import.meta.url));
const facts: Facts = JSON.parse(
  execFileSync('go', ['run', './types'], { cwd: program, encoding: 'utf8', maxBuffer: 1 << 26 }),
);

for (const path of globSync('*.json', { cwd: directory })) rmSync(join(directory, path));
write(
  'kinds',
  sorted(facts.kinds).map(([kind, name]) => `${JSON.stringify(kind)}: ${JSON.stringify(name)}`),
);
const files = Map.groupBy(sorted(facts.definitions), ([name]) => fileOf(name));
for (const [file, definitions] of files)
  write(
    file,
    definitions.map(([name, one]) => `${JSON.stringify(name)}: ${printed(one)}`),
  );
console.log(`generate-types: ${Object.keys(facts.definitions).length} definitions in ${files.size} files`);

function write(file: string, lines: readonly string[]): void {
  writeFileSync(join(directory, `${file}.json`), `{\n${lines.join(',\n')}\n}\n`);
}

/**
 * `io.k8s.api.core.v1.Pod` → `core-v1`. Definitions outside of a group's versions are in one file.
 */
function fileOf(name: string): string {
  const [group = '', version = ''] = name.split('.').slice(-3, -1);
  return /^v\d/.test(version) ? `${group}-${version}` : 'machinery';
}

function printed({ fields, ...more }: Definition): string {
  const rest = JSON.stringify(more);
  if (fields === undefined) return rest;
  const lines = Object.entries(fields).map(([name, field]) => `  ${JSON.stringify(name)}: ${JSON.stringify(field)}`);
  return `${rest.slice(0, -1)},"fields":{\n${lines.join(',\n')}}}`;
}

function sorted<T>(record: Readonly<Record<string, T>>): readonly (readonly [string, T])[] {
  return Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1));
}
