import * as v from "valibot";
import { onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import type { McpFileState, McpServerState } from "../base/mcp-server-state.ts";
import { answerUnitsMax } from "../base/limits.ts";
import { addressForm, count, described, nothing, sha256, shown, textUpTo, time } from "../base/parts.ts";

/** The name that the owner gave it in the file of servers. */
const server = v.pipe(
  v.string(),
  v.regex(/^[^\p{C}]{1,64}$/u),
  v.description("Name of the server, as in the file of servers."),
  v.examples(["files"]),
);
const tool = v.pipe(
  v.string(),
  v.minLength(1),
  v.maxLength(300),
  v.description("Name of the tool as its server defines it."),
  v.examples(["read"]),
);

/** A text of one line, as a program's argument or a header's value. */
const oneLine = (unitsMax: number) =>
  v.pipe(v.string(), v.maxLength(unitsMax), v.regex(/^[^\0\r\n]*$/u, "a text of one line"));
const named = (form: RegExp, what: string) => v.record(v.pipe(v.string(), v.regex(form, what)), oneLine(10_000));

/** How an added server is reached; values of variables and headers are stored sealed. */
const reach = v.variant("type", [
  v.object({
    type: v.literal("stdio"),
    command: described(v.pipe(oneLine(1_000), v.minLength(1), v.examples(["npx"])), "The program."),
    args: v.exactOptional(described(v.pipe(v.array(oneLine(4_000)), v.maxLength(100)), "Its arguments.")),
    env: v.exactOptional(described(named(/^[A-Za-z_][A-Za-z0-9_]{0,99}$/, "a variable's name"), "Its variables.")),
  }),
  v.object({
    type: v.literal("http"),
    url: described(
      v.pipe(
        oneLine(2_000),
        v.regex(addressForm, "an http or https address without a name or password"),
        v.examples(["https://mcp.example/mcp"]),
      ),
      "The address for streamable HTTP.",
    ),
    headers: v.exactOptional(
      described(named(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/, "a header's name"), "Headers of each request."),
    ),
  }),
]);

/** The longest address of a resource, and name of a prompt. UTF-16 units. */
const resourceUriMax = 2_000;
const promptNameMax = 1_000;

const copied = v.object({
  blobId: shown("2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"),
  size: described(count, "Bytes."),
  mediaType: shown("text/plain"),
  name: shown("notes.md"),
});

const serverState: v.GenericSchema<unknown, McpServerState> = v.object({
  name: shown("files"),
  transport: v.picklist(["stdio", "http"]),
  added: described(v.boolean(), "Whether it was added in the app, and can be removed there."),
  place: shown("npx", "The program's name, or the host of the address."),
  status: v.variant("type", [
    v.object({ type: v.literal("disabled") }),
    v.object({ type: v.literal("connecting") }),
    v.object({ type: v.literal("ready") }),
    v.object({
      type: v.literal("failed"),
      reason: shown("The program ended."),
      next: shown("Look at its output.", "What a person can do."),
      retryAt: described(v.nullable(time), "When the server is retried automatically; null: only after someone acts."),
    }),
  ]),
  signIn: described(v.picklist(["none", "wanted", "done"]), "Whether a person has signed in there, or has to."),
  tools: v.array(
    v.object({
      name: shown("files_read", "The tool's name for models."),
      description: shown("Reads a file."),
      access: v.picklist(["read", "write"]),
      changed: described(
        v.nullable(
          v.object({
            tool: shown("read"),
            hash: shown("2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae"),
          }),
        ),
        "Set if the tool has changed since it was first seen: no model is offered it until a person accepts it.",
      ),
      hasView: v.exactOptional(described(v.literal(true), "Its server can show its results in a view.")),
      says: v.exactOptional(shown("Reads a file.", "All that models would be sent about the changed tool.")),
    }),
  ),
  notes: described(v.array(shown("Agents could change this program.")), "Warnings for the owner."),
  output: shown("listening", "The end of the server's output for people."),
});

const fileState: v.GenericSchema<unknown, McpFileState> = v.object({
  path: shown("/home/ada/.config/heddle/mcp.json"),
  problems: v.array(shown("The server has no command.")),
});

export const mcpCommands = {
  "mcp.add": command({
    description:
      "Adds an MCP server and connects it; values of variables and headers are stored sealed and never shown.",
    params: v.object({ server, reach }),
    access: onWorkspace("workspace.set"),
    answer: nothing,
    refusals: ["CONFLICT", "NOT_FOUND", "STORE_FAILED"],
  }),
  "mcp.remove": command({
    description: "Removes an MCP server that was added in the app, with its values and its sign-in.",
    params: v.object({ server }),
    access: onWorkspace("workspace.set"),
    answer: nothing,
    refusals: ["NOT_FOUND", "CONFLICT", "STORE_FAILED"],
  }),
  "mcp.test": command({
    description: "Connects an MCP server again, waits for it, and returns its state.",
    params: v.object({ server }),
    access: onWorkspace("workspace.try"),
    answer: serverState,
    refusals: ["NOT_FOUND"],
  }),
  "mcp.list": command({
    description:
      "Lists the MCP servers of the workspace with their tools, and the problems of the file that names them.",
    params: nothing,
    access: onWorkspace("workspace.list"),
    answer: v.object({
      servers: v.array(serverState),
      file: described(v.nullable(fileState), "null if the workspace has no such file."),
    }),
  }),
  "mcp.set-enabled": command({
    description: "Switches an MCP server on or off, whatever the file says, until it is switched again.",
    params: v.object({ server, enabled: described(v.boolean(), "Whether the server is on.") }),
    access: onWorkspace("workspace.set"),
    answer: nothing,
    refusals: ["NOT_FOUND"],
  }),
  "mcp.reload": command({
    description: "Reads the file of servers again and reconnects one server, or every disconnected server.",
    params: v.object({ server: v.exactOptional(server) }),
    access: onWorkspace("workspace.set"),
    answer: nothing,
    refusals: ["NOT_FOUND"],
  }),
  "mcp.sign-in": command({
    description:
      "Begins a sign-in at a server (OAuth), which the person allows at `url`; the server is then connected again.",
    params: v.object({
      server,
      origin: v.exactOptional(
        described(
          v.pipe(
            v.string(),
            v.regex(/^https?:\/\/[^/?#\s@]{1,255}$/, "an origin"),
            v.examples(["http://127.0.0.1:7420"]),
          ),
          "Where the person's browser reaches this server, and comes back to; by default the server's own address.",
        ),
      ),
    }),
    access: onWorkspace("workspace.set"),
    answer: v.object({ url: described(v.nullable(v.string()), "null: the server wants no sign-in.") }),
    refusals: ["NOT_FOUND", "INVALID_PARAMS", "TOOL_FAILED", "RATE_LIMITED"],
  }),
  "mcp.sign-out": command({
    description: "Forgets a sign-in at a server, and connects without it.",
    params: v.object({ server }),
    access: onWorkspace("workspace.set"),
    answer: nothing,
    refusals: ["NOT_FOUND"],
  }),
  "mcp.offers": command({
    description:
      "Lists what the connected MCP servers offer to people: resources to attach to a message, and prompts to fill in.",
    params: nothing,
    access: onWorkspace("workspace.ask"),
    answer: v.object({
      servers: v.array(
        v.object({
          server: shown("files"),
          resources: v.array(
            v.object({
              uri: shown("file:///notes.md"),
              name: shown("notes.md"),
              description: shown("The notes of today."),
              mediaType: v.nullable(shown("text/markdown")),
            }),
          ),
          prompts: v.array(
            v.object({
              name: shown("review"),
              title: shown("Review a change"),
              description: shown("Looks for mistakes."),
              parameters: v.array(
                v.object({
                  name: shown("change"),
                  description: shown("Which change."),
                  isRequired: v.boolean(),
                }),
              ),
            }),
          ),
        }),
      ),
    }),
  }),
  "mcp.attach": command({
    description:
      "Reads a resource of a server and copies it to the blobs, as an upload does, to be attached to a message.",
    params: v.object({ server, uri: described(textUpTo(resourceUriMax), "As in `mcp.offers`.") }),
    access: onWorkspace("workspace.ask"),
    answer: v.object({ attachments: v.array(copied) }),
    refusals: ["NOT_FOUND", "TOOL_FAILED", "MEDIA_TYPE_REFUSED", "BLOB_TOO_LARGE", "STORE_FULL", "STORE_FAILED"],
  }),
  "mcp.prompt": command({
    description: "Fills in a prompt of a server: the words of a message, for a person to read and send.",
    params: v.object({
      server,
      prompt: described(textUpTo(promptNameMax), "As in `mcp.offers`."),
      values: described(
        v.record(textUpTo(promptNameMax), textUpTo(answerUnitsMax)),
        "The values of the prompt's parameters, by name.",
      ),
    }),
    access: onWorkspace("workspace.ask"),
    answer: v.object({ text: v.string(), attachments: described(v.array(copied), "What the prompt brings along.") }),
    refusals: ["NOT_FOUND", "TOOL_FAILED", "MEDIA_TYPE_REFUSED", "BLOB_TOO_LARGE", "STORE_FULL", "STORE_FAILED"],
  }),
  "mcp.view": command({
    description:
      "Reads the view that a server has for a tool's results (MCP Apps), to be shown in one frame at `path` within a minute.",
    params: v.object({ tool: described(textUpTo(promptNameMax), "The tool's name for models.") }),
    access: onWorkspace("workspace.ask"),
    answer: v.object({ path: shown("/view/Zm9v") }),
    refusals: ["NOT_FOUND", "TOOL_FAILED"],
  }),
  "mcp.accept-tool": command({
    description: "Offers a changed tool to models again, if its definition still has this hash.",
    params: v.object({ server, tool, hash: described(sha256, "As in the tool's `changed`.") }),
    access: onWorkspace("workspace.set"),
    answer: nothing,
    refusals: ["NOT_FOUND", "CONFLICT"],
  }),
};
