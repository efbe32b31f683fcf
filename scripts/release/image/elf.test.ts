import { describe, expect, it } from 'vitest';
import { readLinked } from './elf.ts';
import { madeUpProgram } from './testing/made-up-program.ts';

describe('the libraries of a program', () => {
  it('are found by name, with the dynamic linker, wherever it is loaded', () => {
    for (const address of [0, 0x40_0000])
      expect(readLinked(madeUpProgram(address, ['libc.so.6', 'libm.so.6'], '/lib64/ld.so'))).toEqual({
        libraries: ['libc.so.6', 'libm.so.6'],
        interpreter: '/lib64/ld.so',
      });
  });

  it('are none of a file that is not a program', () => {
    expect(readLinked(Buffer.from('#!/usr/bin/node\n'.repeat(10)))).toBeUndefined();
  });
});
