import { fileURLToPath } from 'node:url';

/** The file of an area's recorded answers. */
export function recordingPath(area: string): string {
  return fileURLToPath(new URL(`./recorded/${area}.json`, import.meta.url));
}
