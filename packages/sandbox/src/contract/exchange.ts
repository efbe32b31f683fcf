/**
 * The answer of a server to one request of a case, without values that differ between any two
 * servers. It is plain JSON, since it is kept in a file.
 */
export interface Exchange {
  /** `POST /api/v1/namespaces/NAMESPACE/configmaps?dryRun=All`. */
  readonly request: string;
  readonly status: number;
  readonly contentType: string;
  /** The `Warning` headers. */
  readonly warnings?: readonly string[] | undefined;
  /** JSON as it is, other text as a string; of a watch, its events. */
  readonly body: unknown;
}

/** All answers to the requests of one case, in their order. */
export type Transcript = readonly Exchange[];

/** The transcripts of an area by the titles of its cases. */
export type Recording = Readonly<Record<string, Transcript>>;
