import type { Registers } from "../base/registers.ts";
import type { Remark } from "../base/scan-options.ts";
import type { ToolTable } from "../base/tools.ts";

const remarksMax = 20;

/** A call of a known tool that stood where none is read. */
export interface QuotedCall {
  readonly name: string;
  readonly where: "fence" | "reasoning";
}

/** What looked like a call and was not read as one. */
export class QuotedCalls {
  readonly #tools: ToolTable;
  readonly #remarks: Remark[] = [];
  /** The last that the model may have meant. */
  last: QuotedCall | undefined;

  constructor(tools: ToolTable) {
    this.#tools = tools;
  }

  get remarks(): readonly Remark[] {
    return this.#remarks;
  }

  /** Remembers why it was not read, for people who ask; `at` is an offset in the reply. */
  remark(at: number, why: Remark["why"]): void {
    const last = this.#remarks.at(-1);
    if (this.#remarks.length < remarksMax && (last === undefined || last.at < at)) this.#remarks.push({ at, why });
  }

  /** A whole opening of a call stood there. */
  note(where: QuotedCall["where"], captured: Registers): void {
    const name = captured["name"] ?? "";
    if (name === "" || this.#tools.find(name) !== undefined) this.last = { name, where };
  }
}
