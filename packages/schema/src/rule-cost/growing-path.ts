/**
 * The way from a variable to a part of it, as the real server keeps it while it estimates: a slice
 * of Go, which grows in place where it has room. Two ways that go on from one way may so share what
 * comes after, and the later one counts for both. It is a mistake of that server, and it bears on
 * what the server accepts: so it is kept.
 */
export class GrowingPath {
  readonly #room: string[];
  readonly #length: number;
  readonly #capacity: number;

  private constructor(room: string[], length: number, capacity: number) {
    this.#room = room;
    this.#length = length;
    this.#capacity = capacity;
  }

  /** The way of one step. */
  static of(name: string): GrowingPath {
    return new GrowingPath([name], 1, 1);
  }

  /**
   * `undefined` is the path of a value that is not a part of a variable; a step from there begins a
   * path of its own.
   */
  static grown(path: GrowingPath | undefined, name: string): GrowingPath {
    return path === undefined ? GrowingPath.of(name) : path.#grown(name);
  }

  #grown(name: string): GrowingPath {
    const hasRoom = this.#length < this.#capacity;
    const room = hasRoom ? this.#room : this.#room.slice(0, this.#length);
    room[this.#length] = name;
    return new GrowingPath(room, this.#length + 1, hasRoom ? this.#capacity : this.#capacity * 2);
  }

  names(): readonly string[] {
    return this.#room.slice(0, this.#length);
  }
}
