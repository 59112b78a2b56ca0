import { ok } from "../../core/base/result.ts";
import { modelBlockTools } from "../../core/tool/block/model-block-tools.ts";
import { moreTools } from "../../core/tool/agent/more-tools.ts";
import { runnable, type RunnableTool, type ToolRun } from "./runnable.ts";

/** Answers which tools a model gets; the call itself, in the branch, is what the next turn's offer looks at. */
export const runnableMoreTools: RunnableTool<ToolRun> = runnable(moreTools, async () =>
  ok({ content: { tools: modelBlockTools.map(({ name }) => name), available: "from your next turn on" } }),
);
