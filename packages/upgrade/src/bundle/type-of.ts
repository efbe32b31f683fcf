import type { Component } from './component.ts';

/** The word by which policies speak of a component. */
export function typeOf(component: Pick<Component, 'id' | 'type'>): string {
  return component.type ?? component.id;
}
