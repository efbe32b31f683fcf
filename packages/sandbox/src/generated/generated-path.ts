import { fileURLToPath } from 'node:url';

/** The file of a kind's recorded answers. */
export function generatedPath(name: string): string {
  return fileURLToPath(new URL(`./recorded/${name}.jsonl`, import.meta.url));
}
