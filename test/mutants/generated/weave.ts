/** A place of a source text, and the text that replaces it when its mutant can be switched on. */
export interface Edit {
  readonly start: number;
  /** Past the last character. */
  readonly end: number;
  /** `active` is an expression that is true while the mutant is on; `slice` gives a range with the edits inside it. */
  readonly render: (active: string, slice: (start: number, end: number) => string) => string;
}

/** An edit, with the number by which its mutant is switched on. */
export interface NumberedEdit {
  readonly id: number;
  readonly edit: Edit;
}

/**
 * Puts all mutants of a source file into its text, each behind a switch: the file is compiled once for all of them. Their
 * numbers are in the order in which they were found.
 */
export function weave(text: string, edits: readonly NumberedEdit[]): string {
  // Outer edits first; of two with the same range, the one that was found first holds the other.
  const sorted = edits.toSorted((a, b) => a.edit.start - b.edit.start || b.edit.end - a.edit.end || a.id - b.id);
  return weaveRange({ text, start: 0, end: text.length, edits: sorted });
}

interface Range {
  readonly text: string;
  readonly start: number;
  readonly end: number;
  readonly edits: readonly NumberedEdit[];
}

function weaveRange({ text, start, end, edits }: Range): string {
  let woven = "";
  let at = start;
  for (let index = 0; index < edits.length;) {
    const outer = edits[index];
    if (outer === undefined) break;
    let next = index + 1;
    while ((edits[next]?.edit.end ?? Infinity) <= outer.edit.end) next += 1;
    const inner = edits.slice(index + 1, next);
    woven += text.slice(at, outer.edit.start);
    woven += outer.edit.render(`heddleMutant(${outer.id})`, (from, to) =>
      weaveRange({
        text,
        start: from,
        end: to,
        edits: inner.filter(({ edit }) => edit.start >= from && edit.end <= to),
      }),
    );
    // Insertions at one place hold nothing: the next one follows.
    if (outer.edit.end === outer.edit.start) next = index + 1;
    at = outer.edit.end;
    index = next;
  }
  return woven + text.slice(at, end);
}
