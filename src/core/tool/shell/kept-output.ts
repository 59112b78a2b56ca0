/** How much of a command's output a model reads from its beginning and from its end, in UTF-16 units. */
export const outputHeadUnits = 10_000;
export const outputTailUnits = 20_000;

/** Collects the output of a command and keeps its beginning and its end. */
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
    // Cut only when far over the limit, because each cut copies.
    if (this.#tail.length > 4 * outputTailUnits) this.#tail = this.#tail.slice(-outputTailUnits);
  }

  /** The kept output, with a line in place of the dropped part; `leftOut` is its length in UTF-16 units. */
  get shown(): { readonly output: string; readonly leftOut: number } {
    const leftOut = this.#units - this.#head.length - Math.min(this.#tail.length, outputTailUnits);
    if (leftOut === 0) return { output: this.#head + this.#tail, leftOut };
    const head = this.#head.toWellFormed();
    const tail = this.#tail.slice(-outputTailUnits).toWellFormed();
    return { output: `${head}\n[… ${leftOut} characters are left out here …]\n${tail}`, leftOut };
  }
}
