import { readFileSync } from 'node:fs';

/**
 * The arguments of the `npm install …` in docs/release.md that names this file of `dist`, word by word. npm takes `dist/file.tgz` for a
 * repository of GitHub, so the words count. Errors: no line does.
 */
export function printedInstall(file: string): readonly string[] {
  const page = readFileSync(new URL('../../../docs/release.md', import.meta.url), 'utf8');
  const line = page.split('\n').find((text) => /^ {4}npm install /.test(text) && text.includes(`dist/${file}`));
  if (line === undefined) throw new Error(`no command of docs/release.md installs dist/${file}`);
  return line.trim().split(' ').slice(1);
}
