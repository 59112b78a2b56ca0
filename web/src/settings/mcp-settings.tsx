import { useCallback, useEffect, useState } from "react";
import { visibleText } from "../../../src/core/base/visible-text.ts";
import type { McpServerState, McpToolState } from "../../../src/core/protocol/base/mcp-server-state.ts";
import type { CommandAnswer } from "../../../src/core/protocol/commands.ts";
import { useApp } from "../ui/app-context.ts";
import type { Sends } from "../ui/sends.ts";
import { AddMcpServer } from "./add-mcp-server.tsx";
import { failureWords, placeWords, statusWords } from "./mcp-words.ts";

type Listing = CommandAnswer<"mcp.list">;

/** Interval of reading the state of starting or stopping servers, in milliseconds. */
const lookMs = 2_000;

/** The MCP servers: their status, and what to do about failed ones. */
export function McpSettings(props: { readonly live: boolean }) {
  const { client, tell, announce } = useApp();
  const [listing, setListing] = useState<Listing | null>(null);
  const read = useCallback(async () => {
    const answer = await client.call("mcp.list", {});
    if (answer.ok) setListing(answer.value);
  }, [client]);
  useEffect(() => {
    if (!props.live) return;
    void read();
    const timer = setInterval(() => void read(), lookMs);
    return () => clearInterval(timer);
  }, [props.live, read]);

  const act: Sends = async (asked, done) => {
    const answer = await asked;
    if (answer.ok) announce(done);
    else tell(answer.error);
    await read();
    return answer.ok;
  };
  if (listing === null || listing.file === null) return null;
  const { servers, file } = listing;
  return (
    <section className="setting" aria-labelledby="mcp-heading">
      <h3 id="mcp-heading">MCP servers</h3>
      {servers.length === 0 ? (
        <p className="quiet">Programs and services whose tools agents can call. Add one here, or in the file below.</p>
      ) : (
        <ul className="providers">
          {servers.map((server) => (
            <Server key={server.name} server={server} live={props.live} act={act} />
          ))}
        </ul>
      )}
      <AddMcpServer live={props.live} act={act} />
      <dl className="places">
        <div>
          <dt>Servers can also be listed in</dt>
          <dd>
            <code>{file.path}</code>
          </dd>
        </div>
        {file.problems.length > 0 && (
          <div>
            <dt>Problems in that file</dt>
            {file.problems.map((problem) => (
              <dd key={problem} className="bad">
                {problem}
              </dd>
            ))}
          </div>
        )}
      </dl>
    </section>
  );
}

function Server(props: { readonly server: McpServerState; readonly live: boolean; readonly act: Sends }) {
  const { server, live, act } = props;
  const { name, tools, notes, output } = server;
  const failure = failureWords(server);
  return (
    <li className="provider" data-mcp-server={name}>
      <div className="provider-head">
        <strong>{name}</strong>
        <span className="provider-key">{statusWords(server)}</span>
      </div>
      <p className="quiet">{placeWords(server)}</p>
      {failure !== null && <p className="mcp-failure">{failure}</p>}
      <ServerButtons server={server} live={live} act={act} />
      <SignIn server={server} live={live} act={act} />
      {tools
        .filter((tool) => tool.changed !== null)
        .map((tool) => (
          <ChangedTool key={tool.name} server={name} tool={tool} live={live} act={act} />
        ))}
      {tools.length > 0 && (
        <details>
          <summary>Tools</summary>
          <ul className="provider-models">
            {tools.map((tool) => (
              <li key={tool.name}>
                <code>{tool.name}</code> {tool.description}
              </li>
            ))}
          </ul>
        </details>
      )}
      {notes.length > 0 && (
        <details>
          <summary>Notes</summary>
          <ul className="provider-models">
            {notes.map((note) => (
              <li key={note}>{note}</li>
            ))}
          </ul>
        </details>
      )}
      {output !== "" && (
        <details>
          <summary>Output</summary>
          <pre className="mcp-output">{output}</pre>
        </details>
      )}
    </li>
  );
}

/** Switches a server on or off, tests it, and removes one that was added here. */
function ServerButtons({ server, live, act }: Parameters<typeof Server>[0]) {
  const { client } = useApp();
  const { name, status } = server;
  const isOff = status.type === "disabled";
  return (
    <div className="setting-field">
      <button
        type="button"
        className="button small"
        disabled={!live}
        aria-label={`${isOff ? "Switch on" : "Switch off"} ${name}`}
        onClick={() =>
          void act(
            client.call("mcp.set-enabled", { server: name, enabled: isOff }),
            `${name}: switched ${isOff ? "on" : "off"}`,
          )
        }
      >
        {isOff ? "Switch on" : "Switch off"}
      </button>
      {!isOff && (
        <button
          type="button"
          className="button small"
          disabled={!live}
          aria-label={`Test ${name}`}
          onClick={() => void act(client.call("mcp.test", { server: name }), `${name}: tested`)}
        >
          Test
        </button>
      )}
      {server.added && (
        <button
          type="button"
          className="button small"
          disabled={!live}
          aria-label={`Remove ${name}`}
          onClick={() => void act(client.call("mcp.remove", { server: name }), `${name}: removed`)}
        >
          Remove
        </button>
      )}
    </div>
  );
}

/** Signing in at a server that wants it: the address is opened by a person's click, and named before. */
function SignIn(props: { readonly server: McpServerState; readonly live: boolean; readonly act: Sends }) {
  const { client } = useApp();
  const [url, setUrl] = useState<string | null>(null);
  const { server, live, act } = props;
  const { name, signIn } = server;
  if (signIn === "none") return null;
  if (signIn === "done") {
    const forget = (): void => void act(client.call("mcp.sign-out", { server: name }), `${name}: signed out`);
    return (
      <p>
        You are signed in there.{" "}
        <button
          type="button"
          className="button small"
          disabled={!live}
          aria-label={`Sign out of ${name}`}
          onClick={forget}
        >
          Sign out
        </button>
      </p>
    );
  }
  if (url !== null) {
    return (
      <p>
        <a href={url} target="_blank" rel="noreferrer">
          Sign in at {new URL(url).host}
        </a>
      </p>
    );
  }
  const begin = async (): Promise<void> => {
    const begun = client.call("mcp.sign-in", { server: name, origin: location.origin });
    await act(begun, `${name}: sign-in`);
    const answer = await begun;
    if (answer.ok) setUrl(answer.value.url);
  };
  return (
    <p>
      <button
        type="button"
        className="button small"
        disabled={!live}
        aria-label={`Sign in to ${name}`}
        onClick={() => void begin()}
      >
        Sign in
      </button>
    </p>
  );
}

/** A tool with a changed description: held back until a person accepts it. */
function ChangedTool(props: {
  readonly server: string;
  readonly tool: McpToolState;
  readonly live: boolean;
  readonly act: Sends;
}) {
  const { client } = useApp();
  const { server, tool, live, act } = props;
  const { changed } = tool;
  if (changed === null) return null;
  return (
    <div className="mcp-changed">
      <p>
        <code>{tool.name}</code> has changed its description since you first used it, so agents cannot use it. The
        description is now:
      </p>
      <blockquote tabIndex={0}>{visibleText(tool.says ?? tool.description, "\n\t")}</blockquote>
      <button
        type="button"
        className="button small"
        disabled={!live}
        aria-label={`Accept the new description of ${tool.name}`}
        onClick={() =>
          void act(client.call("mcp.accept-tool", { server, ...changed }), `${tool.name}: new description accepted`)
        }
      >
        Accept
      </button>
    </div>
  );
}
