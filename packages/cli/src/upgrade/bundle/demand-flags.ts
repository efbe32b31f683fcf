import { choiceFlag, textFlag } from '../../command/flag.ts';

/** What every command that uses a bundle can demand of it. */
export const demandFlags = {
  'public-key': textFlag({
    placeholder: 'files',
    summary: 'PEM of the public keys (P-256) that are trusted, separated by commas',
  }),
  signature: choiceFlag(['require', 'warn'], {
    placeholder: 'policy',
    summary: 'whether a bundle without a signature of a trusted key is refused; a wrong signature always is',
    absent: 'require where a public key is given, otherwise warn',
  }),
  expired: choiceFlag(['refuse', 'warn'], {
    placeholder: 'policy',
    summary: 'whether a bundle that has expired is refused',
    absent: 'warn',
  }),
};
