/** Where versions come from: each has another way to ask what there is. */
export type Source = 'npm' | 'Debian' | 'Go';

/** A version that this repository pins. */
export interface Pinned {
  readonly source: Source;
  readonly name: string;
  readonly version: string;
  /** The file that pins it, from the root of the repository. */
  readonly file: string;
}

interface Manifest {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

/** The packages that a `package.json` pins; not those of the repository itself. */
export function npmPins(file: string, text: string): readonly Pinned[] {
  const { dependencies, devDependencies, optionalDependencies } = JSON.parse(text) as Manifest;
  return Object.entries({ ...devDependencies, ...optionalDependencies, ...dependencies })
    .filter(([name]) => !name.startsWith('@isthmus/'))
    .map(([name, version]) => ({ source: 'npm', name, version, file }));
}

/**
 * The modules of a `go.mod` that are programs of its `tool` block, at the version that it requires:
 * what they need themselves follows them.
 */
export function goPins(file: string, text: string): readonly Pinned[] {
  const block = (keyword: string) =>
    [...text.matchAll(new RegExp(`^${keyword} \\(\\n(.*?)^\\)`, 'gms'))]
      .flatMap(([, lines = '']) => lines.split('\n'))
      .map((line) => line.replace(/\/\/.*/, '').trim())
      .filter((line) => line !== '');
  const programs = block('tool');
  return block('require').flatMap((line) => {
    const [name = '', version = ''] = line.split(' ');
    return programs.some((program) => program === name || program.startsWith(`${name}/`))
      ? [{ source: 'Go', name, version, file } as const]
      : [];
  });
}
