import type { FieldPath, PathElement } from './path-element.ts';
import { comparePathElements } from './path-element.ts';

/**
 * A set of paths to fields, as a tree. A path may be a member while its parents are not, and the
 * other way round. Immutable; every entry is a member or leads to one, so that equal sets are equal
 * trees.
 */
export interface FieldSet {
  /** The entries by the text of their step. */
  readonly entries: ReadonlyMap<string, FieldSetEntry>;
}

export interface FieldSetEntry {
  readonly element: PathElement;
  /** Whether the path that ends here is in the set. */
  readonly member: boolean;
  /** The members below. */
  readonly children: FieldSet;
}

/** The set of nothing. */
export const emptyFieldSet: FieldSet = { entries: new Map() };

/** The set of these paths. The empty path is ignored, since no manager owns a whole object. */
export function fieldSetOfPaths(paths: Iterable<FieldPath>): FieldSet {
  const builder = new FieldSetBuilder();
  for (const path of paths) builder.insert(path);
  return builder.build();
}

/** Collects paths into a set. */
export class FieldSetBuilder {
  readonly #nodes: BuiltNodes = new Map();

  /** Adds a path; the empty one is ignored. */
  insert(path: FieldPath): void {
    let nodes = this.#nodes;
    for (const [i, element] of path.entries()) {
      let node = nodes.get(element.text);
      if (node === undefined) {
        node = { element, member: false, children: new Map() };
        nodes.set(element.text, node);
      }
      if (i === path.length - 1) node.member = true;
      nodes = node.children;
    }
  }

  /** The collected set. Later insertions do not change it. */
  build(): FieldSet {
    return builtSet(this.#nodes);
  }
}

type BuiltNodes = Map<string, BuiltNode>;

interface BuiltNode {
  readonly element: PathElement;
  member: boolean;
  readonly children: BuiltNodes;
}

function builtSet(nodes: BuiltNodes): FieldSet {
  if (nodes.size === 0) return emptyFieldSet;
  const entries = new Map<string, FieldSetEntry>();
  for (const [text, node] of nodes) {
    entries.set(text, { element: node.element, member: node.member, children: builtSet(node.children) });
  }
  return { entries };
}

export function isEmptyFieldSet(set: FieldSet): boolean {
  return set.entries.size === 0;
}

/** Whether a path is a member. */
export function hasField(set: FieldSet, path: FieldPath): boolean {
  const last = path.at(-1);
  let inner: FieldSet | undefined = set;
  for (const element of path.slice(0, -1)) inner = inner?.entries.get(element.text)?.children;
  return last !== undefined && (inner?.entries.get(last.text)?.member ?? false);
}

export function equalFieldSets(a: FieldSet, b: FieldSet): boolean {
  if (a === b) return true;
  if (a.entries.size !== b.entries.size) return false;
  for (const [text, left] of a.entries) {
    const right = b.entries.get(text);
    if (right === undefined || left.member !== right.member || !equalFieldSets(left.children, right.children))
      return false;
  }
  return true;
}

/** The paths in either set. */
export function unionOfFieldSets(a: FieldSet, b: FieldSet): FieldSet {
  if (a.entries.size === 0) return b;
  if (b.entries.size === 0) return a;
  const entries = new Map(a.entries);
  for (const [text, right] of b.entries) {
    const left = entries.get(text);
    entries.set(text, left === undefined ? right : joined(left, right));
  }
  return { entries };
}

/** The paths in both sets. */
export function intersectionOfFieldSets(a: FieldSet, b: FieldSet): FieldSet {
  // The smaller set is usually that of a write, and the larger one that of the owned fields.
  if (b.entries.size < a.entries.size) return intersectionOfFieldSets(b, a);
  return mapEntries(a, (left) => {
    const right = b.entries.get(left.element.text);
    if (right === undefined) return undefined;
    return {
      element: left.element,
      member: left.member && right.member,
      children: intersectionOfFieldSets(left.children, right.children),
    };
  });
}

/**
 * The paths of `a` that are not in `b`. Each path counts for itself: paths below a path of `b`
 * stay.
 */
export function differenceOfFieldSets(a: FieldSet, b: FieldSet): FieldSet {
  if (b.entries.size === 0) return a;
  return mapEntries(a, (left) => {
    const right = b.entries.get(left.element.text);
    if (right === undefined) return left;
    return {
      element: left.element,
      member: left.member && !right.member,
      children: differenceOfFieldSets(left.children, right.children),
    };
  });
}

/** The paths of `a` that are neither in `b` nor below a path of `b`. */
function differenceWithAllBelow(a: FieldSet, b: FieldSet): FieldSet {
  if (b.entries.size === 0) return a;
  return mapEntries(a, (left) => {
    const right = b.entries.get(left.element.text);
    if (right === undefined) return left;
    if (right.member) return undefined;
    return {
      element: left.element,
      member: left.member,
      children: differenceWithAllBelow(left.children, right.children),
    };
  });
}

/** The entries in the order of {@link comparePathElements}. */
export function sortedEntries(set: FieldSet): readonly FieldSetEntry[] {
  return [...set.entries.values()].sort((a, b) => comparePathElements(a.element, b.element));
}

/**
 * Every path of the set, in the API server's order: the members at one level first, then those
 * below.
 */
export function pathsOfFieldSet(set: FieldSet, prefix: FieldPath = []): readonly FieldPath[] {
  const entries = sortedEntries(set);
  return [
    ...entries.filter((entry) => entry.member).map((entry) => [...prefix, entry.element]),
    ...entries.flatMap((entry) => pathsOfFieldSet(entry.children, [...prefix, entry.element])),
  ];
}

/**
 * Which fields a request may own: {@link exceptFields} for the fields that a kind's strategy
 * resets.
 */
export type FieldFilter = (set: FieldSet) => FieldSet;

/** A filter that drops these paths and all paths below them. */
export function exceptFields(paths: Iterable<FieldPath>): FieldFilter {
  const excluded = fieldSetOfPaths(paths);
  return (set) => differenceWithAllBelow(set, excluded);
}

function joined(a: FieldSetEntry, b: FieldSetEntry): FieldSetEntry {
  return {
    element: a.element,
    member: a.member || b.member,
    children: unionOfFieldSets(a.children, b.children),
  };
}

function mapEntries(set: FieldSet, change: (entry: FieldSetEntry) => FieldSetEntry | undefined): FieldSet {
  const entries = new Map<string, FieldSetEntry>();
  for (const [text, entry] of set.entries) {
    const changed = change(entry);
    if (changed !== undefined && (changed.member || changed.children.entries.size > 0)) entries.set(text, changed);
  }
  return entries.size === 0 ? emptyFieldSet : { entries };
}
