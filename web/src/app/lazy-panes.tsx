import { loadCode } from "../browser/load-code.ts";
import { fetched } from "../ui/fetched.tsx";

// Asked for at once, in parallel with the page's own chunk: the page is shown, and its message field takes words, before they
// arrive. A text is opened with the engine, so the pane waits for both.
const engine = loadCode(() => import("../../../src/client/text-engine.ts"));
const canvas = loadCode(() => import("../canvas/canvas-pane.tsx"));
const forest = loadCode(() => import("../forest/forest-pane.tsx"));

export const CanvasPane = fetched(async () => {
  await engine;
  return (await canvas).CanvasPane;
}, Waiting);

export const ForestPane = fetched(async () => (await forest).ForestPane, Waiting);

export const Notifier = fetched(async () => (await import("../notify/notifier.tsx")).Notifier);

export const TabKeeper = fetched(async () => (await import("../tabs/tab-keeper.tsx")).TabKeeper);

function Waiting() {
  return <div className="empty" aria-busy="true" />;
}
