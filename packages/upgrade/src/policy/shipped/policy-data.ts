import type { Policy } from '../policy.ts';

/**
 * The content of a file before it is read. Fields with a default may be left out; reading reports
 * other missing fields.
 */
type Written<T> = T extends readonly (infer U)[]
  ? readonly Written<U>[]
  : T extends object
    ? { readonly [K in keyof T]?: Written<T[K]> | undefined }
    : T;

/**
 * A policy that ships with isthmus, as data; `shippedPolicies` reads it as it would read a file.
 */
export interface PolicyData {
  readonly name: string;
  readonly spec: Written<Policy['spec']>;
}
