import { useEffect, useState } from "react";
import type { RootId } from "../../../src/core/base/ids.ts";
import type { CommandAnswer, CommandParams } from "../../../src/core/protocol/commands.ts";
import { useApp } from "../ui/app-context.ts";

/** Names the documents that are quoted in a conversation and that whom it would be shared with may not read. */
export function UnseenDocuments(props: {
  readonly rootId: RootId;
  readonly to: CommandParams<"share.unseen">["to"];
  /** "Bo", "Everyone in the workspace". */
  readonly name: string;
}) {
  const { client } = useApp();
  const { rootId, to, name } = props;
  const [found, setFound] = useState<CommandAnswer<"share.unseen"> | null>(null);
  const key = JSON.stringify(to);
  useEffect(() => {
    let isShown = true;
    setFound(null);
    void client.call("share.unseen", { rootId, to: JSON.parse(key) as typeof to }).then((answer) => {
      if (isShown && answer.ok) setFound(answer.value);
    });
    return () => {
      isShown = false;
    };
  }, [client, rootId, key]);
  if (found === null || found.total === 0) return null;
  const more = found.total - found.documents.length;
  return (
    <div className="mcp-changed" role="note" aria-label={`Documents that ${name} may not read`}>
      <p>
        Agents have read these documents here, so their words may be in this conversation. {name} may not read them
        otherwise:
      </p>
      <ul>
        {found.documents.map(({ blockId, title }) => (
          <li key={blockId}>{title === "" ? "Untitled" : title}</li>
        ))}
        {more > 0 && <li>and {more} more</li>}
      </ul>
    </div>
  );
}
