/** Leaves out of a list what is damaged, and tells of each damage once: a list that is asked for often says it once, too. */
export class DamagedRows {
  readonly #onDamaged: (problem: string) => void;
  readonly #toldOf = new Set<string>();

  constructor(onDamaged: (problem: string) => void = () => {}) {
    this.#onDamaged = onDamaged;
  }

  /** What the whole workspace lists: one damaged row must not take the others with it. Who asks for it by its id is told. */
  readable<Row, Value>(list: string, rows: readonly Row[], decode: (row: Row) => Value): readonly Value[] {
    return rows.flatMap((row) => {
      try {
        return [decode(row)];
      } catch (problem) {
        this.#tellOf(`${list}: ${String(problem)}`);
        return [];
      }
    });
  }

  #tellOf(problem: string): void {
    if (this.#toldOf.has(problem)) return;
    this.#toldOf.add(problem);
    this.#onDamaged(problem);
  }
}
