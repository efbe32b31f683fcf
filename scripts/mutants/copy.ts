/** A copy of the checkout, in which files can be mutated. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A copy in a folder that goes with the object. */
export interface Copy extends Disposable {
  readonly root: string;
}

/** Copies these files. Installed packages are linked; ours lead to the copy. */
export function copyCheckout(from: string, paths: Iterable<string>): Copy {
  const root = mkdtempSync(join(tmpdir(), 'isthmus-mutants-'));
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    cpSync(join(from, path), join(root, path));
  }
  const [installed, linked] = [join(from, 'node_modules'), join(root, 'node_modules')];
  mkdirSync(join(linked, '@isthmus'), { recursive: true });
  for (const name of readdirSync(installed)) {
    if (name !== '@isthmus' && name !== '.cache') symlinkSync(join(installed, name), join(linked, name));
  }
  for (const name of readdirSync(join(installed, '@isthmus'))) {
    symlinkSync(readlinkSync(join(installed, '@isthmus', name)), join(linked, '@isthmus', name));
  }
  return {
    root,
    [Symbol.dispose]() {
      rmSync(root, { recursive: true, force: true });
    },
  };
}
