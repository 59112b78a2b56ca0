import { readToolArguments, type Assembly, type AssemblyBlock } from "./assemble.ts";

/** The text of one part of a reply as people changed it while it streamed. */
export interface PartEdit {
  readonly text: string;
  /** Names of those who changed it. */
  readonly by: string;
}

/**
 * Returns a reply with people's changes. A changed part is plain text: what its provider added to it (ids, signatures) was
 * about other words. Thinking that comes after the first changed part stays for people and is not sent again, and so does
 * an OpenAI reasoning item whose own product was changed: providers refuse what they cannot verify.
 */
export function withEdits(assembly: Assembly, edits: ReadonlyMap<number, PartEdit>, api: string): Assembly {
  const first = assembly.blocks.findIndex(({ index }) => edits.has(index));
  if (first === -1) return assembly;
  const boundBefore = api === "openai-responses";
  const blocks = assembly.blocks.flatMap((block, at): readonly AssemblyBlock[] => {
    const edit = edits.get(block.index);
    if (edit !== undefined) return [edited(block, edit)];
    if (block.type !== "thinking") return [block];
    const product = assembly.blocks.slice(at + 1).find(({ type }) => type !== "thinking");
    const lostProduct = boundBefore && product !== undefined && edits.has(product.index);
    return at > first || lostProduct ? unsent(block) : [block];
  });
  return { ...assembly, blocks };
}

function edited(block: AssemblyBlock, { text, by }: PartEdit): AssemblyBlock {
  const { index } = block;
  switch (block.type) {
    case "text":
      return { type: "text", index, text, complete: block.complete };
    case "refusal":
      return { type: "text", index, text, complete: true };
    case "tool-call": {
      const { argumentsError: _ofOldText, native: _bound, ...call } = block;
      const unreadable = readToolArguments(text).argumentsError !== undefined;
      const problem = unreadable ? { argumentsError: `The arguments were edited by ${by} and cannot be read.` } : {};
      return { ...call, json: text, editedBy: by, ...problem };
    }
    case "thinking":
    case "opaque":
      return block;
  }
}

/** Thinking without the proof of its origin; nothing is left of thinking that only its provider could read. */
function unsent({
  index,
  text,
  complete,
}: Extract<AssemblyBlock, { readonly type: "thinking" }>): readonly AssemblyBlock[] {
  return text === "" ? [] : [{ type: "thinking", index, text, complete, unsent: true }];
}
