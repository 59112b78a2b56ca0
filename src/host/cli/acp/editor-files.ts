import { join } from "node:path";
import type { SessionUpdate, ToolCallContent } from "@agentclientprotocol/sdk/unstable";
import type { BlockId, FolderId, TurnId } from "../../../core/base/ids.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { diffChanges } from "../../../core/block/change/diff-changes.ts";
import { applyChanges } from "../../../core/block/change/text-change.ts";
import { threeWay } from "../../../core/block/change/three-way.ts";
import { planPatch } from "../../../core/block/patch/apply.ts";
import type { HeddleClient, TextReplica } from "../../../client/base/types.ts";
import { kindOf, pathsOf, textContent } from "./call-shape.ts";

/** The editor's own texts, saved or not. */
export interface EditorBuffers {
  /** Returns the text of a file as the editor shows it; null where it cannot be read. */
  read(path: string): Promise<string | null>;
  /** Returns whether the editor took the text. */
  write(path: string, text: string): Promise<boolean>;
}

interface FilesPorts {
  readonly client: HeddleClient;
  /** null where the editor does not share its buffers. */
  readonly buffers: EditorBuffers | null;
  /** The folder that the conversation works in. */
  readonly folder: { readonly id: FolderId; readonly path: string } | null;
  /** The conversation's canvas. */
  readonly canvasId: () => BlockId | null;
}

export interface FinishedCall {
  readonly toolCallId: string;
  readonly turnId: TurnId | null;
  readonly name: string;
  readonly parameters: JsonObject;
}

/** A text that a call may have changed. */
interface Target {
  readonly blockId: BlockId;
  readonly path: string;
  readonly text: string;
  readonly isFile: boolean;
}

/** The largest texts that are sent whole, before and after an edit together. UTF-16 units. */
const wholeUnitsMax = 1_048_576;

/**
 * Shows an editor what calls changed in documents, and brings the changes into its buffers, where unsaved text may wait:
 * merged, so that the words of both remain.
 */
export class EditorFiles {
  readonly #ports: FilesPorts;
  /** The texts after the last edit that was shown, by block. */
  readonly #shown = new Map<BlockId, string>();

  constructor(ports: FilesPorts) {
    this.#ports = ports;
  }

  /** Returns the update that shows what a call changed; none where it changed no text. */
  async finished(call: FinishedCall): Promise<readonly SessionUpdate[]> {
    if (kindOf(call.name) !== "edit") return [];
    const content: ToolCallContent[] = [];
    for (const target of await this.#targets(call)) content.push(...(await this.#changed(target, call.turnId)));
    if (content.length === 0) return [];
    return [{ sessionUpdate: "tool_call_update", toolCallId: call.toolCallId, content }];
  }

  /** Forgets the texts: the next turn begins with its own. */
  turnEnded(): void {
    this.#shown.clear();
  }

  async #targets({ name, parameters }: FinishedCall): Promise<readonly Target[]> {
    const { client, folder } = this.#ports;
    const ids: BlockId[] = [];
    if (folder !== null) {
      for (const path of pathsOf(parameters)) {
        const opened = await client.call("file.open", { folderId: folder.id, path });
        if (opened.ok) ids.push(opened.value.blockId);
      }
    }
    const { block_id: blockId, canvas_id: canvasId } = parameters;
    if (typeof blockId === "string") ids.push(blockId as BlockId);
    const canvas = typeof canvasId === "string" ? (canvasId as BlockId) : this.#ports.canvasId();
    if (name.startsWith("canvas_") && canvas !== null) ids.push(canvas);
    const targets = await Promise.all(ids.map((id) => this.#target(id)));
    return targets.filter((target) => target !== null);
  }

  async #target(blockId: BlockId): Promise<Target | null> {
    const { client, folder } = this.#ports;
    return withText(client, blockId, (replica) => {
      const { path, title } = replica.header.get()?.metadata ?? {};
      const text = replica.text();
      if (typeof path === "string" && folder !== null) {
        return { blockId, text, isFile: true, path: join(folder.path, path) };
      }
      const name = typeof title === "string" && title !== "" ? title.replaceAll("/", " ") : blockId;
      return { blockId, text, isFile: false, path: `/heddle/${name}.md` };
    });
  }

  async #changed({ blockId, path, text, isFile }: Target, turnId: TurnId | null): Promise<readonly ToolCallContent[]> {
    const before = this.#shown.get(blockId) ?? (await this.#beforeTurn({ blockId, text, turnId }));
    this.#shown.set(blockId, text);
    if (before === null || before === text) return [];
    const said = isFile ? await this.#toBuffer(path, { before, after: text }) : [];
    const isShort = before.length + text.length <= wholeUnitsMax;
    const diff: ToolCallContent = isShort
      ? { type: "diff", path, oldText: before, newText: text }
      : { type: "diff", path, ...fragment(before, text), _meta: { heddle: { fragment: true } } };
    return [diff, ...said];
  }

  /** Returns a text without what the turn changed in it; null where that is not known. */
  async #beforeTurn({
    blockId,
    text,
    turnId,
  }: Pick<Target, "blockId" | "text"> & { readonly turnId: TurnId | null }): Promise<string | null> {
    if (turnId === null) return null;
    const change = await this.#ports.client.call("block.turn-change", { blockId, turnId });
    if (!change.ok || change.value.truncated || change.value.undone) return null;
    const plan = planPatch(text, reversed(change.value.diff));
    return plan.ok ? applyChanges(text, plan.value.changes) : null;
  }

  /** Merges an edit into the editor's buffer. Returns what to say about it. */
  async #toBuffer(
    path: string,
    { before, after }: { readonly before: string; readonly after: string },
  ): Promise<readonly ToolCallContent[]> {
    const { buffers } = this.#ports;
    const shown = buffers === null ? null : await buffers.read(path);
    if (buffers === null || shown === null || shown === after) return [];
    const merged = threeWay(before, shown, after);
    if (merged.type === "conflict") {
      const lines = merged.lines.map(({ start }) => start + 1).join(", ");
      const words = `The editor has unsaved text where this edit changed the file (line ${lines}). The editor's text was left as it is, and the file has the edit. Save to decide in Heddle, or reload the file.`;
      return [textContent(words)];
    }
    const changes = [...diffChanges(before, shown), ...merged.changes].toSorted((a, b) => a.from - b.from);
    if (await buffers.write(path, applyChanges(before, changes))) return [];
    return [textContent("The editor did not take this edit into its buffer; the file has it.")];
  }
}

/** Turns a unified diff round. */
function reversed(diff: string): string {
  const lines = diff.split("\n").map((line) => {
    if (line.startsWith("-")) return `+${line.slice(1)}`;
    if (line.startsWith("+")) return `-${line.slice(1)}`;
    return line.replace(/^@@ -(\S+) \+(\S+) @@/u, "@@ -$2 +$1 @@");
  });
  return lines.join("\n");
}

/** How long a text may take to arrive. Milliseconds. */
const arrivalMs = 10_000;

/** Opens a text, uses it once it has arrived, and closes it; null where it does not arrive. */
export async function withText<Value>(
  client: HeddleClient,
  blockId: BlockId,
  use: (replica: TextReplica) => Value,
): Promise<Value | null> {
  const replica = client.openText(blockId);
  try {
    if (!replica.ready) await arrived(replica);
    return replica.ready ? use(replica) : null;
  } finally {
    replica.close();
  }
}

function arrived(replica: TextReplica): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      for (const stop of stops) stop();
      resolve();
    };
    const timer = setTimeout(done, arrivalMs);
    const stops = [
      replica.header.subscribe(() => replica.ready && done()),
      replica.refused.subscribe(() => replica.refused.get() !== null && done()),
    ];
  });
}

/** Returns the stretch that differs. */
function fragment(before: string, after: string): { readonly oldText: string; readonly newText: string } {
  let start = 0;
  while (start < before.length && before[start] === after[start]) start += 1;
  let end = 0;
  const most = Math.min(before.length, after.length) - start;
  while (end < most && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const cut = (text: string): string =>
    text
      .slice(start, text.length - end)
      .slice(0, wholeUnitsMax / 2)
      .toWellFormed();
  return { oldText: cut(before), newText: cut(after) };
}
