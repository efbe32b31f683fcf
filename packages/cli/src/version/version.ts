import { wireNumber } from '@isthmus/api';
import manifest from '../../package.json' with { type: 'json' };

/** The version of this program. */
export const isthmusVersion: string = manifest.version;

/** The version of the program and of its wire, on one line. */
export function versionLine(): string {
  return `isthmus ${isthmusVersion} (wire ${wireNumber})`;
}
