import { useEffect, useState } from "react";
import type { FileBlock, ImageBlock } from "../../../../src/core/message/types.ts";
import { Icon } from "../../ui/icons.tsx";
import { readBlob } from "../../browser/blob-client.ts";

/** An image or a file of a message. An external address is shown and never fetched: the page contacts no other server. */
export function MessageMedia({ block }: { readonly block: ImageBlock | FileBlock }) {
  if (block.type === "image" && block.source.type === "blob") return <BlobImage id={block.source.id} />;
  const name = block.type === "file" ? (block.name ?? block.mediaType) : block.mediaType;
  return (
    <span className="attachment">
      <Icon name="document" size={14} /> {name}
    </span>
  );
}

function BlobImage({ id }: { readonly id: string }) {
  const [url, setUrl] = useState<string | null>(null);
  const [missing, setMissing] = useState(false);
  useEffect(() => {
    const abort = new AbortController();
    let made: string | null = null;
    void readBlob(id, abort.signal).then((blob) => {
      if (abort.signal.aborted) return;
      if (blob === null) setMissing(true);
      else {
        made = URL.createObjectURL(blob);
        setUrl(made);
      }
    });
    return () => {
      abort.abort();
      if (made !== null) URL.revokeObjectURL(made);
    };
  }, [id]);
  if (missing) {
    return (
      <span className="attachment">
        <Icon name="alert" size={14} /> This image is not available
      </span>
    );
  }
  return url === null ? (
    <span className="attachment" aria-busy="true">
      <Icon name="document" size={14} /> …
    </span>
  ) : (
    <img className="message-image" src={url} alt="Attached to this message" />
  );
}
