import type { JsonObject } from "../../../../src/core/base/json.ts";
import { visibleJson, visibleText } from "../../../../src/core/base/visible-text.ts";
import { NativeArguments } from "../../../../src/core/syntax/call/native-arguments.ts";

/** A parameter of a call as people see it: a text as it is, another value as JSON. */
export interface ShownParameter {
  readonly name: string;
  readonly text: string;
  /** False while its value still comes. */
  readonly whole: boolean;
}

/** Shows the parameters of a call whose arguments still come; each piece is read once. */
export class ParametersSoFar {
  #reader = new NativeArguments();
  #json = "";
  #shown: readonly ShownParameter[] = [];

  /** What is known once the arguments have come as far as this. */
  read(json: string): readonly ShownParameter[] {
    if (json === this.#json) return this.#shown;
    if (!json.startsWith(this.#json)) {
      this.#reader = new NativeArguments();
      this.#json = "";
      this.#shown = [];
    }
    const piece = json.slice(this.#json.length);
    this.#json = json;
    for (const part of this.#reader.feed(piece)) {
      const before = this.#shown.slice(0, -1);
      const last = this.#shown.at(-1);
      if (part.type === "parameter-start") this.#shown = [...this.#shown, { name: part.name, text: "", whole: false }];
      else if (last !== undefined && part.type === "parameter") {
        this.#shown = [...before, { ...last, text: last.text + part.text }];
      } else if (last !== undefined) this.#shown = [...before, { ...last, whole: true }];
    }
    return this.#shown;
  }
}

/** The parameters of a call that is whole. */
export function shownParameters(parameters: JsonObject): readonly ShownParameter[] {
  return Object.entries(parameters).map(([name, value]) => ({
    name,
    text: typeof value === "string" ? value : JSON.stringify(value),
    whole: true,
  }));
}

/** The same for a person who is to judge the call: no sign of it hides, or turns text around. */
export function exactParameters(parameters: JsonObject): readonly Pick<ShownParameter, "name" | "text">[] {
  return Object.entries(parameters).map(([name, value]) => ({
    name: visibleText(name),
    text: typeof value === "string" ? visibleText(value, "\n\t") : visibleJson(JSON.stringify(value)),
  }));
}

/** What can be said of a call already: its whole parameters, numbers as numbers. */
export function knownSoFar(shown: readonly ShownParameter[]): JsonObject {
  return Object.fromEntries(
    shown.flatMap(({ name, text, whole }) => (whole ? [[name, /^-?\d{1,15}$/.test(text) ? Number(text) : text]] : [])),
  );
}
