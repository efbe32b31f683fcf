/**
 * What the npm package `@isthmus/sandbox` offers: all of the package. Clients and kinds come from
 * `@isthmus/kube`, on which it depends.
 */
export * from '@isthmus/sandbox';
