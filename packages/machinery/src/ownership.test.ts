import { describe, expect, it } from 'vitest';
import { addFinalizer, hasFinalizer, removeFinalizer } from './finalizers.ts';
import { controllerOf, controllerReferenceTo, isOwnedBy } from './owner-references.ts';

describe('finalizers', () => {
  const object = { metadata: { name: 'a', finalizers: ['x/1', 'x/2'] } };

  it('are added at the end, once', () => {
    const held = addFinalizer(object, 'x/3');
    expect(held.metadata.finalizers).toEqual(['x/1', 'x/2', 'x/3']);
    expect(addFinalizer(held, 'x/3')).toBe(held);
    expect(addFinalizer({ metadata: { name: 'b' } }, 'x/1').metadata).toEqual({ name: 'b', finalizers: ['x/1'] });
  });

  it('are removed wherever they stand, and the others keep their order', () => {
    expect(removeFinalizer(object, 'x/1').metadata.finalizers).toEqual(['x/2']);
    expect(removeFinalizer(object, 'x/9')).toBe(object);
    expect(hasFinalizer(removeFinalizer(object, 'x/2'), 'x/2')).toBe(false);
  });

  it('leave the argument as it was', () => {
    addFinalizer(object, 'x/3');
    removeFinalizer(object, 'x/1');
    expect(object.metadata.finalizers).toEqual(['x/1', 'x/2']);
  });
});

describe('owner references', () => {
  const owner = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'cart', uid: 'u1' } };
  const reference = controllerReferenceTo(owner);
  const owned = { metadata: { name: 'slice', ownerReferences: reference === undefined ? [] : [reference] } };

  it('name their owner by uid', () => {
    expect(reference).toEqual({
      apiVersion: 'v1',
      kind: 'Service',
      name: 'cart',
      uid: 'u1',
      controller: true,
      blockOwnerDeletion: true,
    });
    expect(isOwnedBy(owned, owner)).toBe(true);
    expect(controllerOf(owned)).toBe(reference);
  });

  it('do not pass to an owner made anew under the same name', () => {
    expect(isOwnedBy(owned, { ...owner, metadata: { name: 'cart', uid: 'u2' } })).toBe(false);
  });

  it('own nothing where the owner has no uid yet', () => {
    expect(isOwnedBy({ metadata: { name: 'slice' } }, { metadata: { name: 'cart' } })).toBe(false);
    expect(controllerReferenceTo({ metadata: { name: 'cart', uid: 'u1' } })).toBeUndefined();
  });
});
