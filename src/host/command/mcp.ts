import { refusal } from "../../core/base/errors.ts";
import { err, ok } from "../../core/base/result.ts";
import type { mcpCommands } from "../../core/protocol/command/mcp.ts";
import type { Asking } from "../access/member.ts";
import { keepUpload } from "../blobs/keep-upload.ts";
import { copyToBlobs } from "../mcp-servers/copy-to-blobs.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { nothing, type Performs } from "./base/call.ts";

export const performMcp: Performs<keyof typeof mcpCommands> = {
  "mcp.add": async ({ workspace }, { server, reach }) =>
    nothing((await workspace.mcp?.add({ name: server, reach })) ?? noServers),
  "mcp.remove": async ({ workspace }, { server }) => nothing((await workspace.mcp?.remove(server)) ?? noServers),
  "mcp.test": async ({ workspace }, { server }) => (await workspace.mcp?.test(server)) ?? noServers,
  "mcp.list": async ({ workspace: { mcp }, may }) =>
    mcp === null || !(await may(["workspace.set", { type: "workspace" }]))
      ? ok({ servers: [], file: null })
      : ok({ servers: mcp.states(), file: mcp.file() }),
  "mcp.set-enabled": async ({ workspace }, { server, enabled }) =>
    nothing((await workspace.mcp?.setEnabled(server, enabled)) ?? noServers),
  "mcp.reload": async ({ workspace }, { server }) => nothing((await workspace.mcp?.reload(server)) ?? noServers),
  "mcp.sign-in": async ({ workspace }, { server, origin = null }) =>
    (await workspace.mcp?.signIn(server, origin)) ?? noServers,
  "mcp.sign-out": async ({ workspace }, { server }) => nothing((await workspace.mcp?.signOut(server)) ?? noServers),
  "mcp.offers": async ({ workspace }) => ok({ servers: [...((await workspace.mcp?.offers()) ?? [])] }),
  async "mcp.attach"({ workspace, asking }, { server, uri }) {
    const read = (await workspace.mcp?.ask(server, (each) => each.read(uri))) ?? noServers;
    const attachments = read.ok ? await copyToBlobs(putFor(workspace, asking), read.value) : read;
    return attachments.ok ? ok({ attachments: attachments.value }) : attachments;
  },
  async "mcp.prompt"({ workspace, asking }, { server, prompt, values }) {
    const filled = (await workspace.mcp?.ask(server, (each) => each.prompt(prompt, values))) ?? noServers;
    const attachments = filled.ok ? await copyToBlobs(putFor(workspace, asking), filled.value.attached) : filled;
    return filled.ok && attachments.ok
      ? ok({ text: filled.value.text, attachments: attachments.value })
      : (attachments as Extract<typeof attachments, { readonly ok: false }>);
  },
  "mcp.view": async ({ workspace }, { tool }) => (await workspace.mcp?.view(tool)) ?? noServers,
  "mcp.accept-tool": async ({ workspace }, { server, tool, hash }) =>
    nothing((await workspace.mcp?.acceptTool(server, tool, hash)) ?? noServers),
};

function putFor({ blobs }: Workspace, asking: Asking): Parameters<typeof copyToBlobs>[0] {
  return { put: (content) => keepUpload(blobs, asking, content) };
}

const noServers = err(refusal("NOT_FOUND", {}, "This workspace has no file of MCP servers."));
