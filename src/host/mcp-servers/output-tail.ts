import { stripVTControlCharacters } from "node:util";

/** How much of a server's output is kept. UTF-16 units. */
const unitsMax = 4_000;

/** The end of a server's output for people, as plain text. */
export class OutputTail {
  #text = "";

  get text(): string {
    return stripVTControlCharacters(this.#text).toWellFormed();
  }

  add(text: string): void {
    this.#text = (this.#text + text.slice(-2 * unitsMax)).slice(-unitsMax);
  }
}
