import { JsonReader } from "./json-reader.ts";

/** A piece of a native call's arguments, as the app shows it while they stream. */
export type ArgumentPiece =
  | { readonly type: "parameter-start"; readonly name: string }
  /** Strings come as they grow, without escapes; other values complete, as JSON. */
  | { readonly type: "parameter"; readonly name: string; readonly text: string }
  | { readonly type: "parameter-end"; readonly name: string };

/** Shows the arguments of a native call while their JSON streams. Judging them is not its part: the app loads no validator. */
export class NativeArguments {
  readonly #reader: JsonReader;
  #held = "";
  #out: ArgumentPiece[] = [];

  constructor() {
    let name = "";
    let hasText = false;
    const ignored = (): void => {};
    this.#reader = new JsonReader(
      { type: "arguments" },
      {
        callOpened: ignored,
        callNamed: ignored,
        callIdentified: ignored,
        callClosed: ignored,
        parameterOpened: (opened) => {
          name = opened;
          hasText = false;
          this.#out.push({ type: "parameter-start", name });
        },
        parameterPiece: (text) => {
          hasText = true;
          this.#out.push({ type: "parameter", name, text });
        },
        parameterClosed: () => {
          // An empty text is a value too, and is shown.
          if (!hasText) this.#out.push({ type: "parameter", name, text: "" });
          this.#out.push({ type: "parameter-end", name });
        },
      },
    );
  }

  /** Returns what a piece of the JSON adds. */
  feed(piece: string): readonly ArgumentPiece[] {
    this.#out = [];
    const input = this.#held + piece;
    this.#held = input.slice(this.#reader.read(input, 0, false));
    return this.#out;
  }
}
