import { useEffect, useState } from "react";
import type { HeddleClient } from "../../../../src/client/base/types.ts";
import type { CommandAnswer } from "../../../../src/core/protocol/commands.ts";
import { readBlob } from "../../browser/blob-client.ts";
import { useApp } from "../../ui/app-context.ts";

type Servers = CommandAnswer<"mcp.offers">["servers"];
type Copied = CommandAnswer<"mcp.attach">["attachments"];

/** A resource of an MCP server that may be attached. */
export interface OfferedResource {
  readonly type: "resource";
  readonly server: string;
  readonly uri: string;
  readonly name: string;
}

/** A prompt of an MCP server that may be filled in. */
export interface OfferedPrompt {
  readonly server: string;
  readonly prompt: Servers[number]["prompts"][number];
}

/** Returns what the MCP servers offer to people, asked for each time the list opens; empty before. */
export function useServerOffers(): Servers {
  const { client } = useApp();
  const [servers, setServers] = useState<Servers>([]);
  useEffect(() => {
    let stale = false;
    // A server that cannot be asked, and a person who may not, get no offers: other documents are offered all the same.
    void client.call("mcp.offers", {}).then((listed) => {
      if (!stale && listed.ok) setServers(listed.value.servers);
    });
    return () => {
      stale = true;
    };
  }, [client]);
  return servers;
}

/** Returns the resources whose `server:name` contains the letters. */
export function resourcesNamed(servers: Servers, letters: string, max: number): readonly OfferedResource[] {
  const wanted = letters.toLowerCase();
  return servers
    .flatMap(({ server, resources }) =>
      resources.map(({ uri, name }) => ({ type: "resource" as const, server, uri, name })),
    )
    .filter(({ server, name, uri }) => [`${server}:${name}`, uri].some((words) => words.toLowerCase().includes(wanted)))
    .slice(0, max);
}

/** Returns the prompts whose `server:name` or title contains the letters. */
export function promptsNamed(servers: Servers, letters: string, max: number): readonly OfferedPrompt[] {
  const wanted = letters.toLowerCase();
  return servers
    .flatMap(({ server, prompts }) => prompts.map((prompt) => ({ server, prompt })))
    .filter(({ server, prompt: { name, title } }) => `${server}:${name} ${title}`.toLowerCase().includes(wanted))
    .slice(0, max);
}

/** Fetches what was copied to the blobs, as files for a message; null when the bytes of one are not available. */
export async function filesOf(copied: Copied): Promise<File[] | null> {
  const files: File[] = [];
  for (const { blobId, mediaType: type, name } of copied) {
    const blob = await readBlob(blobId, new AbortController().signal);
    if (blob === null) return null;
    files.push(new File([blob], name, { type }));
  }
  return files;
}

/** Fetches a resource as files; a refusal, or null when its bytes are not available. */
export async function resourceFiles(client: Pick<HeddleClient, "call">, { server, uri }: OfferedResource) {
  const copied = await client.call("mcp.attach", { server, uri });
  return copied.ok ? filesOf(copied.value.attachments) : copied.error;
}
