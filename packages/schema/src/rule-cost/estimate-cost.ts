import type { CallSite, Operand } from './call-site.ts';
import { callCosts } from './call-costs.ts';
import type { CelCall, CelLoop, CelTree, CelType } from './cel-tree.ts';
import { accumulator } from './cel-tree.ts';
import type { EntrySizes } from './entry-sizes.ts';
import { GrowingPath } from './growing-path.ts';
import type { Size } from './saturating.ts';
import { eitherSize, exactly, most, product, sum, unknownSize } from './saturating.ts';
import type { ValueBounds } from './value-bounds.ts';
import { sizeAt } from './value-bounds.ts';

/**
 * The greatest cost of an expression, in the units of cel-go: `bounds` are those of `self` and
 * `oldSelf`. Equals the estimate of kube-apiserver 1.36 (cel-go 0.26 with Kubernetes' libraries),
 * including its oddities. {@link most} if the cost has no bound. Cost: linear in the expression.
 */
export function estimateCost(tree: CelTree, bounds: ValueBounds): number {
  return new Estimate(bounds).costOf(tree);
}

/** The meaning of a name within an expression. */
interface Local {
  readonly path: GrowingPath | undefined;
  readonly size: Size | undefined;
  readonly entries: EntrySizes | undefined;
}

class Estimate {
  readonly #bounds: ValueBounds;
  readonly #paths = new Map<CelTree, GrowingPath>();
  readonly #sizes = new Map<CelTree, Size>();
  readonly #entries = new Map<CelTree, EntrySizes>();
  readonly #locals = new Map<string, Local[]>();

  constructor(bounds: ValueBounds) {
    this.#bounds = bounds;
  }

  costOf(tree: CelTree): number {
    switch (tree.kind) {
      case 'literal':
        return 0;
      case 'name': {
        const local = this.#local(tree.name);
        this.#setPath(tree, local === undefined ? GrowingPath.of(tree.name) : local.path);
        return 1;
      }
      case 'field': {
        const cost = this.costOf(tree.of) + (tree.of.type.kind === 'map' || tree.of.type.kind === 'object' ? 1 : 0);
        this.#setPath(tree, GrowingPath.grown(this.#pathOf(tree.of), tree.field));
        return Math.min(cost, most);
      }
      case 'presence':
        return this.costOf(tree.of);
      case 'list':
        return this.#costOfList(tree, tree.items);
      case 'map':
        return this.#costOfMap(tree, tree.entries);
      case 'loop':
        return this.#costOfLoop(tree);
      case 'bind':
        return this.#costOfBind(tree);
      case 'call':
        return this.#costOfCall(tree);
    }
  }

  #costOfList(tree: CelTree, items: readonly CelTree[]): number {
    let cost = 10;
    let value: Size = items.length === 0 ? exactly(0) : { min: most, max: 0 };
    for (const item of items) {
      cost = sum(cost, this.costOf(item));
      value = eitherSize(value, this.#sizeOf(item) ?? unknownSize);
    }
    this.#entries.set(tree, { isList: true, key: exactly(1), value });
    return cost;
  }

  #costOfMap(tree: CelTree, entries: readonly (readonly [CelTree, CelTree])[]): number {
    let cost = 30;
    let [key, value] = [exactly(0), exactly(0)];
    if (entries.length > 0) key = value = { min: most, max: 0 };
    for (const [name, member] of entries) {
      cost = sum(sum(cost, this.costOf(name)), this.costOf(member));
      key = eitherSize(key, this.#sizeOf(name) ?? unknownSize);
      value = eitherSize(value, this.#sizeOf(member) ?? unknownSize);
    }
    this.#entries.set(tree, { isList: false, key, value });
    return cost;
  }

  #costOfLoop(loop: CelLoop): number {
    const { range, variables, init, goesOn, step, result } = loop;
    const [first, second] = variables;
    let cost = sum(this.costOf(range), this.costOf(init));
    this.#push(accumulator, {
      path: this.#pathOf(init),
      size: this.#sizeOf(init),
      entries: this.#entriesOf(init),
    });
    const entries = this.#entriesOf(range);
    const isList = entries?.isList ?? range.type.kind === 'list';
    const way = (step: string) => GrowingPath.grown(this.#pathOf(range), step);
    const item = { path: () => way(isList ? '@items' : '@values'), size: entries?.value };
    const key = { path: () => way(isList ? '@indices' : '@keys'), size: entries?.key };
    const single = isList ? item : key;
    for (const [name, { path, size }] of second === undefined
      ? [[first, single] as const]
      : [[first, key] as const, [second, item] as const]) {
      this.#push(name, { path: path(), size, entries: undefined });
    }
    const once = sum(this.costOf(goesOn), this.costOf(step));
    for (const name of variables) this.#pop(name);
    cost = sum(cost, this.costOf(result));
    this.#pop(accumulator);
    const times = this.#sizeOf(range) ?? unknownSize;
    cost = sum(cost, product(times.max, once));
    if (init.kind === 'literal') this.#setSize(loop, this.#sizeOf(init));
    else {
      this.#setSize(loop, times);
      this.#setEntries(loop, this.#entriesOf(step));
    }
    return cost;
  }

  #costOfBind(tree: Extract<CelTree, { kind: 'bind' }>): number {
    const { name, value, body } = tree;
    // The empty list that cel-go writes for a loop that has no steps.
    let cost = sum(10, this.costOf(value));
    this.#push(name, { path: this.#pathOf(value), size: this.#sizeOf(value), entries: this.#entriesOf(value) });
    cost = sum(cost, this.costOf(body));
    this.#pop(name);
    this.#copySizes(tree, body);
    return cost;
  }

  #costOfCall(call: CelCall): number {
    const { name, given, receiver } = call;
    const [first] = given;
    if (name === 'dyn' && first !== undefined) {
      const cost = sum(1, this.costOf(first));
      this.#copySizes(call, first);
      return cost;
    }
    const costs: number[] = [];
    const operands: Operand[] = [];
    for (const one of given) {
      costs.push(this.costOf(one));
      operands.push(this.#operand(one));
    }
    const cost = receiver === undefined ? 0 : this.costOf(receiver);
    const site: CallSite = {
      name,
      receiver: receiver === undefined ? undefined : this.#operand(receiver),
      given: operands,
      costs,
      bounds: this.#bounds,
    };
    let dearest = 0;
    let size: Size | undefined;
    for (const estimate of callCosts(site)) {
      dearest = Math.max(dearest, estimate.cost);
      this.#setEntries(call, estimate.entries);
      if (estimate.size !== undefined) size = size === undefined ? estimate.size : eitherSize(size, estimate.size);
      if (estimate.part !== undefined && first !== undefined) {
        size = this.#entriesOf(first)?.value;
        this.#setPath(call, GrowingPath.grown(this.#pathOf(first), estimate.part));
      }
      size ??= this.#sizeOf(call);
    }
    this.#setSize(call, size);
    return sum(cost, dearest);
  }

  #operand(tree: CelTree): Operand {
    return { tree, path: this.#pathOf(tree), size: this.#sizeOf(tree), entries: this.#entriesOf(tree) };
  }

  #sizeOf(tree: CelTree): Size | undefined {
    const known = this.#sizes.get(tree);
    if (known !== undefined) return known;
    if (tree.kind === 'literal') return exactly(tree.size);
    if (tree.kind === 'list') return exactly(tree.items.length);
    if (tree.kind === 'map') return exactly(tree.entries.length);
    const path = this.#pathOf(tree);
    const bound = path === undefined ? undefined : sizeAt(this.#bounds, path.names());
    if (bound !== undefined) {
      this.#sizes.set(tree, bound);
      return bound;
    }
    if (isScalar(tree.type)) return exactly(1);
    return tree.kind === 'name' ? this.#local(tree.name)?.size : undefined;
  }

  #entriesOf(tree: CelTree): EntrySizes | undefined {
    const known = this.#entries.get(tree);
    return known ?? (tree.kind === 'name' ? this.#local(tree.name)?.entries : undefined);
  }

  #pathOf(tree: CelTree): GrowingPath | undefined {
    const local = tree.kind === 'name' ? this.#local(tree.name) : undefined;
    return local === undefined ? this.#paths.get(tree) : local.path;
  }

  #copySizes(to: CelTree, from: CelTree): void {
    this.#setSize(to, this.#sizeOf(from));
    this.#setEntries(to, this.#entriesOf(from));
  }

  #setPath(tree: CelTree, path: GrowingPath | undefined): void {
    if (path === undefined) this.#paths.delete(tree);
    else this.#paths.set(tree, path);
  }

  #setSize(tree: CelTree, size: Size | undefined): void {
    if (size !== undefined) this.#sizes.set(tree, size);
  }

  #setEntries(tree: CelTree, entries: EntrySizes | undefined): void {
    if (entries !== undefined) this.#entries.set(tree, entries);
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #push(name: string, local: Local): void {
    const stack = this.#locals.get(name) ?? [];
    stack.push(local);
    this.#locals.set(name, stack);
  }

  #pop(name: string): void {
    this.#locals.get(name)?.pop();
  }
}

const scalars: readonly CelType['kind'][] = ['bool', 'double', 'duration', 'int', 'timestamp', 'uint'];

function isScalar({ kind, parameters: [held] = [] }: CelType): boolean {
  return scalars.includes(kind) || (kind === 'optional' && held !== undefined && isScalar(held));
}
