import { describe, expect, it } from 'vitest';
import { noticesText, packageManifest } from './package-files.ts';

describe('the files of the npm package', () => {
  it('give the program a second name, by which kubectl finds it as a plugin', () => {
    expect(JSON.parse(packageManifest({ version: '1.2.3', entry: 'isthmus.mjs' }))).toMatchObject({
      name: 'isthmus',
      version: '1.2.3',
      bin: { isthmus: 'isthmus.mjs', 'kubectl-isthmus': 'isthmus.mjs' },
    });
  });

  it('repeat the licence of each package that is in the bundle, and lack none', () => {
    const one = { name: 'a', version: '1.0.0', license: 'MIT', text: 'Permission is granted.\n' };
    expect(noticesText([one])).toContain('a 1.0.0 (MIT)\n\nPermission is granted.\n');
    expect(noticesText([{ ...one, text: undefined }])).toContain('a 1.0.0 (MIT)');
    expect(() => noticesText([one, { ...one, name: 'b', license: '', text: undefined }])).toThrow(
      'no licence is known of b',
    );
  });
});
