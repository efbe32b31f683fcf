/**
 * The files that each TypeScript file needs at run time: the modules that define the names that it
 * imports, and the files that it names in strings. An import through the index of a package leads
 * to the module that defines the name, not to everything behind the index: modules only declare
 * (ARCHITECTURE.md, rule 5), so the others do not matter. Types do not count: the compiler checks
 * them. Pure: texts in, paths out.
 */
import { posix } from 'node:path';
import { parseSync } from 'rolldown/utils';

/** The part of the repository that the graph reads. Paths are relative to the root, with `/`. */
export interface Sources {
  /** Every tracked file. */
  readonly paths: ReadonlySet<string>;
  /** The text of every tracked TypeScript file. */
  readonly texts: ReadonlyMap<string, string>;
  /** The module behind the name of a package, such as `@isthmus/kube` or `@isthmus/schema/cel`. */
  readonly entries: ReadonlyMap<string, string>;
}

/** An import or a re-export of a file: the names, or `*` for all that the module exports. */
interface Import {
  readonly specifier: string;
  readonly names: readonly string[] | '*';
}

interface ReExport {
  readonly specifier: string;
  /** The name in the other module; `*` for the whole module. */
  readonly name: string;
}

interface ModuleFacts {
  readonly imports: readonly Import[];
  /** Names that the file exports without defining them. */
  readonly reExports: ReadonlyMap<string, ReExport>;
  /** Modules of which it exports everything. */
  readonly stars: readonly string[];
  /** Strings that may name a file or a folder. */
  readonly strings: readonly string[];
}

/** The files that each file needs, directly and indirectly. */
export interface ModuleGraph {
  /** The direct dependencies of a file: modules, files of data, and folders, which end with `/`. */
  needs(path: string): ReadonlySet<string>;
  /** All files and folders that a file needs, itself included, with the number of steps to each. */
  reach(path: string): ReadonlyMap<string, number>;
}

/** Reads the graph. Each file is parsed when it is first asked for. */
export function moduleGraph(sources: Sources): ModuleGraph {
  const facts = new Map<string, ModuleFacts>();
  const needed = new Map<string, ReadonlySet<string>>();
  const folders = foldersOf(sources.paths);

  const factsOf = (path: string): ModuleFacts => {
    let found = facts.get(path);
    if (found === undefined) facts.set(path, (found = readFacts(path, sources.texts.get(path) ?? '')));
    return found;
  };
  const resolve = (from: string, specifier: string): string | undefined => {
    const path = specifier.startsWith('.')
      ? posix.join(posix.dirname(from), specifier)
      : sources.entries.get(specifier);
    return path !== undefined && sources.paths.has(path) ? path : undefined;
  };
  /**
   * The module that defines a name which `path` exports; `path` itself if it defines the name, or
   * no module is found.
   */
  const definedIn = (path: string, name: string, seen: ReadonlySet<string> = new Set()): string => {
    if (seen.has(path) || !sources.texts.has(path)) return path;
    const { reExports, stars } = factsOf(path);
    const through = reExports.get(name);
    const next = new Set(seen).add(path);
    if (through !== undefined) {
      const target = resolve(path, through.specifier);
      if (target === undefined) return path;
      return through.name === '*' ? target : definedIn(target, through.name, next);
    }
    for (const specifier of stars) {
      const target = resolve(path, specifier);
      if (target !== undefined && exportsName(target, name)) return definedIn(target, name, next);
    }
    return path;
  };
  const exportsName = (path: string, name: string): boolean =>
    factsOf(path).reExports.has(name) ||
    new RegExp(`\\bexport\\b[^;]*\\b${name}\\b`).test(sources.texts.get(path) ?? '');

  const needs = (path: string): ReadonlySet<string> => {
    const known = needed.get(path);
    if (known !== undefined) return known;
    const found = new Set<string>();
    if (sources.texts.has(path)) {
      const { imports, reExports, stars, strings } = factsOf(path);
      for (const { specifier, names } of imports) {
        const target = resolve(path, specifier);
        if (target === undefined) continue;
        if (names === '*') found.add(target);
        else for (const name of names) found.add(definedIn(target, name));
      }
      // An import of a whole index needs everything that the index exports.
      for (const { specifier } of [...reExports.values(), ...stars.map((specifier) => ({ specifier }))]) {
        const target = resolve(path, specifier);
        if (target !== undefined) found.add(target);
      }
      for (const text of strings) {
        const named = namedBy(path, text, sources.paths, folders);
        // A file that names a test does not run it.
        if (named !== undefined && !named.endsWith('.test.ts')) found.add(named);
      }
      found.delete(path);
    }
    needed.set(path, found);
    return found;
  };

  return {
    needs,
    reach(path) {
      const reached = new Map([[path, 0]]);
      // A Map visits entries that are added during the visit: nearer files first.
      for (const [next, steps] of reached) {
        for (const further of needs(next)) if (!reached.has(further)) reached.set(further, steps + 1);
      }
      return reached;
    },
  };
}

/**
 * The folders of these files, each with a `/` at its end, without the root and the folder of all
 * packages, which contain everything.
 */
function foldersOf(paths: ReadonlySet<string>): ReadonlySet<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) folders.add(path.slice(0, at + 1));
  }
  folders.delete('packages/');
  return folders;
}

/**
 * The file or folder that a string names: from the root, or beside the file that contains the
 * string.
 */
function namedBy(
  from: string,
  text: string,
  paths: ReadonlySet<string>,
  folders: ReadonlySet<string>,
): string | undefined {
  // The text after a placeholder is unknown, so the folder before it is used.
  const cut = text.search(/[*{?]|\$\{/);
  const known = cut === -1 ? text : text.slice(0, text.slice(0, cut).lastIndexOf('/') + 1);
  if (known === '' || !/[/.]/.test(known)) return undefined;
  for (const path of [posix.normalize(known), posix.join(posix.dirname(from), known)]) {
    if (paths.has(path)) return path;
    const folder = path.endsWith('/') ? path : `${path}/`;
    // A folder above the file would contain nearly everything.
    if (known.includes('/') && folders.has(folder) && !from.startsWith(folder)) return folder;
  }
  return undefined;
}

function readFacts(path: string, text: string): ModuleFacts {
  const { module, comments } = parseSync(path, text);
  const imports: Import[] = [];
  const reExports = new Map<string, ReExport>();
  const stars: string[] = [];
  for (const { moduleRequest, entries } of module.staticImports) {
    const values = entries.filter(({ isType }) => !isType);
    // An import without names loads the module for its effects; an import of types alone does not
    // load it.
    if (entries.length > 0 && values.length === 0) continue;
    const isWhole = values.length === 0 || values.some(({ importName }) => importName.kind === 'NamespaceObject');
    const names = values.map(({ importName }) => importName.name ?? 'default');
    imports.push({ specifier: moduleRequest.value, names: isWhole ? '*' : names });
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, importName, exportName, isType } of entries) {
      if (moduleRequest === null || isType) continue;
      if (importName.kind === 'AllButDefault') stars.push(moduleRequest.value);
      else {
        const name = importName.kind === 'Name' ? (importName.name ?? '*') : '*';
        reExports.set(exportName.name ?? 'default', { specifier: moduleRequest.value, name });
      }
    }
  }
  for (const { moduleRequest } of module.dynamicImports) {
    const specifier = /^['"`](.*)['"`]$/.exec(text.slice(moduleRequest.start, moduleRequest.end))?.[1];
    if (specifier !== undefined) imports.push({ specifier, names: '*' });
  }
  return { imports, reExports, stars, strings: stringsIn(withoutComments(text, comments)) };
}

/** The text without its comments. */
function withoutComments(text: string, comments: readonly { readonly start: number; readonly end: number }[]): string {
  let rest = '';
  let from = 0;
  for (const { start, end } of comments) {
    rest += text.slice(from, start);
    from = end;
  }
  return rest + text.slice(from);
}

/** Texts between quotes, on one line, that could be paths. */
function stringsIn(text: string): readonly string[] {
  const found = text.matchAll(/'([^'\n]{3,200})'|`([^`\n]{3,200})`|"([^"\n]{3,200})"/g);
  return [...found].flatMap(([, single, template, double]) => {
    const value = single ?? template ?? double ?? '';
    return /[/.]/.test(value) && !value.includes(' ') ? [value] : [];
  });
}
