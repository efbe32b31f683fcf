import { s } from '@isthmus/schema';

/**
 * `metadata` of every file. Only the name is used; labels, annotations and fields that an API
 * server may add are kept and ignored.
 */
export const fileMetadata = s
  .object({
    name: s
      .string()
      .doc('The name, used by other files and messages: a DNS subdomain.')
      .minLength(1)
      .maxLength(253)
      .pattern('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$'),
  })
  .preserveUnknown()
  .doc('Its name; other metadata is ignored, and not covered by a signature.');
