import type { Defect } from "../defect.ts";

export const defects: readonly Defect[] = [
  {
    name: "a call is repeated after its process died",
    file: "src/host/mcp-servers/server-link.ts",
    search: 'if (first.ok || first.error.type !== "not-found") return',
    replacement: 'if (first.ok || !["not-found", "closed"].includes(first.error.type)) return',
  },
  {
    name: "a call is repeated after it got no answer in time",
    file: "src/host/mcp-servers/server-link.ts",
    search: 'if (first.ok || first.error.type !== "not-found") return',
    replacement: 'if (first.ok || !["not-found", "timeout"].includes(first.error.type)) return',
  },
  {
    name: "a call that failed is answered as done",
    file: "src/host/tool/server-tools.ts",
    search: "return result.ok ? serverAnswer(result.value) : refusedAnswer(result.error);",
    replacement:
      'return serverAnswer(\n      result.ok ? result.value : { ok: true, content: [{ type: "text", text: JSON.stringify(parameters) }] },\n    );',
  },
  {
    name: "a call that failed is tried once more",
    file: "src/host/conversation/run/run-call.ts",
    search: "      return await tools.run(call, context, signal);\n",
    replacement:
      "      const first = await tools.run(call, context, signal);\n      return first.ok || signal.aborted ? first : await tools.run(call, context, signal);\n",
  },
];
