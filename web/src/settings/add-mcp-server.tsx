import { useState } from "react";
import { useApp } from "../ui/app-context.ts";
import { TextField } from "../ui/text-field.tsx";
import { emptyMcpDraft, readMcpDraft } from "./mcp-form.ts";
import type { Sends } from "../ui/sends.ts";

/** Adds an MCP server: a command or an address, and the values it needs, which are never shown again. */
export function AddMcpServer({ live, act }: { readonly live: boolean; readonly act: Sends }) {
  const { client } = useApp();
  const [draft, setDraft] = useState(emptyMcpDraft);
  const [isOpen, setOpen] = useState(false);
  const [problem, setProblem] = useState<string | null>(null);
  if (!isOpen) {
    return (
      <button type="button" className="button small" disabled={!live} onClick={() => setOpen(true)}>
        Add an MCP server…
      </button>
    );
  }
  const close = (): void => {
    setOpen(false);
    setDraft(emptyMcpDraft);
    setProblem(null);
  };
  const add = async (): Promise<void> => {
    const read = readMcpDraft(draft);
    setProblem(typeof read === "string" ? read : null);
    if (typeof read === "string") return;
    if (await act(client.call("mcp.add", read), `${read.server}: added`)) close();
  };
  return (
    <form
      className="preset-form"
      aria-label="Add an MCP server"
      onSubmit={(event) => {
        event.preventDefault();
        void add();
      }}
    >
      <TextField
        label="Name"
        value={draft.name}
        onValue={(name) => setDraft({ ...draft, name })}
        maxLength={64}
        isFirst
      />
      <TextField
        label="Command or address"
        value={draft.place}
        onValue={(place) => setDraft({ ...draft, place })}
        placeholder="npx -y some-server, or https://…"
      />
      <TextField
        label="Variables or headers, one NAME=value a line"
        value={draft.values}
        onValue={(values) => setDraft({ ...draft, values })}
        rows={2}
      />
      <p className="quiet">
        A command runs on the server’s machine, outside the sandbox, with your rights. Values are stored sealed and
        never shown again.
      </p>
      {problem !== null && (
        <p role="alert" className="bad">
          {problem}
        </p>
      )}
      <div className="button-row end">
        <button type="button" className="button small" onClick={close}>
          Cancel
        </button>
        <button type="submit" className="button small primary" disabled={!live}>
          Add server
        </button>
      </div>
    </form>
  );
}
