import { choiceFlag, textFlag } from '../../command/flag.ts';

/** The requirements for a bundle that every command can set. */
export const demandFlags = {
  'public-key': textFlag({
    isList: true,
    placeholder: 'files',
    summary: 'PEM files of the trusted public keys (P-256), separated by commas',
  }),
  signature: choiceFlag(['require', 'warn'], {
    placeholder: 'policy',
    summary:
      'whether to reject a bundle without a signature by a trusted key; a wrong signature of a trusted key is always rejected',
    absent: 'require with --public-key, otherwise warn',
  }),
  expired: choiceFlag(['refuse', 'warn'], {
    placeholder: 'policy',
    summary: 'whether to reject an expired bundle',
    absent: 'warn',
  }),
};
