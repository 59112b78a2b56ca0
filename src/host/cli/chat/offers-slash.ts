import type { CommandAnswer } from "../../../core/protocol/commands.ts";
import { safeLine } from "../base/safe-text.ts";
import { didYouMean } from "./ask-person.ts";
import type { SlashCommand, SlashContext } from "./slash-context.ts";

type Servers = CommandAnswer<"mcp.offers">["servers"];
type OfferedPrompt = Servers[number]["prompts"][number];

/** The commands for what MCP servers offer to people. */
export const offerCommands: Readonly<Record<string, SlashCommand>> = {
  resource: {
    use: "/resource [SERVER:NAME]",
    about: "list what MCP servers have to attach; or attach one to the next message",
    run: attachResource,
  },
  prompt: {
    use: "/prompt [SERVER:NAME [VALUES]]",
    about: "list the prompts of MCP servers; or put one, filled in, into your line",
    run: fillPrompt,
  },
};

async function offersOf(context: SlashContext, safe: string): Promise<Servers | null> {
  const listed = await context.client.call("mcp.offers", {});
  if (!listed.ok) context.refused(listed.error, safe);
  return listed.ok ? listed.value.servers : null;
}

async function attachResource(context: SlashContext, words: string): Promise<void> {
  const { client, face } = context;
  const servers = await offersOf(context, "Nothing was attached.");
  if (servers === null) return;
  const resources = servers.flatMap(({ server, resources: own }) =>
    own.map((each) => ({ ...each, server, title: `${server}:${each.name}` })),
  );
  if (words === "") {
    for (const { title, description } of resources)
      face.line(`  ${safeLine(title)}  ${safeLine(description)}`.trimEnd());
    return face.aside(
      resources.length === 0 ? "No connected MCP server offers resources." : "/resource SERVER:NAME attaches one.",
    );
  }
  const found = resources.find(({ title, uri }) => title === words || uri === words);
  if (found === undefined) return missing(context, { what: "resource", command: "/resource", words }, resources);
  const copied = await client.call("mcp.attach", { server: found.server, uri: found.uri });
  if (!copied.ok) return context.refused(copied.error, "Nothing was attached.");
  context.attachStored(copied.value.attachments);
  face.aside(`✓ ${safeLine(found.title)} goes with your next message.`, "good");
}

async function fillPrompt(context: SlashContext, words: string): Promise<void> {
  const { client, face } = context;
  const servers = await offersOf(context, "Your line was not changed.");
  if (servers === null) return;
  const prompts = servers.flatMap(({ server, prompts: own }) =>
    own.map((prompt) => ({ server, prompt, title: `${server}:${prompt.name}` })),
  );
  if (words === "") {
    for (const { title, prompt } of prompts) face.line(`  ${safeLine(`${title}${fieldsOf(prompt)}  ${prompt.title}`)}`);
    return face.aside(
      prompts.length === 0
        ? "No connected MCP server offers prompts."
        : "/prompt SERVER:NAME FIELD=VALUE fills one in; quote a value that has spaces.",
    );
  }
  const [name = "", ...rest] = words.split(" ");
  const found = prompts.find(({ title }) => title === name);
  if (found === undefined) return missing(context, { what: "prompt", command: "/prompt", words: name }, prompts);
  const values = valuesOf(found.prompt, rest.join(" "));
  if (typeof values === "string") {
    const use = safeLine(`/prompt ${found.title}${fieldsOf(found.prompt)}`);
    return face.aside(`${safeLine(values)} Write ${use}. Your line was not changed.`, "warning");
  }
  const filled = await client.call("mcp.prompt", { server: found.server, prompt: found.prompt.name, values });
  if (!filled.ok) return context.refused(filled.error, "Your line was not changed.");
  context.attachStored(filled.value.attachments);
  context.goTo(context.head, filled.value.text);
  face.aside("✓ The words are in your line: read them, and send them.", "good");
}

function fieldsOf({ parameters }: OfferedPrompt): string {
  return parameters.map(({ name, isRequired }) => (isRequired ? ` ${name}=…` : ` [${name}=…]`)).join("");
}

/** Reads `name=value` and `name="a value"`; a sentence where they cannot be used. A prompt's only field needs no name. */
function valuesOf({ parameters }: OfferedPrompt, words: string): Readonly<Record<string, string>> | string {
  const names = parameters.map(({ name }) => name);
  const [only] = names;
  const given = new Map<string, string>();
  const left = words.replaceAll(
    /([^\s=]+)=(?:"([^"]*)"|(\S+))/gu,
    (all: string, name: string, quoted?: string, plain?: string) => {
      if (!names.includes(name)) return all;
      given.set(name, quoted ?? plain ?? "");
      return "";
    },
  );
  const unread = left.trim();
  if (unread !== "" && names.length === 1 && only !== undefined && given.size === 0) given.set(only, unread);
  else if (unread !== "") return `There is no field for ${unread.slice(0, 60)}.`;
  const lacks = parameters.find(({ name, isRequired }) => isRequired && !given.has(name));
  return lacks === undefined ? Object.fromEntries(given) : `It needs ${lacks.name}.`;
}

function missing(
  { face }: SlashContext,
  { what, command, words }: { readonly what: string; readonly command: string; readonly words: string },
  known: readonly { readonly title: string }[],
): void {
  const titles = known.map(({ title }) => title);
  face.aside(`There is no ${what} ${safeLine(words)}.${didYouMean(words, titles)} ${command} lists them.`, "warning");
}
