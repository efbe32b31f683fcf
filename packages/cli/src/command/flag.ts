/**
 * One flag of a command, as data: its name is its key in the command's table. Parsing, help and
 * reference page derive from it.
 */
export interface Flag<out T> {
  /** Its meaning, without a full stop at the end. */
  readonly summary: string;
  /** One letter. */
  readonly short?: string | undefined;
  /**
   * The placeholder of the value in help, as `file`. Absent: a switch, which is `--x`, `--x=true`
   * or `--x=false`.
   */
  readonly placeholder?: string | undefined;
  /**
   * Its value is a list, separated by commas: a flag that is given again adds to it, as with
   * kubectl. Of other flags, the last one counts.
   */
  readonly isList?: boolean | undefined;
  /** The value where the flag is not given, for help. */
  readonly absent?: string | undefined;
  /** The heading that lists it in help. Default: the heading of the command's own flags. */
  readonly group?: string | undefined;
  /**
   * Reads the text of the value; a switch without one is true and is not read. Throws an Error with
   * the form that the value must have.
   */
  parse(text: string): T;
}

export type FlagTable = Readonly<Record<string, Flag<unknown>>>;

/** The values of the flags that were given; the others are undefined. */
export type GivenFlags<F extends FlagTable> = {
  readonly [K in keyof F]: F[K] extends Flag<infer T> ? T | undefined : never;
};

type About = Omit<Flag<unknown>, 'parse'>;
type AboutValue = About & { readonly placeholder: string };

/** Any text but the empty one, which is most often a variable that was not set. */
export function textFlag(about: AboutValue): Flag<string> {
  return { ...about, parse: (text) => demand(text !== '', text, 'It must not be empty.') };
}

/** Any text, the empty one included. */
export function anyTextFlag(about: AboutValue): Flag<string> {
  return { ...about, parse: (text) => text };
}

/** One of a few words. */
export function choiceFlag<const V extends string>(values: readonly V[], about: AboutValue): Flag<V> {
  return {
    ...about,
    parse(text) {
      const found = values.find((value) => value === text);
      if (found === undefined) throw new Error(`It must be ${alternatives(values)}.`);
      return found;
    },
  };
}

/**
 * The flag `-o` of a command: one of these formats, the first of which holds where it is not given.
 */
export function formatFlag<const V extends string>(formats: readonly [V, ...V[]], summary: string): Flag<V> {
  return choiceFlag(formats, { placeholder: 'format', short: 'o', summary, absent: formats[0] });
}

/** `a`, `a or b`, `a, b or c`. */
export function alternatives(words: readonly string[]): string {
  return [words.slice(0, -1).join(', '), ...words.slice(-1)].filter((part) => part !== '').join(' or ');
}

/** A whole number of at most nine digits. */
export function numberFlag(about: AboutValue): Flag<number> {
  return { ...about, parse: (text) => Number(demand(/^-?\d{1,9}$/.test(text), text, 'It must be a whole number.')) };
}

/** A switch; `absent` is its value where it is not given. */
export function switchFlag(about: Omit<About, 'placeholder'>): Flag<boolean> {
  return {
    ...about,
    // The values that Go's strconv.ParseBool accepts, because the flags in users' manifests were
    // written for it.
    parse(text) {
      if (/^(?:1|t|T|true|TRUE|True)$/.test(text)) return true;
      if (/^(?:0|f|F|false|FALSE|False)$/.test(text)) return false;
      throw new Error('It must be true or false.');
    },
  };
}

function demand(isRight: boolean, text: string, otherwise: string): string {
  if (!isRight) throw new Error(otherwise);
  return text;
}
