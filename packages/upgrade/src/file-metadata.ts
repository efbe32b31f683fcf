import { s } from '@isthmus/schema';

/** `metadata` of every file: its name counts; labels, annotations and what an API server may add say nothing to us, and are kept. */
export const fileMetadata = s
  .object({
    name: s
      .string()
      .doc('The name, by which other files and messages speak of it: a DNS subdomain.')
      .minLength(1)
      .maxLength(253)
      .pattern('^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$'),
  })
  .preserveUnknown()
  .doc('Its name; all else is left alone, and is not covered by a signature.');
