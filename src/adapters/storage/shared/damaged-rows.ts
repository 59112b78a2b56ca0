/** Omits damaged rows from lists and reports each damage once, however often a list is read. */
export class DamagedRows {
  readonly #onDamaged: (problem: string) => void;
  readonly #toldOf = new Set<string>();

  constructor(onDamaged: (problem: string) => void = () => {}) {
    this.#onDamaged = onDamaged;
  }

  /**
   * Decodes a list for the whole workspace, where one damaged row must not hide the others. Reading that row by its id
   * fails with an error.
   */
  readable<Row, Value>(list: string, rows: readonly Row[], decode: (row: Row) => Value): readonly Value[] {
    return rows.flatMap((row) => {
      try {
        return [decode(row)];
      } catch (problem) {
        this.#report(`${list}: ${String(problem)}`);
        return [];
      }
    });
  }

  #report(problem: string): void {
    if (this.#toldOf.has(problem)) return;
    this.#toldOf.add(problem);
    this.#onDamaged(problem);
  }
}
