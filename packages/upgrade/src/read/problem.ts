/** Something wrong with a file that was given, for the person who wrote it. */
export interface Problem {
  /** The name of the file in messages. */
  readonly source: string;
  /** From 1; that of the nearest field around it where the field is not there. */
  readonly line: number;
  /** `spec.components[2].version.upstream`; empty for the file as a whole. */
  readonly path: string;
  /** The value that was found and the expected one. */
  readonly message: string;
}

/** The JSON of a file as it was written: without defaults, with all metadata. */
export interface WrittenFile {
  readonly json: unknown;
}

/** A file that was read, or all that is wrong with it, in the order of its lines. */
export type ReadResult<T> =
  | {
      readonly kind: 'read';
      readonly value: T;
      /** The input of signatures and digests. */
      readonly written: WrittenFile;
      /** For the checks that come after reading: the line on which a field begins, by its path. */
      readonly lineOf: (path: string) => number;
    }
  | {
      readonly kind: 'refused';
      readonly problems: readonly Problem[];
      /** How many more there are, where there are too many to list. */
      readonly unlisted?: number | undefined;
    };
