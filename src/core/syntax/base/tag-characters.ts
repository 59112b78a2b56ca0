import type { TagForm } from "./grammar.ts";

const firstsByForms = new WeakMap<readonly TagForm[], readonly string[]>();

/** Returns the characters with which tags begin; a grammar's forms are one object for all its values. */
export function firstsOf(forms: readonly TagForm[]): readonly string[] {
  const known = firstsByForms.get(forms);
  if (known !== undefined) return known;
  const firsts = [...new Set(forms.flatMap(({ open, close }) => [open.charAt(0), close.charAt(0)]))];
  firstsByForms.set(forms, firsts);
  return firsts;
}

/** Whether a tag may begin in a piece of a value. */
export function mayBeginTag(piece: string, forms: readonly TagForm[]): boolean {
  return firstsOf(forms).some((first) => piece.includes(first));
}
