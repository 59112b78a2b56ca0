import type { Mermaid } from "mermaid";
import { withOwnSize } from "./own-size.ts";

/** What the app asks for. */
interface Wish {
  readonly id: number;
  readonly source: string;
  readonly dark: boolean;
}

let mermaid: Promise<Mermaid> | null = null;
/** Mermaid keeps one configuration, so diagrams are drawn one after the other. */
let queue: Promise<void> = Promise.resolve();

addEventListener("message", (event: MessageEvent<unknown>) => {
  if (event.source !== parent || !isWish(event.data)) return;
  const wish = event.data;
  queue = queue.then(() => draw(wish));
});
parent.postMessage({ ready: true }, "*");

async function draw({ id, source, dark }: Wish): Promise<void> {
  try {
    mermaid ??= import("mermaid").then((module) => module.default);
    const drawing = await mermaid;
    drawing.initialize({
      startOnLoad: false,
      // Labels are text: no HTML, no links that run anything.
      securityLevel: "strict",
      htmlLabels: false,
      flowchart: { htmlLabels: false },
      theme: dark ? "dark" : "neutral",
      fontFamily: "system-ui, sans-serif",
      suppressErrorRendering: true,
      maxEdges: 2_000,
    });
    const { svg } = await drawing.render(`diagram-${id}`, source);
    parent.postMessage({ id, svg: withOwnSize(svg) }, "*");
  } catch (problem) {
    parent.postMessage({ id, reason: problem instanceof Error ? problem.message : String(problem) }, "*");
  }
}

function isWish(value: unknown): value is Wish {
  if (typeof value !== "object" || value === null) return false;
  const { id, source, dark } = value as Partial<Wish>;
  return typeof id === "number" && typeof source === "string" && typeof dark === "boolean";
}
