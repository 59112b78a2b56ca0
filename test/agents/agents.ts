import { setTimeout as sleep } from "node:timers/promises";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { connectAgent, type OutsideAgent } from "../../src/host/server/mcp/mcp.test-support.ts";
import { isAtWork, isOver, type Crew, type CrewWish } from "./crew.ts";

/** Connects agents of other programs, which write one line after the other. */
export async function startAgents({ to, count, canvasId }: CrewWish): Promise<Crew> {
  const programs = await Promise.all(
    Array.from({ length: count }, (_, index) => connectAgent(to, { name: `agent${index}` })),
  );
  return {
    async work(hours, note) {
      await Promise.all(
        programs.map(async (program, index) => {
          const random = seededRandom(index);
          for (let line = 0; !isOver(hours, Date.now()); line += 1) {
            const mark = `[agent${index}-${line}]`;
            const at = Date.now();
            if (isAtWork(hours, at) && (await writeLine(program, canvasId, mark))) {
              note({ mark, by: `agent${index} (unverified)`, at, ms: Date.now() - at });
            }
            await sleep(thinkMs / 2 + random.below(thinkMs));
          }
        }),
      );
    },
    async finish() {
      await Promise.all(programs.map((program) => program.close()));
    },
  };
}

/** How long an agent thinks before its next line, on average: a fraction of what any model takes. Milliseconds. */
const thinkMs = 250;

/** Takes the lease if it is free, adds a line, and gives it back; returns whether the edit was acknowledged. */
async function writeLine(program: OutsideAgent, canvasId: string, mark: string): Promise<boolean> {
  const held = await program.call("canvas_check_out", { canvas_id: canvasId });
  if (typeof held["lease_id"] !== "string") return false;
  const { lease_id: lease } = held;
  const lines = Number(held["line_count"]);
  const read = await program.call("canvas_read_lines", { lease_id: lease, start_line: lines, end_line: lines });
  const last = typeof read["text"] === "string" ? read["text"].replace(/\n$/, "") : "";
  const patch = `@@ -${lines},1 +${lines},2 @@\n ${last}\n+${mark}\n`;
  const written = await program.call("canvas_apply_patch", { lease_id: lease, patch });
  await program.call("canvas_check_in", { lease_id: lease });
  return written["ok"] === true;
}
