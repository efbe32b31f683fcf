/**
 * The meaning of a piece of text; an output with colours paints it so.
 */
export type Style = 'good' | 'bad' | 'warning' | 'strong' | 'faint';

/** Text in a style. */
export interface Painted {
  readonly style: Style;
  readonly text: string;
}

/** A piece of what is printed: text as it is, or in a style. */
export type Piece = string | Painted;

/** A stream that text is written to at once. */
export interface Output {
  /** Pieces that have a style are painted where colours are wanted. */
  write(...pieces: readonly Piece[]): void;
  readonly isTTY: boolean;
  /** The width of a terminal. */
  readonly columns?: number | undefined;
}
