import type { Entry, ParsedJson } from './parsed-json.ts';
import { setKey } from './set-key.ts';

/** An object or a list that is being read. */
interface Open {
  readonly container: Record<string, unknown> | unknown[];
  /** The key whose value comes next. */
  key: string;
  entries: Entry[] | undefined;
}

/** Builds a value and its oddities from the values of a JSON text, in the order of the text. */
export class JsonValues {
  readonly #repeated = new Map<object, readonly Entry[]>();
  readonly #literals = new Map<object, Map<string, string>>();
  readonly #open: Open[] = [];
  #result: unknown;

  /** How many lists and objects are open. */
  get depth(): number {
    return this.#open.length;
  }

  /** Whether the innermost open value is a list; undefined if no value is open. */
  get isInList(): boolean | undefined {
    const top = this.#open.at(-1);
    return top === undefined ? undefined : Array.isArray(top.container);
  }

  get result(): ParsedJson {
    return { value: this.#result, oddities: { entries: this.#repeated, literals: this.#literals } };
  }

  /** The next value of the open object has this key. */
  key(key: string): void {
    const top = this.#open.at(-1);
    if (top !== undefined) top.key = key;
  }

  /** Puts an empty list or object into the open one, and opens it. */
  begin(container: Record<string, unknown> | unknown[]): void {
    this.put(container);
    this.#open.push({ container, key: '', entries: undefined });
  }

  /** Closes the innermost open list or object. */
  end(): void {
    const closed = this.#open.pop();
    if (closed?.entries !== undefined) this.#repeated.set(closed.container, closed.entries);
  }

  /** Puts a value into the open list or object; `literal` is a number as it was written. */
  put(value: unknown, literal?: string): void {
    const top = this.#open.at(-1);
    if (top === undefined) {
      this.#result = value;
      return;
    }
    const { container } = top;
    const key = Array.isArray(container) ? String(container.length) : top.key;
    const odd = literal !== undefined && isOdd(literal) ? literal : undefined;
    if (Array.isArray(container)) container.push(value);
    else {
      if (Object.hasOwn(container, key)) top.entries ??= entriesOf(container, this.#literals.get(container));
      top.entries?.push({ key, value, literal: odd });
      setKey(container, key, value);
    }
    if (odd === undefined) this.#literals.get(container)?.delete(key);
    else this.#keepLiteral(container, key, odd);
  }

  #keepLiteral(container: object, key: string, literal: string): void {
    const known = this.#literals.get(container);
    if (known === undefined) this.#literals.set(container, new Map([[key, literal]]));
    else known.set(key, literal);
  }
}

function entriesOf(object: Record<string, unknown>, literals: ReadonlyMap<string, string> | undefined): Entry[] {
  return Object.entries(object).map(([key, value]) => ({ key, value, literal: literals?.get(key) }));
}

/** Whether a number is to be kept as it was written. */
function isOdd(literal: string): boolean {
  return literal === '-0' || !/^-?\d+$/.test(literal) || !Number.isSafeInteger(Number(literal));
}
