import type { ReasonDefinition } from './define-status.ts';

/** The problem that any object with a reported status can have: its status cannot be written. */
export const statusRejectedReason = {
  StatusRejected: {
    on: ['Event'],
    severity: 'error',
    meaning:
      'The API server rejects the status that the controller writes, so the conditions of the object are out of date. Everything else works.',
    cure: 'Read the message: it contains the answer of the API server. Correct the role, the admission policy or the webhook that it names. The write is tried again every 10 seconds.',
  },
} as const satisfies Readonly<Record<string, ReasonDefinition<never>>>;
