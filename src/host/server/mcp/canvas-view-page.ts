/**
 * The page of the canvas view. It speaks JSON-RPC with its host by `postMessage`: the host initialises it, passes on the
 * result of `open_canvas`, and calls tools for it. It has no token, opens no connection, and builds no HTML from text.
 */
export const canvasViewPage = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Canvas</title>
<style>
  :root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
  body { margin: 0; padding: 12px; }
  header { display: flex; gap: 8px; align-items: baseline; flex-wrap: wrap; }
  h1 { font-size: 1.1rem; margin: 0; flex: 1 1 auto; }
  #status { opacity: .75; font-size: .85rem; }
  pre { white-space: pre-wrap; overflow-wrap: anywhere; font: 14px/1.5 ui-monospace, monospace; margin: 12px 0 0; }
  textarea { width: 100%; box-sizing: border-box; min-height: 60vh; font: 14px/1.5 ui-monospace, monospace; margin-top: 12px; }
  button { font: inherit; }
  #review { border-inline-start: 3px solid; padding-inline-start: 10px; margin-top: 12px; font-size: .9rem; }
  #review pre { margin: 4px 0; }
</style>
</head>
<body>
<header><h1 id="title">Canvas</h1><span id="status" role="status">Waiting for the document</span>
<button id="take" type="button" hidden>Take control</button>
<button id="edit" type="button" hidden>Edit</button><button id="save" type="button" hidden>Save</button>
<button id="cancel" type="button" hidden>Cancel</button></header>
<section id="review" aria-label="Suggestions" hidden></section>
<pre id="text"></pre>
<textarea id="draft" aria-label="Text of the canvas" hidden></textarea>
<script>
"use strict";
const element = (id) => document.getElementById(id);
const waiting = new Map();
let last = 0;
let canvas = null;
let lease = null;
let timer = null;

function send(message) { parent.postMessage({ jsonrpc: "2.0", ...message }, "*"); }
function request(method, params) {
  last += 1;
  const id = last;
  send({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}
function dress(context) {
  const theme = context && context.theme;
  if (theme === "dark" || theme === "light") document.documentElement.style.colorScheme = theme;
}
function say(words) { element("status").textContent = words; }
function failure(result) {
  const error = result && result.structuredContent && result.structuredContent.error;
  return error ? error.message : "The call failed. Nothing was changed.";
}
async function call(name, given) {
  const result = await request("tools/call", { name, arguments: given });
  if (result.isError) throw new Error(failure(result));
  return result.structuredContent;
}
function show(content) {
  if (!content || typeof content.text !== "string" || typeof content.canvas_id !== "string") return;
  canvas = content;
  element("title").textContent = content.title || "Untitled";
  element("text").textContent = content.text;
  const suggestions = content.suggestions || [];
  showReview(suggestions);
  if (lease === null) {
    const people = content.people || [];
    const who = content.holder ? content.holder + " is working" : people.length > 0 ? "Here: " + people.join(", ") : "";
    say([who, content.policy === "suggest" ? "Edits are reviewed" : ""].filter(Boolean).join(" · "));
    element("edit").hidden = false;
    element("take").hidden = !content.holder;
  }
  const height = document.documentElement.scrollHeight;
  send({ method: "ui/notifications/size-changed", params: { width: document.documentElement.scrollWidth, height } });
}
function showReview(suggestions) {
  const place = element("review");
  place.hidden = suggestions.length === 0;
  const words = document.createElement("p");
  words.textContent = suggestions.length === 1 ? "1 suggestion waits for review in Heddle" : suggestions.length + " suggestions wait for review in Heddle";
  const shown = suggestions.map(({ by, line, removed, added }) => {
    const hunk = document.createElement("pre");
    const marked = (text, mark) => lines(text).map((each) => "\\n" + mark + " " + each).join("");
    hunk.textContent = by + ", line " + line + ":" + (removed ? marked(removed, "-") : "") + (added ? marked(added, "+") : "");
    return hunk;
  });
  place.replaceChildren(words, ...shown);
}
async function refresh() {
  if (canvas === null || lease !== null) return;
  try { show(await call("open_canvas", { canvas_id: canvas.canvas_id })); } catch (problem) { say(problem.message); }
}
function editing(isOn) {
  element("draft").hidden = !isOn;
  element("save").hidden = !isOn;
  element("cancel").hidden = !isOn;
  element("text").hidden = isOn;
  element("edit").hidden = isOn;
  element("take").hidden = true;
}
function lines(text) { const all = text.split("\\n"); if (all.at(-1) === "") all.pop(); return all; }
function wholePatch(before, after) {
  const a = lines(before), b = lines(after);
  let from = 0, end = 0;
  while (from < a.length && from < b.length && a[from] === b[from]) from += 1;
  while (end < a.length - from && end < b.length - from && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const top = Math.max(0, from - 3), bottom = Math.min(end, 3);
  const head = a.slice(top, from), tail = a.slice(a.length - end, a.length - end + bottom);
  const removed = a.slice(from, a.length - end), added = b.slice(from, b.length - end);
  if (removed.length === 0 && added.length === 0) return null;
  const oldCount = head.length + removed.length + tail.length, newCount = head.length + added.length + tail.length;
  const start = oldCount === 0 ? 0 : top + 1;
  return ["@@ -" + start + "," + oldCount + " +" + (newCount === 0 ? 0 : top + 1) + "," + newCount + " @@",
    ...head.map((l) => " " + l), ...removed.map((l) => "-" + l), ...added.map((l) => "+" + l), ...tail.map((l) => " " + l)].join("\\n") + "\\n";
}
element("take").addEventListener("click", async () => {
  try {
    await call("canvas_take_control", { canvas_id: canvas.canvas_id });
    await refresh();
    say("You have control");
  } catch (problem) { say(problem.message); }
});
element("edit").addEventListener("click", async () => {
  try {
    lease = await call("canvas_check_out", { canvas_id: canvas.canvas_id });
    const read = await call("canvas_read_all", { lease_id: lease.lease_id });
    canvas = { ...canvas, text: read.text };
    element("draft").value = read.text;
    editing(true);
    element("draft").focus();
    say("You hold the lease");
  } catch (problem) { lease = null; say(problem.message); }
});
async function leave() {
  const held = lease;
  lease = null;
  editing(false);
  if (held !== null) await call("canvas_check_in", { lease_id: held.lease_id }).catch(() => {});
  await refresh();
}
element("cancel").addEventListener("click", leave);
element("save").addEventListener("click", async () => {
  try {
    const patch = wholePatch(canvas.text, element("draft").value);
    if (patch !== null) {
      const done = await call("canvas_apply_patch", { lease_id: lease.lease_id, patch });
      say(done.awaiting_review ? "Waiting for review" : "Saved");
    }
    await leave();
  } catch (problem) { say(problem.message + " Your text is still here."); }
});
addEventListener("message", ({ source, data }) => {
  if (source !== parent || typeof data !== "object" || data === null || data.jsonrpc !== "2.0") return;
  if (data.method === undefined) {
    const open = waiting.get(data.id);
    waiting.delete(data.id);
    if (open) data.error ? open.reject(new Error(data.error.message)) : open.resolve(data.result);
  } else if (data.method === "ui/notifications/tool-result") {
    show(data.params && data.params.structuredContent);
  } else if (data.method === "ui/resource-teardown") {
    clearInterval(timer);
    Promise.resolve(lease === null ? null : leave()).then(() => send({ id: data.id, result: {} }));
  } else if (data.method === "ui/notifications/host-context-changed") {
    dress(data.params);
  } else if (data.id !== undefined) {
    send({ id: data.id, result: {} });
  }
});
request("ui/initialize", {
  protocolVersion: "2026-01-26",
  appInfo: { name: "heddle-canvas", version: "1" },
  appCapabilities: {},
}).then((answer) => {
  dress(answer && answer.hostContext);
  send({ method: "ui/notifications/initialized", params: {} });
  timer = setInterval(refresh, 2000);
}, (problem) => say(problem.message));
</script>
</body>
</html>
`;
