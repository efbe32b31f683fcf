/** A server, as an administrator reaches it. */
export interface Reached {
  readonly url: string;
  readonly caData: string;
  readonly certData: string;
  readonly keyData: string;
}
