/** How much of a command's output a model reads: from its beginning, and from its end. UTF-16 units. */
export const outputHeadUnits = 10_000;
export const outputTailUnits = 20_000;

/** The output of a command as it comes, of which the beginning and the end are kept. */
export class KeptOutput {
  #head = "";
  #tail = "";
  #units = 0;

  add(text: string): void {
    this.#units += text.length;
    const room = outputHeadUnits - this.#head.length;
    this.#head += text.slice(0, room);
    if (text.length <= room) return;
    this.#tail += text.slice(Math.max(room, 0));
    // Cut now and then only: a cut copies.
    if (this.#tail.length > 4 * outputTailUnits) this.#tail = this.#tail.slice(-outputTailUnits);
  }

  /** What is kept, with a line in place of what is not; `leftOut` says how much that is, in UTF-16 units. */
  get shown(): { readonly output: string; readonly leftOut: number } {
    const leftOut = this.#units - this.#head.length - Math.min(this.#tail.length, outputTailUnits);
    if (leftOut === 0) return { output: this.#head + this.#tail, leftOut };
    const head = this.#head.toWellFormed();
    const tail = this.#tail.slice(-outputTailUnits).toWellFormed();
    return { output: `${head}\n[… ${leftOut} characters are left out here …]\n${tail}`, leftOut };
  }
}
