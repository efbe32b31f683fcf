/** The meaning and the cure of the reason BeingDeleted, for the places of one kind. */
export const beingDeletedReason = {
  severity: 'error',
  meaning:
    'An object of the import was deleted and still exists, because finalizers of another controller hold it. Isthmus neither changes it nor counts it as present, and creates it again when it is gone, if it is still wanted. The message names the object and its finalizers.',
  cure: 'Wait for the controllers of the finalizers, or correct them. If they do not run any more, remove the finalizers: the message has the command.',
} as const;
