import type { Registers } from "../base/registers.ts";
import type { Remark } from "../base/scan-options.ts";
import type { ToolTable } from "../base/tools.ts";

const remarksMax = 20;

/** A call of a known tool that was written where calls are not read. */
export interface QuotedCall {
  readonly name: string;
  readonly where: "fence" | "reasoning";
}

/** Collects what looked like a call but was not read as one. */
export class QuotedCalls {
  readonly #tools: ToolTable;
  readonly #remarks: Remark[] = [];
  /** The last one that the model may have meant. */
  last: QuotedCall | undefined;

  constructor(tools: ToolTable) {
    this.#tools = tools;
  }

  get remarks(): readonly Remark[] {
    return this.#remarks;
  }

  /** Records why a call was not read; `at` is an offset in the reply. */
  remark(at: number, why: Remark["why"]): void {
    const last = this.#remarks.at(-1);
    if (this.#remarks.length < remarksMax && (last === undefined || last.at < at)) this.#remarks.push({ at, why });
  }

  /** Records a complete opening of a call. */
  note(where: QuotedCall["where"], captured: Registers): void {
    const name = captured["name"] ?? "";
    if (name === "" || this.#tools.find(name) !== undefined) this.last = { name, where };
  }
}
