import { spawn } from "node:child_process";
import { fromJsonSchema, inputRequired, McpServer } from "@modelcontextprotocol/server";

/** A PNG of one pixel. */
export const onePixel =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

const anyText = fromJsonSchema<{ readonly text?: string }>({
  type: "object",
  properties: { text: { type: "string" } },
});

/** Declares that a tool does not reach outside. */
const closed = { annotations: { openWorldHint: false } };

function said(text: string) {
  return { content: [{ type: "text" as const, text }] };
}

/** A server as others write them, with one tool for each case; `description` is that of `echo`. */
export function fixtureServer(description = "Says it again."): McpServer {
  const server = new McpServer(
    { name: "fixture", version: "1.0.0" },
    { capabilities: { tools: { listChanged: true } } },
  );
  const echo = server.registerTool(
    "echo",
    { description, inputSchema: anyText, annotations: { readOnlyHint: true, openWorldHint: false } },
    ({ text = "" }) => said(text),
  );
  server.registerTool("picture", { description: "Shows a dot.", ...closed }, () => ({
    content: [{ type: "image", data: onePixel, mimeType: "image/png" }],
  }));
  server.registerTool(
    "weigh",
    {
      description: "Gives data.",
      outputSchema: fromJsonSchema<{ grams: number }>({ type: "object", properties: { grams: { type: "number" } } }),
    },
    () => ({ content: [], structuredContent: { grams: 7 } }),
  );
  server.registerTool("fail", { description: "Fails.", ...closed }, () => ({
    ...said("It went wrong."),
    isError: true,
  }));
  server.registerTool("wait", { description: "Never answers by itself.", ...closed }, (context) => {
    process.stderr.write("waiting\n");
    return new Promise((resolve) => {
      context.mcpReq.signal.addEventListener("abort", () => {
        process.stderr.write("cancel received\n");
        resolve(said("stopped"));
      });
    });
  });
  server.registerTool("count", { description: "Counts to three.", ...closed }, async (context) => {
    const progressToken = context.mcpReq._meta?.progressToken;
    if (progressToken === undefined) return said("uncounted");
    for (const progress of [1, 2, 3]) {
      const params = { progressToken, progress, total: 3, message: `step ${progress}` };
      await context.mcpReq.notify({ method: "notifications/progress", params });
    }
    return said("counted");
  });
  server.registerTool(
    "change",
    { description: "Has other tools from now on.", inputSchema: anyText, ...closed },
    ({ text = "" }) => {
      if (text === "more") server.registerTool("late", { description: "Came late." }, () => said("late"));
      else echo.update({ description: text });
      return said("changed");
    },
  );
  server.registerTool("introduce", { description: "Asks who is there.", ...closed }, (context) => {
    const given = context.mcpReq.inputResponses?.["who"];
    if (given !== undefined) return said(JSON.stringify(given));
    const who = inputRequired.elicit({
      message: "Who is there?",
      requestedSchema: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    });
    return inputRequired({ inputRequests: { who }, requestState: "state of the server" });
  });
  server.registerResource("notes", "notes://today", { title: "Today" }, (uri) => ({
    contents: [{ uri: uri.href, mimeType: "text/plain", text: "warp and weft" }],
  }));
  server.registerPrompt(
    "review",
    {
      title: "Review",
      argsSchema: fromJsonSchema<{ change: string }>({
        type: "object",
        properties: { change: { type: "string", description: "Which one." } },
        required: ["change"],
      }),
    },
    ({ change }) => ({
      messages: [
        { role: "user", content: { type: "text", text: `Review ${change}.` } },
        { role: "assistant", content: { type: "text", text: "Gladly." } },
        { role: "user", content: { type: "resource", resource: { uri: "notes://it", text: "the change" } } },
      ],
    }),
  );
  server.registerTool("die", { description: "Ends the program.", ...closed }, () => process.exit(3));
  server.registerTool("huge", { description: "Says too much." }, () => said("x".repeat(17 * 1024 * 1024)));
  server.registerTool("names", { description: "Names the variables it was given." }, () =>
    said(Object.keys(process.env).toSorted().join(" ")),
  );
  server.registerTool("folder", { description: "Where it runs." }, () => said(process.cwd()));
  server.registerTool("fork", { description: "Leaves a process behind." }, () => {
    const child = spawn("sh", ["-c", 'trap "" TERM; while :; do sleep 5; done'], { stdio: "ignore" });
    return said(String(child.pid));
  });
  return server;
}
