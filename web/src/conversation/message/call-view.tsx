import { useEffect, useRef, useState } from "react";
import type { JsonObject } from "../../../../src/core/base/json.ts";
import type { ToolMessage } from "../../../../src/core/message/types.ts";
import { useApp } from "../../ui/app-context.ts";
import { answerView, firstNotes, type ViewAnswer } from "./view-bridge.ts";

interface ShownCall {
  readonly name: string;
  readonly parameters: JsonObject;
  readonly result: ToolMessage;
}

/** The most height that a view gets. Pixels. */
const heightMax = 800;

/** Offers the view that an MCP server has for a call's result, if it has one; nothing of it is loaded before a person asks. */
export function CallView({ name, parameters, result }: ShownCall) {
  const { client, tell } = useApp();
  const [server, setServer] = useState<string | null>(null);
  const [path, setPath] = useState<string | null>(null);
  useEffect(() => {
    let stale = false;
    void client.call("mcp.list", {}).then((listed) => {
      if (stale || !listed.ok) return;
      const found = listed.value.servers.find(({ tools }) =>
        tools.some((tool) => tool.name === name && tool.hasView === true),
      );
      setServer(found?.name ?? null);
    });
    return () => {
      stale = true;
    };
  }, [client, name]);
  if (server === null) return null;
  if (path !== null) return <ViewFrame {...{ server, path, parameters, result }} onClose={() => setPath(null)} />;
  const open = async (): Promise<void> => {
    const view = await client.call("mcp.view", { tool: name });
    if (view.ok) setPath(view.value.path);
    else tell(view.error);
  };
  return (
    <p className="call-view-offer">
      <button type="button" className="button" onClick={() => void open()}>
        Show the view of {server}
      </button>
    </p>
  );
}

/** A server's page in a frame of another origin: it knows this call, and nothing else of Heddle. */
function ViewFrame(props: {
  readonly server: string;
  readonly path: string;
  readonly parameters: JsonObject;
  readonly result: ToolMessage;
  readonly onClose: () => void;
}) {
  const { server, path, parameters, result } = props;
  const frame = useRef<HTMLIFrameElement>(null);
  const [height, setHeight] = useState(240);
  const [link, setLink] = useState<string | null>(null);
  useEffect(() => {
    const onMessage = ({ source, data }: MessageEvent): void => {
      const target = frame.current?.contentWindow ?? null;
      if (target === null || source !== target) return;
      const answer: ViewAnswer = answerView(data);
      // A page without an origin can be addressed by no name.
      const send = (message: object): void => target.postMessage({ jsonrpc: "2.0", ...message }, "*");
      switch (answer.type) {
        case "answer":
          return send(answer.message);
        case "begun":
          for (const note of firstNotes(parameters, result)) send(note);
          return;
        case "size":
          return setHeight(Math.min(heightMax, Math.max(40, answer.height)));
        case "link":
          setLink(answer.url);
          return send(answer.message);
        case "nothing":
      }
    };
    window.addEventListener("message", onMessage);
    return () => window.removeEventListener("message", onMessage);
  }, [parameters, result]);
  return (
    <section className="call-view" aria-label={`View of ${server}`}>
      <header>
        <span>
          Shown by <b>{server}</b>, not by Heddle
        </span>
        <button type="button" className="button" onClick={props.onClose}>
          Close
        </button>
      </header>
      <iframe ref={frame} src={path} title={`View of ${server}`} sandbox="allow-scripts" height={height} />
      {link !== null && (
        <p className="asked-address">
          It wants to open{" "}
          <a href={link} target="_blank" rel="noopener noreferrer">
            {link}
          </a>
        </p>
      )}
    </section>
  );
}
