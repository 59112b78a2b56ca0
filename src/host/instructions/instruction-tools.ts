import { refusal } from "../../core/base/errors.ts";
import type { RootId, TurnId } from "../../core/base/ids.ts";
import { shortened } from "../../core/base/shortened.ts";
import type { SyntaxTool } from "../../core/syntax/base/tools.ts";
import { readToolInput, toolDefinition } from "../../core/tool/base/definitions.ts";
import { factsOfSpec, type ToolFacts } from "../../core/tool/base/facts.ts";
import type { ToolAnswer } from "../../core/tool/base/types.ts";
import { findTool } from "../../core/tool/registry.ts";
import { loadSkill } from "../../core/tool/skill/skill-tools.ts";
import type { ToolCall } from "../../core/turn/state/state.ts";
import type { OfferContext, ToolContext, ToolSource } from "../conversation/base/ports.ts";
import { refusedAnswer } from "../tool/answer.ts";
import { agentsUnitsMax, readInstructions, type Instructions, type InstructionSources } from "./folder-instructions.ts";

/** Opens the source of what a folder tells agents: its AGENTS.md in the prompt, and skills behind a tool. */
export function createInstructionTools(sources: InstructionSources): ToolSource {
  return new InstructionTools(sources);
}

const turnsMax = 1_000;
const skillUnitsMax = 60_000;
const definition: SyntaxTool = { ...toolDefinition(loadSkill), access: loadSkill.access };
const facts = factsOfSpec(loadSkill);

class InstructionTools implements ToolSource {
  readonly #sources: InstructionSources;
  /** A turn keeps the instructions it began with. */
  readonly #byTurn = new Map<TurnId, Instructions>();
  /** What was read last for a conversation: who reads another may know of less. */
  readonly #byRoot = new Map<RootId, Instructions>();

  constructor(sources: InstructionSources) {
    this.#sources = sources;
  }

  async ready(_signal: AbortSignal, { rootId, folderId, turnId, reach }: OfferContext): Promise<void> {
    if (turnId !== undefined && this.#byTurn.has(turnId)) return;
    const read = await readInstructions(this.#sources, folderId, reach);
    keep(this.#byRoot, rootId, read);
    if (turnId !== undefined) keep(this.#byTurn, turnId, read);
  }

  definitions(context: OfferContext): readonly SyntaxTool[] {
    return (this.#of(context)?.skillsByName.size ?? 0) > 0 ? [definition] : [];
  }

  notes(context: Pick<OfferContext, "rootId" | "turnId">): string {
    const instructions = this.#of(context);
    return instructions === null
      ? ""
      : [agentsNote(instructions), skillsNote(instructions)].filter(Boolean).join("\n\n");
  }

  facts(name: string): ToolFacts | null {
    return findTool([loadSkill], name).ok ? facts : null;
  }

  async run({ parameters }: ToolCall, context: ToolContext): Promise<ToolAnswer> {
    const input = readToolInput(loadSkill, parameters);
    if (!input.ok) return refusedAnswer(input.error);
    const skills = this.#of(context)?.skillsByName ?? new Map();
    const skill = skills.get(input.value.name);
    if (skill === undefined) {
      const names = [...skills.keys()];
      const message = `There is no skill named ${JSON.stringify(input.value.name)}. The skills are: ${names.join(", ") || "none"}.`;
      return refusedAnswer(refusal("NOT_FOUND", { name: input.value.name, skills: names }, message));
    }
    const { name, body } = skill;
    return { ok: true, content: { name, text: shortened(body, skillUnitsMax) } };
  }

  #of({ rootId, turnId }: Pick<OfferContext, "rootId" | "turnId">): Instructions | null {
    return (turnId === undefined ? undefined : this.#byTurn.get(turnId)) ?? this.#byRoot.get(rootId) ?? null;
  }
}

/** Keeps what was read, and forgets what was read first where it is too much. */
function keep<Key>(kept: Map<Key, Instructions>, key: Key, read: Instructions): void {
  kept.delete(key);
  kept.set(key, read);
  const [oldest] = kept.keys();
  if (kept.size > turnsMax && oldest !== undefined) kept.delete(oldest);
}

function agentsNote({ text, agentsFiles }: Instructions): string {
  const nested = agentsFiles.filter(({ inPrompt }) => !inPrompt).map(({ path }) => path);
  if (text.trim() === "" && nested.length === 0) return "";
  const cut = text.length > agentsUnitsMax ? "\n\n(The file goes on; read AGENTS.md for the rest.)" : "";
  const own = `The folder has this file for agents. Follow it, unless a person says otherwise.\n\n${text.slice(0, agentsUnitsMax).toWellFormed().trim()}${cut}`;
  const others = `For files below these folders their own AGENTS.md goes first; read it before you work there: ${nested.slice(0, 20).join(", ")}.`;
  const parts = [...(text.trim() === "" ? [] : [own]), ...(nested.length === 0 ? [] : [others])];
  return `# AGENTS.md\n\n${parts.join("\n\n")}`;
}

function skillsNote({ skillsByName }: Instructions): string {
  if (skillsByName.size === 0) return "";
  const lines = [...skillsByName.values()].map(({ name, description }) => `- ${name}: ${description}`);
  return `# Skills\n\nWays of working that are written down. When a task fits one, call load_skill with its name before you begin.\n\n${lines.join("\n")}`;
}
