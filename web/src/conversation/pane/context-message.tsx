import type { ContentBlock, Message } from "../../../../src/core/message/types.ts";

/** The exact content of a message as it is sent, block by block. */
export function MessageContent({ message }: { readonly message: Message }) {
  const blocks: readonly ContentBlock[] = message.content;
  return blocks.map((block, index) => (
    <pre key={index} tabIndex={0} role="region" aria-label={`Content ${index + 1}`}>
      {textOfBlock(block)}
    </pre>
  ));
}

function textOfBlock(block: ContentBlock): string {
  switch (block.type) {
    case "text":
    case "refusal":
    case "notice":
      return block.text;
    case "thinking":
      return block.text === "" ? "(thinking that only the provider can read)" : block.text;
    case "tool-use":
      return `${block.name} ${JSON.stringify(block.parameters, null, 2)}`;
    case "image":
      return `(image, ${block.mediaType})`;
    case "file":
      return `(file ${block.name ?? ""}, ${block.mediaType})`;
    case "opaque":
      return JSON.stringify(block.raw, null, 2);
  }
}
