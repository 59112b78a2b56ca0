import { soleFolder } from "../files/sole-folder.test-support.ts";
import type { BlockId, FolderId, RootId, RunId, ToolCallId, TurnId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { ToolAnswer } from "../../core/tool/base/types.ts";
import type { Reach } from "../access/reach.ts";
import type { ToolSource } from "../conversation/base/ports.ts";
import { createSearcher } from "../../adapters/search/worker-searcher.ts";
import { model, openWorld, type World } from "../document/world.test-support.ts";
import { WordIndex } from "../document/word-index.ts";
import { createHeddleTools } from "./heddle-tools.ts";
import { ToolRegistry } from "./tool-registry.ts";

export interface ToolWorld extends World {
  readonly tools: ToolSource;
  /** The folder of the agents' conversations; none by default. */
  readonly folderId?: FolderId;
}

export async function openToolWorld(...world: Parameters<typeof openWorld>): Promise<ToolWorld> {
  const opened = await openWorld(...world);
  const searcher = createSearcher(opened.clock);
  return {
    ...opened,
    tools: new ToolRegistry([
      createHeddleTools({ ...opened, searcher, words: new WordIndex(opened), folders: soleFolder(null, null) }),
    ]),
  };
}

let calls = 0;

/** A model's run that calls tools as a conversation does. */
export class TestAgent {
  readonly runId: RunId;
  readonly turnId: TurnId;
  /** The id of every call, as from providers that restart ids with each reply; null gives each call a new id. */
  callId: string | null = null;
  /** What its calls may know of and change, by the rights of the moment; null: everything. */
  reach: Reach | null = null;
  readonly #world: ToolWorld;
  readonly #canvasId: BlockId | null;
  readonly #rootId: RootId;

  constructor(world: ToolWorld, canvasId: BlockId | null, run = "run", turn = `${run}-turn`) {
    this.#world = world;
    this.#canvasId = canvasId;
    this.#rootId = `root-${run}` as RootId;
    this.runId = run as RunId;
    this.turnId = turn as TurnId;
  }

  call(
    name: string,
    parameters: JsonObject = {},
    signal = new AbortController().signal,
    progress: (text: string) => void = () => {},
  ): Promise<ToolAnswer> {
    calls += 1;
    const actor = model(this.runId, this.turnId);
    const context = {
      rootId: this.#rootId,
      runId: this.runId,
      turnId: this.turnId,
      kind: "conversation" as const,
      actor,
      canvasId: this.#canvasId,
      folderId: this.#world.folderId ?? null,
      reach: this.reach,
      progress,
    };
    return this.#world.tools.run(
      { id: (this.callId ?? `call-${calls}`) as ToolCallId, name, parameters },
      context,
      signal,
    );
  }

  /** Returns the answer of a call; throws when it is refused. */
  async must(name: string, parameters: JsonObject = {}): Promise<JsonObject> {
    const answer = await this.call(name, parameters);
    if (!answer.ok) throw new Error(`${name} was refused: ${JSON.stringify(answer.content)}`);
    return answer.content;
  }

  /** Returns the code of a refusal; `ok` when there is none. */
  async code(name: string, parameters: JsonObject = {}): Promise<string> {
    return (await this.call(name, parameters)).code ?? "ok";
  }

  /** Takes the canvas's lease; returns its id. */
  async checkOut(): Promise<string> {
    const { lease_id: leaseId } = await this.must("canvas_check_out");
    if (typeof leaseId !== "string") throw new Error("a lease has an id");
    return leaseId;
  }
}
